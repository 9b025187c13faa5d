"""The reference tables are whole: every table of every document, with as many lines and values as are printed."""

from __future__ import annotations

from collections import Counter

from fakes import Groma

import groma
from groma.catalog.references import _folder, columns, tables

SOURCES = {"NAS page": 51, "ALCF slides": 8, "COMMTEST page": 30, "JET page": 1, "Altix paper": 1}
FIRST = ["system", "date", "conditions"]
LAST = ["quantity", "unit", "value", "printed", "source", "table"]
PROTOCOLS = (
    *("simple", "isend", "irecv", "isend_irecv", "rsend", "irsend"),
    *("synchronous", "issend", "irecv_ssend", "issend_irecv", "ssend"),
)
# Lines as printed and values a line, counted in the documents.
LINES = {
    "lomax_lbw": (1, 2),
    "lomax_lbw_sizes": (13, 1),
    "lomax_ata": (13, 1),
    "lomax_sts": (9, 4),
    "lomax_sts_384_output": (11, 1),
    "ibm01_interconnects": (6, 1),
    "ibm01_lbw_intranode": (2, 2),
    "ibm01_lbw_internode": (4, 2),
    "ibm01_lbw_sizes": (13, 3),
    "ibm01_ata_intranode": (3, 2),
    "ibm01_ata_internode": (6, 1),
    "ibm01_sts_default": (3, 4),
    "ibm01_sts_shmem": (3, 4),
    "ibm01_sts_sa": (5, 4),
    "ranma_lbw": (1, 2),
    "ranma_lbw_sizes": (13, 1),
    "ranma_ata": (3, 1),
    "ranma_sts": (3, 4),
    "ranma_load": (4, 2),
    "lomax_load": (8, 2),
    "vabcluster_lbw": (1, 2),
    "vabcluster_lbw_sizes": (13, 1),
    "vabcluster_ata": (3, 1),
    "appro_lbw": (1, 4),
    "appro_lbw_sizes": (6, 1),
    "appro_ata": (4, 1),
    "altix_lbw": (1, 2),
    "altix_sizes": (13, 2),
    "altix_ata": (14, 1),
    "altix_sts": (14, 4),
    "altix_ata_latency": (14, 3),
    "altix_ata_128_runs": (5, 1),
    "altix_sts_96_runs": (6, 1),
    "altix_lbw_runs": (8, 1),
    "chapman_lbw": (1, 2),
    "chapman_sizes": (13, 2),
    "chapman_ata": (18, 1),
    "chapman_sts": (18, 4),
    "chapman_ata_latency": (18, 3),
    "summary_lbw": (7, 2),
    "summary_ata": (7, 1),
    "summary_sts": (5, 2),
    "pvm": (5, 3),
    **{
        f"{system}_conditions": (lines, 1)
        for system, lines in {
            "lomax": 5,
            "ibm01": 4,
            "ranma": 5,
            "vabcluster": 5,
            "appro": 5,
            "altix": 5,
            "chapman": 5,
            "pvm": 3,
        }.items()
    },
    "alcf_systems": (4, 3),  # 12 values in all
    "alcf_message_rate": (6, 17 / 6),  # 5 + 3 + 3 + 2 + 2 + 2: blank cells
    "alcf_message_rate_window": (6, 2),
    "alcf_node_bandwidth": (6, 10 / 6),  # two cells are blank
    "alcf_bisection": (4, 11 / 4),  # one cell is blank
    "alcf_collectives": (5, 8),
    "alcf_collectives_half": (5, 8),
    "alcf_collectives_world": (5, 8),
    "commtest_setup": (10, 1),
    **{f"commtest_{number:02d}_{name}": (3 if number in (0, 6, 10) else 6, 3) for number, name in enumerate(PROTOCOLS)},
    **{
        f"commtest_{variant}{overlap}_{part}": (11, values)
        for variant in ("cache_inv", "1_iter", "10_iter")
        for overlap in ("", "_overlap")
        for part, values in (("runtime", 6), ("fastest", 5), ("within", 3))
    },
    "jet_bcast_sample": (7, 6),
    "altix_comparison_stated": (9, 1),
}


def test_every_table_of_every_document_is_there() -> None:
    index = tables()
    assert {entry.name for entry in index} == set(LINES)
    assert Counter(entry.document for entry in index) == SOURCES
    for entry in index:
        lines, values = LINES[entry.name]
        assert (entry.lines, entry.rows) == (lines, round(lines * values)), entry.name
        rows = groma.reference(entry.name)
        assert rows.height == entry.rows, entry.name
        assert rows["source"].unique().to_list() == [entry.document]
        assert rows["table"].unique().to_list() == [entry.title]
        own = [column for column in rows.columns if column not in ("name", *FIRST, *LAST)]
        assert all(columns()[column].meaning for column in own)
        assert rows.select("system", *own, "quantity", "printed").is_unique().all(), entry.name


def test_a_value_is_the_number_that_is_printed() -> None:
    rows = groma.reference()
    assert rows.height == sum(entry.rows for entry in tables())
    assert rows.columns == [column for column in columns() if column in rows.columns]
    words = 0
    for text, value in rows.select("printed", "value").iter_rows():
        try:
            assert value == float(text.rstrip("%"))
        except ValueError:
            assert value is None, text
            words += 1
    assert words == 6 + 37 + 3 + 7  # interconnects, condition boxes, sums of links and CPUs, COMMTEST's header


def test_no_file_is_left_out_of_the_index() -> None:
    files = {
        f"{folder.name}/{file.name}" for folder in _folder().iterdir() if folder.is_dir() for file in folder.iterdir()
    }
    assert files == {entry.file for entry in tables()}


def test_it_is_listed_and_printed(groma: Groma) -> None:
    assert "altix_ata " in groma("list", "reference").out
    said = groma("list", "ranma_load").out
    assert "79.6" in said
    assert "88.0 %" in said
    assert "did you mean 'ranma_load'" in groma("list", "ranma_lad").err
