"""What the commands of the guide that measure, list and show do: the checks of test_documented_commands.py."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import documented
import polars as pl
from fakes import MPIEXEC, Said
from typed_commands import Place

from groma.analysis import summarise
from groma.results import load_run

RECORDED = Path(__file__).parent / "recorded"


def table_of(said: Said, operation: str) -> list[str]:
    """Return the lines of one operation's table."""
    lines = said.out.splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith(f"{operation}  "))
    return lines[start : start + 23]


def check_machine(place: Place) -> None:
    said = place.type()
    assert said.code == 0
    for finding in ("libraries", "cores", "governor", "clock source", "placement"):
        assert finding in said.out
    assert "This machine can measure" in said.err


def the_health_check(place: Place) -> None:
    """The answer comes first, the report last."""
    said = place.type("--launches", "2")
    assert said.code == 0, said.err
    assert "Peak bandwidth" in said.out
    assert Path(said.last_line).name == "report.html"
    assert Path(said.last_line).is_file()


def list_everything(place: Place) -> None:
    said = place.type()
    for heading in ("Operations", "Patterns", "Fields", "Profiles"):
        assert f"{heading}\n" in said.out


def two_operations_on_four_ranks(place: Place) -> None:
    said = place.type("--launches", "1")
    _, document = place.document(said)
    assert document["rank_counts"] == [4]
    for operation in ("allreduce", "bcast"):
        sizes = [line.strip().partition("  ")[0] for line in table_of(said, operation)]
        assert {"4 B", "8 B", "1 KiB", "512 KiB", "1 MiB"} <= set(sizes), sizes


def both_timings_within_a_budget(place: Place) -> None:
    _, document = place.document(place.type())
    assert document["budget_s"] == 300
    points = document["plan"]["points"]  # type: ignore[index]
    assert [point["timing"] for point in points] == ["call"] * 21 + ["block"] * 21, "each size"


def the_guides_plan_without_starting_it(place: Place) -> None:
    plan, report, *_ = (text for language, text in documented.other_blocks() if language == "toml")
    Path("plan.toml").write_text(plan + report)
    said = place.type()
    assert said.code == 0
    assert "operation=allreduce bytes=65536 datatype=double sync=dissemination slot_s=0.2" in said.out
    assert f"{MPIEXEC} -n 4" in said.out
    assert not Path("runs").exists()


def variants_differ(place: Place) -> None:
    """The second environment takes another way: several times as slow, measured on the embedded library."""
    place.on_the_embedded_mpi()
    run, _ = place.document(place.type("--launches", "2", "--set", "slot_s=0.05"))
    shortest = {point.variant: float(point.value("minimum_ns") or 0.0) for point in summarise(load_run(run))}
    assert shortest["tcp"] > 2 * shortest["shared"], "smallest samples, which a busy machine spares"


def placements_take_turns(place: Place) -> None:
    said = place.type("--launches", "1", "--dry-run")
    assert "variants: by-slot and by-node" in said.out
    commands = [line for line in said.out.splitlines() if f"{MPIEXEC} -n 8" in line]
    assert ["-ppn 1" in line for line in commands] == [False, True]


def placements_are_lists_of_cpus(place: Place) -> None:
    said = place.type("--launches", "1", "--dry-run")
    assert "variants: near and far" in said.out
    for cpus in ("0,1", "0,8"):
        assert f"-bind-to user:{cpus} " in said.out


def resume(place: Place) -> None:
    place.monkeypatch.setenv("FAKE_ENGINE", "die_after=1 in_launch=2")
    assert place.groma("run", "bcast", "--bytes", "8,16", "--launches", "2", "-o", "out").code == 1
    place.monkeypatch.delenv("FAKE_ENGINE")
    _, document = place.document(place.type(run="out"))
    assert document["state"] == "complete"
    assert sorted(path.name for path in Path("out/launches").iterdir()) == ["001", "002"]


def runs_are_listed(place: Place) -> None:
    place.groma("run", "bcast", "--bytes", "8", "--launches", "1", "-o", "runs/older")
    place.groma("run", "barrier", "--launches", "1", "-o", "runs/newer")
    assert {"older", "newer"} <= set(place.type().out.split())


def every_halo_exchange(place: Place) -> None:
    _, document = place.document(place.type("--launches", "1"))
    points = [(point["operation"], point["bytes"]) for point in document["plan"]["points"]]  # type: ignore[index]
    assert len(points) > 3
    assert all(name.startswith("halo/") and size == 64 << 10 for name, size in points)


def the_newest_run_of_a_name(place: Place) -> None:
    place.groma("run", "bcast", "--bytes", "8", "--launches", "1", "-o", "runs/quick-one")
    place.groma("run", "bcast", "--bytes", "8", "--launches", "1", "-o", "runs/other")
    said = place.type()
    assert "quick-one" in said.out
    assert said.err.startswith("quick is runs/quick-one.")
    assert "What the figures mean" in place.type("--define").out


def as_osu_prints(place: Place) -> None:
    place.groma("run", "--profile", "osu", "--launches", "1", "-o", "out")
    said = place.type(run="out")
    assert "# Measured by Groma" in said.out
    assert "OSU" in said.out


def sizes_are_added(place: Place) -> None:
    place.monkeypatch.setenv("FAKE_ENGINE", "switch_at=10000")
    _, document = place.document(place.type("--launches", "2"))
    added = document["refinement"]["added"]  # type: ignore[index]
    assert document["refinement"]["method"] == "mpptest"  # type: ignore[index]
    assert added
    assert {one["purpose"] for one in added} == {"refine"}


def switches_are_found(place: Place) -> None:
    place.monkeypatch.setenv("FAKE_ENGINE", "switch_at=10000")
    said = place.type("--launches", "2")
    assert said.code == 0
    assert "eager up to 9999 B" in said.out


def calibrated(place: Place) -> None:
    said = place.type("--launches", "6")
    assert said.code == 0, said.err
    assert "Known slowdowns: " in said.out
    assert re.search(r"Equal points were called different in \d+ of \d+; the known ratio lay", said.out)


def models_are_stated(place: Place) -> None:
    place.groma("run", "pingpong", "--bytes", "8:64K", "--launches", "1", "-o", "out")
    said = place.type(run="out")
    assert "\nModels\n  pingpong: " in said.out


def commtest(place: Place) -> None:
    said = place.type("--launches", "1")
    assert "COMMTEST: eleven protocols for a swap" in said.out
    assert "no recommendation" in said.out, "one launch is not enough, and the profile has more"


def advice_is_priced(place: Place) -> None:
    shutil.copytree(RECORDED / "alcf", "out")
    said = place.type(run="out")
    for word in ("anti-pattern", "instead", "half of world", "ratio"):
        assert word in said.out


def exported(place: Place) -> None:
    place.groma("run", "bcast", "--bytes", "8", "--launches", "2", "-o", "out")
    said = place.type(run="out")
    assert pl.read_csv(said.last_line).height == 2


def runs_are_drawn(place: Place) -> None:
    for run in ("a", "b"):
        place.groma("run", "bcast", "--bytes", "8,64K", "--launches", "2", "-o", f"runs/{run}")
    said = place.type()
    assert (said.code, Path(said.last_line).read_bytes()[:5]) == (0, b"%PDF-")


def a_campaign_of_half_a_day(place: Place) -> None:
    said = place.type("--dry-run")
    assert said.code == 0
    assert "launches of each: 12" in said.out
    assert ("ranks: 17" in said.out) == ("-n 17" in place.command)
    assert "operation=bcast_segmented" in said.out
    assert "about 5.5 h" in said.out, "eleven half hours between twelve launches"


def another_programs_methods(place: Place) -> None:
    said = place.type("--launches", "1")
    assert said.code == 0
    assert "--style pmb" in said.out


def part_of_a_profile(place: Place) -> None:
    said = place.type("--launches", "1")
    assert said.code == 0
    run = load_run(said.last_line)
    found = {(point.operation, point.bytes, point.ranks) for point in summarise(run)}
    assert found == {("bcast", 8, 4), ("bcast", 65536, 4)}
    assert run.meta.style == "osu"


def every_option_exists(place: Place) -> None:
    known = place.groma("run", "--help").out
    for word in place.command.replace("[", " ").replace("]", " ").split():
        assert not word.startswith("-") or word in known
