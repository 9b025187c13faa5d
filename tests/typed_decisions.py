"""The commands of the pages that compare runs and gate them, typed and checked."""

from __future__ import annotations

from pathlib import Path

from fakes.libraries import abi_library
from typed_commands import Place


def two_runs_are_compared(place: Place) -> None:
    for name in ("before", "after"):
        place.groma("run", "bcast", "--bytes", "8", "--launches", "6", "-o", f"runs/{name}")
    said = place.type()
    assert said.code == 0
    assert said.out.startswith("after against before, 1 point: 0 slower, 0 faster, 1 the same within 5 %")


def variants_are_compared(place: Place) -> None:
    place.groma(
        "run", "bcast", "--bytes", "8", "--launches", "6", "--variant", "shared", "--variant", "tcp:X=1", "-o", "out"
    )
    assert place.type(run="out").out.startswith("tcp against shared, 1 point: ")


def operations_are_compared(place: Place) -> None:
    place.groma("run", "halo/sendrecv", "halo/all_at_once", "--bytes", "8", "--launches", "6", "-o", "out")
    assert place.type(run="out").out.startswith("halo/all_at_once against halo/sendrecv, 1 point: ")


def three_runs_are_kept(place: Place) -> None:
    for number in (1, 2, 3):
        place.groma("run", "bcast", "--bytes", "8", "--launches", "6", "-o", f"runs/{number}")
    assert place.type().code == 0
    assert "spring" in place.groma("baseline", "list").out


def baselines_are_listed(place: Place) -> None:
    place.groma("run", "bcast", "--bytes", "8", "--launches", "1", "-o", "out")
    place.groma("baseline", "set", "spring", "out")
    assert "spring" in place.type().out


def the_gate_ends_well(place: Place) -> None:
    place.groma("run", "bcast", "--bytes", "8", "--launches", "6", "-o", "out")
    place.groma("baseline", "set", "spring", "out")
    said = place.type()
    assert (said.code, said.out.startswith("No regression: ")) == (0, True)


def two_builds() -> tuple[Path, Path]:
    """Return the prefixes of two libraries that measure nothing."""
    good, new = (abi_library(Path(name).absolute()) for name in ("good", "new"))
    return good, new


def the_gate_in_turns_ends_well(place: Place) -> None:
    good, new = two_builds()
    said = place.type(**{"base=/opt/good,head=/opt/new": f"base={good},head={new}"})
    assert (said.code, said.out.startswith("No regression: none of 2 points is slower than base")) == (0, True), (
        said.err
    )


def the_gate_of_a_run_ends_well(place: Place) -> None:
    place.groma("run", "bcast", "--bytes", "8", "--variant", "shared", "--variant", "tcp:X=1", "-o", "out")
    assert place.type(run="out").code == 0


def a_bisection(place: Place) -> None:
    """Bisecting itself is tests/engine/test_gate_in_turns.py; here: the gate that the page has git run."""
    assert place.command.startswith(("git bisect start HEAD", "git bisect run groma gate allreduce"))
    if " run " in place.command:
        place.command = place.command.partition(" run ")[2]
        good, new = two_builds()
        stand_ins = {"base=/opt/good,head=/opt/new": f"base={good},head={new}", "make install": "true"}
        assert place.type(**stand_ins).code == 0


def a_history_is_told(place: Place) -> None:
    for number in (1, 2, 3):
        place.groma("run", "bcast", "--bytes", "8", "--launches", "6", "-o", f"runs/{number}")
    said = place.type()
    assert said.code == 0
    assert "  3 runs, " in said.out
    assert "no change in 1 series." in said.out


def a_history_is_a_page(place: Place) -> None:
    a_history_is_told(place)
    assert "<h1>History</h1>" in Path("history.html").read_text()


def the_last_stretch_is_kept(place: Place) -> None:
    for number in (1, 2, 3):
        place.groma("run", "bcast", "--bytes", "8", "--launches", "6", "-o", f"runs/{number}")
    said = place.type()
    assert said.code == 0, said.err
    assert "in a history without a change" in said.err
    assert "month" in place.groma("baseline", "list").out


def a_first_file_of_limits(place: Place) -> None:
    for number in (1, 2, 3):
        place.groma("run", "bcast", "--bytes", "8", "--launches", "8", "-o", f"runs/{number}")
    assert place.type().last_line == "limits.toml"
    assert 'operation = "bcast"' in Path("limits.toml").read_text()


def _limits(place: Place) -> None:
    """Write limits for the fake engine's time of a point that the profile quick has too."""
    Path("limits.toml").write_text(
        'limit = [{operation = "pingpong", bytes = 8, value = 1e6, upper = 0.1, unit = "us"}]\n'
    )
    place.groma("run", "pingpong", "--bytes", "8", "--launches", "8", "-o", "out")


def limits_are_checked(place: Place) -> None:
    _limits(place)
    assert place.type().out == "limits.toml: 1 limit (every system: 1).\n"


def limits_are_kept(place: Place) -> None:
    _limits(place)
    said = place.type(run="out")
    assert said.code == 0, said.err
    assert "Within limits: " in said.out + said.err
