"""The commands of the pages that compare runs and gate them, typed and checked."""

from __future__ import annotations

import shlex
from pathlib import Path

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


def a_run_to_be_kept(place: Place) -> None:
    run, _ = place.document(place.type())
    assert run == Path("runs/good")


def the_run_is_kept(place: Place) -> None:
    place.groma("run", "bcast", "--bytes", "8", "--launches", "1", "-o", "runs/good")
    assert place.type().code == 0
    assert "good" in place.groma("baseline", "list").out


def a_bisection(place: Place) -> None:
    """Bisecting itself is tests/unit/test_gate.py; here: the gate that the page has git run, with another build."""
    assert place.command.startswith(("git bisect start HEAD", "git bisect run groma gate good --bisect"))
    if " run " in place.command:
        place.groma("run", "allreduce", "--bytes", "8", "--launches", "6", "-o", "runs/good")
        place.groma("baseline", "set", "good", "runs/good")
        _, *words = shlex.split(place.command.partition(" run ")[2])
        assert place.groma(*["true" if word.startswith("cmake") else word for word in words]).code == 0


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
