"""The reference tables are whole, and the arithmetic between their figures holds, within the rounding of the print.

Where a document contradicts itself, the place stands in an exception with the reason; an exception that is none fails.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl
import pytest
from fakes import Groma

import groma
from groma.references import KEYS, SCHEMA, _folder, table, tables

SOURCES = {"000": 51, "001": 8, "002": 30, "003": 1, "004": 1}
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


@dataclass(frozen=True)
class Printed:
    """All numbers that may have been rounded to what is printed."""

    low: float
    high: float

    @classmethod
    def of(cls, text: str) -> Printed:
        """Return the numbers that a printed text may stand for: half a unit of its last digit either way."""
        match = re.fullmatch(r"(-?\d+)\.?(\d*)(?:e([+-]\d+))?%?", text)
        assert match, text
        half = 0.5 * 10.0 ** (int(match[3] or 0) - len(match[2]))
        value = float(text.rstrip("%"))
        return cls(value - half, value + half)

    def __mul__(self, other: Printed | float) -> Printed:
        others = (other.low, other.high) if isinstance(other, Printed) else (other,)
        ends = [a * b for a in (self.low, self.high) for b in others]
        return Printed(min(ends), max(ends))

    def __truediv__(self, other: Printed) -> Printed:
        return self * Printed(1 / other.high, 1 / other.low)

    def agrees(self, other: Printed | float) -> bool:
        """Whether one number can be behind both, but for the last bit of a double."""
        low, high = (other.low, other.high) if isinstance(other, Printed) else (other, other)
        slack = 1e-9 * max(abs(high), abs(self.high))
        return self.low <= high + slack and low <= self.high + slack


def cells(name: str, **keys: object) -> Iterator[dict[str, Any]]:
    rows = groma.reference(name).filter(**keys) if keys else groma.reference(name)
    return rows.iter_rows(named=True)


def printed(name: str, quantity: str, by: str | None = None, **keys: object) -> dict[Any, Printed]:
    """Return what one table prints of one quantity, by a key."""
    found = list(cells(name, quantity=quantity, **keys))
    named = {row[by] if by else None: Printed.of(row["printed"]) for row in found}
    assert found
    assert len(named) == len(found), "the key does not tell the rows apart"
    return named


def one(name: str, quantity: str, **keys: object) -> Printed:
    return printed(name, quantity, None, **keys)[None]


def check(identities: dict[Any, bool], exceptions: dict[Any, str]) -> None:
    """All identities hold but the exceptions, and those do not."""
    assert identities
    assert {place for place, holds in identities.items() if not holds} == set(exceptions)


def test_every_table_of_every_document_is_there() -> None:
    index = tables()
    assert {entry.name for entry in index} == set(LINES)
    assert Counter(entry.seed[:3] for entry in index) == SOURCES
    for entry in index:
        lines, values = LINES[entry.name]
        assert (entry.lines, entry.rows) == (lines, round(lines * values)), entry.name
        rows = groma.reference(entry.name)
        assert rows.height == entry.rows, entry.name
        assert rows["source"].unique().to_list() == [entry.seed]
        assert rows["table"].unique().to_list() == [entry.title]
        own = [column for column in rows.columns if column not in ("name", *FIRST, *LAST)]
        assert set(own) <= set(KEYS)
        assert rows.select("system", *own, "quantity", "printed").is_unique().all(), entry.name


def test_a_value_is_the_number_that_is_printed() -> None:
    rows = groma.reference()
    assert rows.height == sum(entry.rows for entry in tables())
    assert rows.columns == [column for column in SCHEMA if column in rows.columns]
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


# PROGRAMS 1: LBW, ATA, STS.


def test_the_latency_is_that_of_forty_bytes() -> None:
    pairs = {
        "lomax": ("lomax_lbw", "lomax_lbw_sizes", {}),
        "ranma": ("ranma_lbw", "ranma_lbw_sizes", {}),
        "vabcluster": ("vabcluster_lbw", "vabcluster_lbw_sizes", {}),
        "appro": ("appro_lbw", "appro_lbw_sizes", {"where": "internode"}),
        "altix": ("altix_lbw", "altix_sizes", {}),
        "chapman": ("chapman_lbw", "chapman_sizes", {}),
        "ibm default": ("ibm01_lbw_intranode", "ibm01_lbw_sizes", {"interconnect": "default"}),
        "ibm shmem": ("ibm01_lbw_intranode", "ibm01_lbw_sizes", {"interconnect": "shmem"}),
        "ibm sa": ("ibm01_lbw_internode", "ibm01_lbw_sizes", {"interconnect": "sa"}),
    }
    identities: dict[Any, bool] = {}
    for system, (headline, sizes, keys) in pairs.items():
        more = {"test": "lbw"} if sizes in ("altix_sizes", "chapman_sizes") else {}
        small = one(sizes, "bandwidth", bytes=40, **keys, **more)
        identities[system] = (small * one(headline, "latency", **keys)).agrees(40)
    check(
        identities,
        {
            "vabcluster": "0.864 MB/s is 46.3 us, 46.2 is printed: the best of another set of runs",
            "altix": "19.1 MB/s is 2.1 us, 1.5 is printed: the best of another set of runs, which varied greatly",
        },
    )


@pytest.mark.parametrize("system", ["altix", "chapman"])
def test_an_alltoall_moves_a_block_for_every_process(system: str) -> None:
    times = printed(f"{system}_ata_latency", "total_time", by="processes")
    bandwidths = printed(f"{system}_ata", "bandwidth", by="processes")
    assert times.keys() == bandwidths.keys()
    block_mb = 100_000 / 1e6
    identities: dict[Any, bool] = {
        processes: bandwidths[processes].agrees(Printed(block, block) / (time * 1e-3))
        for processes, time in times.items()
        for block in [processes * block_mb]
    }
    check(identities, {})


@pytest.mark.parametrize("system", ["altix", "chapman"])
def test_the_overhead_of_an_alltoall_is_latency_over_time(system: str) -> None:
    name = f"{system}_ata_latency"
    by = {quantity: printed(name, quantity, by="processes") for quantity in ("total_time", "latency", "overhead")}
    identities: dict[Any, bool] = {
        processes: (latency / by["total_time"][processes] * 100).agrees(by["overhead"][processes])
        for processes, latency in by["latency"].items()
    }
    check(identities, {})


def test_the_full_output_of_one_run_adds_up() -> None:
    by = {row["quantity"]: Printed.of(row["printed"]) for row in cells("lomax_sts_384_output")}
    exact = {name: float(row["printed"]) for row in cells("lomax_sts_384_output") for name in [row["quantity"]]}
    p, m, passes = (exact[name] for name in ("processes_used", "messages_per_process", "passes"))
    identities: dict[Any, bool] = {
        "mean_message": (by["buffer_per_process"] * (1 / m)).agrees(by["mean_message"]),
        "bytes_transferred": (by["buffer_per_process"] * p * passes * 1e-6).agrees(by["bytes_transferred"]),
        "bandwidth_total": (by["bytes_transferred"] / by["total_time"]).agrees(by["bandwidth_total"]),
        "bandwidth": (by["bandwidth_total"] * (1 / p)).agrees(by["bandwidth"]),
        "time_per_pass": (by["total_time"] * (1e3 / passes)).agrees(by["time_per_pass"]),
        "bytes_per_process": (by["buffer_per_process"] * 1e-6).agrees(by["bytes_per_process_and_pass"]),
        "bandwidth of a pass": (by["bandwidth"] * by["time_per_pass"] * 1e3).agrees(by["buffer_per_process"]),
    }
    check(identities, {"bytes_transferred": "9 millionths more than processes, passes and the mean buffer give"})


STS = ("lomax_sts", "ibm01_sts_default", "ibm01_sts_shmem", "ibm01_sts_sa", "ranma_sts", "altix_sts", "chapman_sts")


def test_a_pass_moves_six_messages_of_uniform_length_a_process() -> None:
    """Bandwidth x time = bytes of a pass and process; lengths are uniform in 1..262144, a new map for every run."""
    identities: dict[Any, bool] = {}
    for name, sides in itertools.product(STS, ("single", "double")):
        messages = 6 if sides == "single" else 12
        times = printed(name, "time_per_pass", by="processes", sides=sides)
        for processes, bandwidth in printed(name, "bandwidth", by="processes", sides=sides).items():
            moved = bandwidth * times[processes] * 1e3
            mean = messages * 131072.5
            deviation = messages * 262144 / math.sqrt(12 * messages * processes)
            within = Printed(mean - 4 * deviation, mean + 4 * deviation)
            identities[name, sides, processes] = moved.agrees(within)
    beyond = "4.5 standard deviations above: the best bandwidth and the best time may be of different runs"
    check(identities, {("chapman_sts", "single", 24): beyond})


@pytest.mark.parametrize(
    ("runs", "best"), [("altix_ata_128_runs", 128), ("altix_sts_96_runs", 96), ("altix_lbw_runs", None)]
)
def test_the_best_of_the_runs_is_reported(runs: str, best: int | None) -> None:
    largest = max(float(row["printed"]) for row in cells(runs))
    places: dict[int, tuple[str, dict[str, Any]]] = {
        128: ("altix_ata", {"processes": 128}),
        96: ("altix_sts", {"processes": 96, "sides": "single"}),
    }
    name, keys = places.get(best or 0, ("altix_lbw", {}))
    assert one(name, "bandwidth", **keys).agrees(largest)


def test_memory_efficiency_is_the_share_of_a_single_runs_bandwidth() -> None:
    identities: dict[Any, bool] = {}
    for name in ("ranma_load", "lomax_load"):
        bandwidths = printed(name, "bandwidth", by="runs")
        for runs, efficiency in printed(name, "memory_efficiency", by="runs").items():
            identities[name, runs] = (bandwidths[runs] / bandwidths[1] * 100).agrees(efficiency)
        assert all(row["processes"] == 2 * row["runs"] for row in cells(name))
    check(
        identities,
        {
            ("ranma_load", 2): "739.5 of 840.7 is 88.0 %, 79.6 is printed",
            ("lomax_load", 4): "247.6 of 237.8 is 104.1 %, 104.0 is printed",
        },
    )


def test_the_summaries_repeat_the_tables() -> None:
    tables_of: dict[str, tuple[str, dict[str, Any]]] = {
        "Lomax": ("lomax", {}),
        "IBM01": ("ibm01", {}),
        "Ranma": ("ranma", {}),
        "Vabcluster": ("vabcluster", {}),
        "Appro": ("appro", {}),
        "Altix": ("altix", {}),
        "Chapman": ("chapman", {}),
    }
    identities: dict[Any, bool] = {}
    for summary, kind in (("summary_lbw", "lbw"), ("summary_ata", "ata"), ("summary_sts", "sts")):
        for row in cells(summary):
            system = row["system"]
            name, keys = f"{tables_of[system][0]}_{kind}", {k: row[k] for k in ("processes", "sides") if row.get(k)}
            if system == "IBM01":
                name += "_sa" if kind == "sts" else "_intranode"
                keys |= {} if kind == "sts" else {"interconnect": "shmem"}
            if system == "Appro" and kind == "lbw":
                keys["where"] = "internode"
            same = [cell["printed"] for cell in cells(name, quantity=row["quantity"], **keys)]
            values = [float(str(text)) for text in same]
            identities[summary, system, row["quantity"]] = values == [row["value"]]
    check(
        identities,
        {
            ("summary_lbw", "Ranma", "bandwidth"): "915.4, where its own table prints 915.1",
            ("summary_sts", "Ranma", "bandwidth"): "its table ends at 8 processes, which is the row shown",
            ("summary_sts", "Ranma", "time_per_pass"): "as above",
        },
    )
    assert [row["value"] for row in cells("summary_sts", system="Ranma")] == [
        row["value"] for row in cells("ranma_sts", processes=8, sides="single")
    ]


def test_the_ibms_alltoall_between_nodes_is_a_copy_of_the_one_within() -> None:
    """The document's own fault: what makes these six figures useless, stated in the index."""
    within = printed("ibm01_ata_intranode", "bandwidth", by="processes", interconnect="default")
    between = printed("ibm01_ata_internode", "bandwidth", by="processes")
    assert {processes: between[processes] for processes in within} == within
    assert {between[processes] for processes in (16, 24, 32)} == {within[8]}
    assert "cannot be right" in table("ibm01_ata_internode").note


# PROGRAMS 2: ALCF.


def test_both_slides_show_the_same_times_of_the_world() -> None:
    columns = ["system", "operation", "argument", "ranks_per_node", "printed"]
    first, second = (groma.reference(name).select(columns) for name in ("alcf_collectives", "alcf_collectives_world"))
    assert first.equals(second)


def test_no_bandwidth_exceeds_its_peak() -> None:
    for name, keys in (("alcf_node_bandwidth", ["system"]), ("alcf_bisection", ["system", "nodes"])):
        rows = groma.reference(name)
        peaks = rows.filter(quantity="peak").select(*keys, peak="value")
        both = rows.filter(quantity="bandwidth").join(peaks, on=keys)
        assert both.height == rows.filter(quantity="bandwidth").height
        assert (both["value"] <= both["peak"]).all()


def test_the_peak_across_blue_gene_q_is_that_of_the_links_cut() -> None:
    """A node's peak is 20 links of 1.8 GB/s; half a torus hangs on 2 p / longest side links, two ways each."""
    link = one("alcf_node_bandwidth", "peak", system="Blue Gene/Q Mira") * (1 / 20)
    for nodes, links_cut in ((512, 512), (8192, 2048)):
        peak = one("alcf_bisection", "peak", system="Blue Gene/Q Mira", nodes=nodes)
        assert (link * links_cut).agrees(peak)


# PROGRAMS 3: COMMTEST.

V = 2_097_152
GROUPS = [(variant, overlap) for variant in ("cache_inv", "1_iter", "10_iter") for overlap in (False, True)]


def group(variant: str, overlap: object, part: str) -> str:
    return f"commtest_{variant}{'_overlap' if overlap else ''}_{part}"


@pytest.mark.parametrize(("variant", "overlap"), GROUPS)
def test_runtime_statistics_add_up(variant: str, overlap: bool) -> None:
    name = group(variant, overlap, "runtime")
    times = printed(name, "minimum_time", by="bytes")
    messages = printed(name, "minimum_time_per_message", by="bytes")
    bandwidths = printed(name, "maximum_bandwidth", by="bytes")
    largest = printed(name, "maximum_excess", by="bytes")
    assert list(times) == [2048 << k for k in range(11)]
    for size, time in times.items():
        assert bandwidths[size].agrees(Printed(2 * V / 1e6, 2 * V / 1e6) / time), size
        assert (time * (size / V)).agrees(messages[size]), size
        for quantity in ("mean_excess", "median_excess"):
            assert printed(name, quantity, by="bytes")[size].low <= largest[size].high


@pytest.mark.parametrize(("variant", "overlap"), GROUPS)
def test_protocol_counts_agree_with_the_excesses(variant: str, overlap: bool) -> None:
    runtime, within = group(variant, overlap, "runtime"), group(variant, overlap, "within")
    largest, middle = (printed(runtime, f"{which}_excess", by="bytes") for which in ("maximum", "median"))
    for size, excess in largest.items():
        counts = {row["within_percent"]: row["value"] for row in cells(within, bytes=size)}
        assert 1 <= counts[1] <= counts[5] <= counts[25] <= 11
        for percent, count in counts.items():
            share = percent / 100
            assert count == 11 or excess.high >= share
            assert count < 11 or excess.low <= share
            assert count >= 6 or middle[size].high >= share  # the median is the sixth of eleven
            assert count < 6 or middle[size].low <= share


@pytest.mark.parametrize(("variant", "overlap"), GROUPS)
def test_five_different_protocols_are_fastest(variant: str, overlap: bool) -> None:
    fastest = groma.reference(group(variant, overlap, "fastest"))
    for (_size,), rows in fastest.group_by("bytes"):
        assert rows["place"].to_list() == [1, 2, 3, 4, 5]
        assert rows["value"].n_unique() == 5
        assert rows["value"].is_between(0, 10).all()


def test_the_peak_of_the_protocols_is_the_largest_bandwidth_of_the_summary() -> None:
    statistics = [entry.name for entry in tables() if re.match(r"commtest_\d\d_(?!iter)", entry.name)]
    assert len(statistics) == 11
    peaks = groma.reference(*statistics).filter(quantity="peak_bandwidth")
    identities: dict[Any, bool] = {}
    for variant, overlap in GROUPS:
        # The summaries with overlap count the three protocols that have none as well.
        counted = peaks.filter(
            pl.col("variant") == variant, (pl.col("overlap") == overlap) | pl.col("protocol").is_in([0, 6, 10])
        )
        assert counted.height == 11
        shown = printed(group(variant, overlap, "runtime"), "maximum_bandwidth", by="bytes").values()
        identities[variant, overlap] = max(shown, key=lambda text: text.low).agrees(float(str(counted["value"].max())))
    once = "a swap timed once: the summary is of other runs than the protocols' own statistics"
    check(identities, {(variant, overlap): once for variant, overlap in GROUPS if variant != "10_iter"})


# PROGRAMS 4: the broadcast in segments.


def test_segments_make_up_the_buffer_and_the_root_is_left_out() -> None:
    rows = groma.reference("jet_bcast_sample")
    assert (rows["segments"] * rows["bytes"] == 4096 * 80).all()
    for segments in (4**k for k in range(7)):
        times = {row["host"]: row["value"] for row in cells("jet_bcast_sample", segments=segments, quantity="time")}
        others = [value for host, value in times.items() if host != "jac-64"]
        assert [row["value"] for row in cells("jet_bcast_sample", segments=segments, quantity="maximum_time")] == [
            max(others)
        ]
        assert [row["value"] for row in cells("jet_bcast_sample", segments=segments, quantity="minimum_time")] == [
            min(others)
        ]


def test_the_clock_goes_on_by_at_least_the_slowest_process() -> None:
    clock = list(printed("jet_bcast_sample", "wtime", by="segments").values())
    slowest = list(printed("jet_bcast_sample", "maximum_time", by="segments").values())
    for (before, after), time in zip(itertools.pairwise(clock), slowest[1:], strict=True):
        assert (after.high - before.low) * 1e3 >= time.low
