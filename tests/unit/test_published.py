"""Published figures beside a run: every study takes the systems of its own document, and refuses others by name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fakes import Groma
from printed_tables import cells, one

from groma.analysis import summarise
from groma.catalog.references import system_named
from groma.errors import InputError
from groma.programs.answers import check_references, study_of
from groma.programs.nas.summaries import FILE
from groma.programs.study import Study
from groma.results import load_run
from groma.text.tables import Table

SYSTEMS = {
    "alcf": "mira",
    "bcast_test": "jet",
    "commtest": "cheetah",
    "nas": "altix",
    "skampi": "sapac",
}


def beside(run: str, *names: str) -> Study:
    study = study_of(load_run(run), summarise(load_run(run)), names)
    assert study is not None
    return study


def titled(study: Study, start: str) -> Table:
    whole = [one for one in study.tables if one.title == start]
    (table,) = whole or [one for one in study.tables if one.title.startswith(start)]
    return table


@pytest.mark.slow
@pytest.mark.parametrize("profile", SYSTEMS)
def test_each_study_shows_the_systems_of_its_document_in_terminal_and_report(groma: Groma, profile: str) -> None:
    part = ["bcast", "--bytes", "1M,4M"] if profile == "skampi" else []
    asked = ["run", *part, "--profile", profile, "-n", "4", "--launches", "1"]
    said = groma(*asked, "--against", SYSTEMS[profile], "--report", "-o", "out")
    assert said.code == 0, said.err
    (system,) = [name for name in _names(profile) if SYSTEMS[profile] in name.casefold()]
    assert system.split()[-1] in said.out
    page = Path("out/report.html").read_text()
    assert system in page
    assert f">{system}" in page.partition('id="chart-study-')[2], "its curve has a key"


def _names(profile: str) -> list[str]:
    with pytest.raises(InputError, match="; there ") as refused:
        check_references(profile, ["0"])
    return str(refused.value).partition("; there ")[2].partition(" ")[2].split(", ")


@pytest.mark.parametrize("profile", SYSTEMS)
@pytest.mark.parametrize("name", [*SYSTEMS.values(), "nonsense"])
def test_the_systems_of_other_documents_are_refused_before_anything_runs(groma: Groma, profile: str, name: str) -> None:
    if name == SYSTEMS[profile] or (profile, name) == ("skampi", "altix"):
        return
    said = groma("run", "--profile", profile, "--against", name, "-o", "out")
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith(f"groma: no reference system for {profile} is called '{name}'")
    assert len(said.err.splitlines()) == 1
    assert not Path("out").exists()


@pytest.mark.parametrize("words", [("pingpong",), ("--profile", "quick"), ("--profile", "pmb"), ("--profile", "osu")])
def test_what_has_no_published_figures_refuses_all(groma: Groma, words: tuple[str, ...]) -> None:
    said = groma("run", *words, "--against", "altix", "-o", "out")
    said.refuses(
        "has no published figures that can stand beside it; leave out --against",
        "alcf, bcast_test, commtest, nas and skampi",
    )
    assert not Path("out").exists()


def test_names_are_not_ignored_beside_a_run_that_is_there(groma: Groma) -> None:
    assert groma("run", "--profile", "bcast_test", "--launches", "1", "-o", "out").code == 0
    for verb in ("show", "report"):
        said = groma(verb, "out", "--against", "nonsense")
        assert (said.code, said.out) == (2, "")
        assert "there is JET analysis cluster" in said.err
    for arguments, says in (
        (("show", "out", "--style", "bcast_test", "--against", "jet"), "leave it out, or --style"),
        (("report", "out", "out", "--against", "jet"), "works with one run"),
        (("show", "out", "--against", "jet,"), "is not a list of systems"),
        (("run", "--resume", "out", "--against", "nonsense"), "no reference system for bcast_test"),
    ):
        said = groma(*arguments)
        said.refuses(says)


def test_a_system_is_known_by_any_word_of_its_name() -> None:
    known = ["Altix", "Blue Gene/P Intrepid", "Blue Gene/Q Mira"]
    assert system_named("mira", known, "alcf") == "Blue Gene/Q Mira"
    assert system_named("Gene/P", known, "alcf") == "Blue Gene/P Intrepid"
    assert system_named("ALTIX", [*known, "Altix 3700"], "nas") == "Altix", "the whole name wins"
    with pytest.raises(InputError, match="may be Blue Gene/P Intrepid or Blue Gene/Q Mira"):
        system_named("blue", known, "alcf")


def test_what_was_not_measured_is_said(groma: Groma) -> None:
    assert groma("run", "halo/all_at_once", "--profile", "alcf", "-n", "4", "--launches", "1", "-o", "out").code == 0
    said = groma("show", "out", "--against", "mira")
    assert said.code == 0, said.err
    assert "Nothing that this run measured was published of Blue Gene/Q Mira." in said.out


# Every cell beside the run's own is the document's.


@pytest.mark.slow
def test_alcfs_columns(groma: Groma) -> None:
    assert groma("run", "--profile", "alcf", "-n", "4", "--launches", "1", "-o", "out").code == 0
    study = beside("out", "mira", "intrepid")
    rate = titled(study, "Messaging rate within a node, in millions of messages per second and node, beside")
    place = rate.headings.index("Blue Gene/Q Mira any_src")
    printed = {row["ranks_per_node"]: row["printed"] for row in cells("alcf_message_rate", receives_from="any")}
    assert {int(row[0]): row[place] for row in rate.rows if row[place] != "\u2013"} == printed
    own = titled(study, "Messaging rate within a node, in millions of messages per second and node")
    assert ("Blue Gene/Q Mira", "48 racks, 1024 nodes per rack, 16+4 CPUs per node; 5D torus") in study.conditions
    assert [row[: len(own.headings)] for row in rate.rows if row[1] != "\u2013"] == own.rows
    half = titled(study, "Collective operations: Half World, in microseconds, beside")
    place = half.headings.index("Blue Gene/P Intrepid 2 RPN")
    expected = {"communicator": "half", "ranks_per_node": 2, "system": "Blue Gene/P Intrepid"}
    rows = cells("alcf_collectives_half", **expected)
    assert {row[0]: row[place] for row in half.rows} == {row["label"]: row["printed"] for row in rows}


@pytest.mark.slow
def test_commtests_columns(groma: Groma) -> None:
    assert groma("run", "--profile", "commtest", "--launches", "1", "-o", "out").code == 0
    study = beside("out", "cheetah")
    table = titled(study, "Beside IBM p690 cheetah: 2 ranks, cache_inv, with overlap")
    found = {row[0]: (row[2], row[4]) for row in table.rows}
    assert len(found) == 11
    smallest = {"variant": "cache_inv", "overlap": True, "bytes": 2048}
    best = next(cells("commtest_cache_inv_overlap_runtime", quantity="maximum_bandwidth", **smallest))
    fastest = [row["printed"] for row in cells("commtest_cache_inv_overlap_fastest", **smallest)]
    assert found["2 KiB"] == (best["printed"], " ".join(fastest))
    table = titled(study, "Beside IBM p690 cheetah: 2 ranks, cache_inv, each protocol")
    assert [row[0] for row in table.rows][-2:] == ["9 with overlap", "10"]
    ready = next(row for row in table.rows if row[0] == "4 with overlap")
    printed = {row["quantity"]: row["printed"] for row in cells("commtest_04_rsend", variant="cache_inv", overlap=True)}
    assert (ready[2], ready[4]) == (printed["peak_bandwidth"], printed["estimated_latency"])


def test_jets_sample_and_its_gain(groma: Groma) -> None:
    assert groma("run", "--profile", "bcast_test", "-n", "3", "--launches", "1", "-o", "out").code == 0
    study = beside("out", "jet")
    table = titled(study, "Slowest and fastest process")
    slowest = {row["segments"]: row["value"] for row in cells("jet_bcast_sample", quantity="maximum_time")}
    assert {int(row[0]): float(row[4]) for row in table.rows} == pytest.approx(slowest, rel=1e-3)
    gain = slowest[4096] / min(slowest.values())
    assert f"segments of 20 KiB (16 of them) are best, {gain:.2f} times as fast as segments of 80 B." in str(
        study.sentences
    )
    (chart,) = study.charts
    (curve,) = (curve for curve in chart.curves if curve.reference and curve.name.endswith("Tmax"))
    assert sorted(point.y for point in curve.points) == pytest.approx(sorted(slowest.values()))


def test_skampis_broadcast_on_the_altix(groma: Groma) -> None:
    asked = ("run", "bcast", "--profile", "skampi", "--launches", "1")
    assert groma(*asked, "--bytes", "4M", "-o", "out").code == 0
    table = titled(beside("out", "altix"), "Beside SGI Altix 3700 SAPAC")
    assert table.rows[-1] == ["bcast", "4 MiB", "SGI Altix 3700 SAPAC", "8", "9500"]
    assert [row[2] for row in table.rows[:-1]] == ["this run, sync=window", "this run, sync=barrier"]
    assert groma(*asked, "--bytes", "1K", "-o", "small").code == 0
    assert titled(beside("small", "altix"), "Beside").rows[0][2] == "this run: not measured"
    assert "Altix" not in groma("show", "out").out, "nobody asked"


# LBW over PVM.


END = json.dumps({"schema": 1, "kind": "end", "points": 1, "failures": 0, "elapsed_ns": 1, "load": []}) + "\n"


def pvm_point(size: int, samples_ns: list[int], **way: str) -> str:
    point = {"operation": "lbw_pvm", "bytes": size, "style": "sync", "route": "daemons"} | way
    record = {"schema": 1, "kind": "point", "index": 0, "sequence": 0, "point": point, "message_bytes": size}
    record |= {
        "samples_ns": samples_ns,
        "repetitions_per_sample": 100,
        "divisor": 2,
        "members": [0, 1],
        "member_count": 2,
    }
    return json.dumps(record) + "\n"


def test_records_of_lbw_pvm_are_the_studys_row(groma: Groma) -> None:
    assert groma("run", "--profile", "nas", "--launches", "1", "-o", "out").code == 0
    assert not [table for table in beside("out").tables if "PVM" in table.title and table.rows]
    start = {"schema": 1, "kind": "start", "engine": "0.1.0", "library": {"name": "PVM", "version": "3.4.6"}}
    line = json.dumps(start | {"ranks": 2, "nodes": 1, "points": 1}) + "\n"
    records = [line, pvm_point(1_000_000, [70_000_000, 60_000_000]), END]  # as --out appends, launch by launch
    records += [line, pvm_point(40, [5_640_000]), END]
    records += [line, pvm_point(40, [1_000_000], style="async", route="direct"), END]
    Path("out", FILE).write_text("".join(records))
    table = titled(beside("out", "lomax", "dawn"), "LBW over PVM")
    host = load_run("out").meta.host
    # 100 passes of two messages in 60 ms: 300 us for a million bytes.
    assert table.rows[0] == [host, "\u2013", "3333", "28.20"]
    assert table.rows[1] == [f"{host}, async, direct", "\u2013", "\u2013", "5.000"]
    for row, system in zip(table.rows[2:], ("Lomax", "Dawn"), strict=True):
        printed = [next(cells("pvm", system=system, quantity=name))["printed"] for name in ("clock_rate", "bandwidth")]
        assert row[:3] == [system, *printed]
        assert one("pvm", "latency", system=system).agrees(float(row[3]))
    assert "PVM 3.4.6" in table.notes[0]
    said = groma("show", "out")
    assert "LBW over PVM" in said.out


def test_the_row_of_pvm_is_of_no_variant(groma: Groma) -> None:
    variants = ("--variant", "shared", "--variant", "tcp:A=1")
    assert groma("run", "--profile", "nas", "--launches", "1", *variants, "-o", "out").code == 0
    Path("out", FILE).write_text(pvm_point(40, [5_640_000]))
    assert [table.title for table in beside("out").tables if "PVM" in table.title] == ["LBW over PVM"]


def test_what_follows_a_launch_of_pvm_is_another_launch(groma: Groma) -> None:
    assert groma("run", "--profile", "nas", "--launches", "1", "-o", "out").code == 0
    Path("out", FILE).write_text(END + pvm_point(40, [5_640_000]) + END)
    said = groma("show", "out")
    assert said.code != 0
    assert "pvm.jsonl line 2 follows the last record of its launch" in said.err


def test_a_damaged_record_of_pvm_is_one_sentence(groma: Groma) -> None:
    assert groma("run", "--profile", "nas", "--launches", "1", "-o", "out").code == 0
    Path("out", FILE).write_text('{"schema": 1, "kind": "point"}\n{}\n')
    said = groma("show", "out")
    assert said.code != 0
    assert "pvm.jsonl line 1 is not a record" in said.err
    assert len(said.err.splitlines()) == 1
