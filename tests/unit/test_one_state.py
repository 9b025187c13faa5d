"""Separate runs on a machine that changes between launches: what is compared, and when a gate decides."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from edited_records import write_records
from fakes import Groma
from planted_runs import QUIET, change_records, made

from groma.analysis.machinestate import MachineState, machine_states
from groma.analysis.summary import summarise
from groma.analysis.validity import checks
from groma.decide import Side, compare_sides
from groma.results import load_run

STEADY = replace(QUIET, launch_effect=0.004)
NEAR_NS, FAR_NS, FAR_COSTS = 31.0, 150.0, 2.0
ALL = range(1, STEADY.launches + 1)


def apart(folder: str, seed: int, far: Collection[int], slower: dict[str, float] | None = None) -> Path:
    """Make a run of which some launches had their CPUs far from each other: everything takes twice as long in them."""
    run = made(Path(folder), seed, STEADY, slower)
    for number in ALL:
        file = run / f"launches/{number:03}/points.jsonl"
        records = [json.loads(line) for line in file.read_text().splitlines()]
        for record in records:
            _place(record, far=number in far)
        write_records(file, records)
    return run


def _place(record: dict[str, Any], *, far: bool) -> None:
    if record["kind"] == "start":
        record["limits"]["line_bounce_ns"] = FAR_NS if far else NEAR_NS
    elif record["kind"] == "point" and far:
        record["samples_ns"] = [round(FAR_COSTS * sample) for sample in record["samples_ns"]]


@pytest.fixture
def base(groma: Groma) -> Groma:
    """A baseline of three runs: all near, two launches far, all near."""
    for seed, far in ((1, ()), (2, (3, 4)), (3, ())):
        apart(f"kept/{seed}", seed, far)
    assert groma("baseline", "set", "base", "kept/1", "kept/2", "kept/3").code == 0
    return groma


@pytest.mark.parametrize(
    ("times_ns", "states"),
    [
        ([], []),
        ([60.0], [(60.0, 60.0)]),
        ([90.0, 60.0, 75.0], [(60.0, 90.0)]),
        ([150.0, 31.0, 33.0, 169.0, 46.0], [(31.0, 46.0), (150.0, 169.0)]),
        ([31.0, 80.0, 150.0], [(31.0, 31.0), (80.0, 80.0), (150.0, 150.0)]),
        ([40.0, 58.0, 62.0, 70.0, 86.0], [(40.0, 40.0), (58.0, 86.0)]),
        ([58.0, 62.0, 70.0, 100.0, 230.0], [(58.0, 70.0), (100.0, 100.0), (230.0, 230.0)]),
    ],
)
def test_a_state_holds_the_most_times_of_which_none_is_half_as_long_again(
    times_ns: list[float], states: list[tuple[float, float]]
) -> None:
    assert machine_states(times_ns) == [MachineState(*state) for state in states]


def test_the_page_says_that_its_curves_have_all_launches(base: Groma) -> None:
    apart("new/run", 9, ALL[:4])
    assert base("compare", "base", "new/run", "--report", "page.html").code == 0
    said = " ".join(Path("page.html").read_text().split())
    assert "bands are the intervals of each side's own launches, including those that are not compared." in said


def test_launches_with_far_cpus_are_left_out(base: Groma) -> None:
    """Four of ten launches were far, and everything takes twice as long in them."""
    apart("new/run", 9, ALL[:4])
    said = base("gate", "base", "new/run")
    assert said.code == 0, said.out
    assert (
        "Core-to-core latency was 31 to 150 ns: the machine was in several states. Only the 238 of 280 launch figures "
        "with 31 to 31 ns are compared." in said.out
    )


def test_a_regression_is_found_in_the_launches_that_are_left(base: Groma) -> None:
    """The machine changed within the run, which makes a gate advisory only where its states are mixed."""
    path = apart("new/run", 9, ALL[:4], {"allreduce": 1.3})
    said = base("gate", "base", "new/run")
    assert said.code == 4, said.out
    assert said.out.startswith("Regression: 3 points slower than base")
    assert said_of_lines(path)[0] == "warn"


@pytest.mark.parametrize(("slower", "code"), [({}, 0), ({"allreduce": 30.0}, 4)])
def test_few_launches_in_a_state_are_compared_where_runs_show_the_spread(
    groma: Groma, slower: dict[str, float], code: int
) -> None:
    """Five of ten launches of the only run of the baseline were in the state that all runs share."""
    apart("kept/1", 1, ALL[5:])
    assert groma("baseline", "set", "base", "kept/1").code == 0
    for seed in (9, 10, 11):
        apart(f"new/{seed}", seed, (), slower)
    said = groma("gate", "base", "new/9", "new/10", "new/11")
    assert said.code == code, said.out
    assert "Only the 245 of 280 launch figures with 31 to 31 ns are compared." in said.out


@pytest.mark.one_case
@pytest.mark.parametrize("slower", [{}, {"allreduce": 1.3}])
def test_runs_in_other_states_decide_nothing(groma: Groma, slower: dict[str, float]) -> None:
    for seed in (1, 2, 3):
        apart(f"kept/{seed}", seed, ())
    assert groma("baseline", "set", "base", "kept/1", "kept/2", "kept/3").code == 0
    apart("new/run", 9, ALL[1:], slower)
    said = groma("gate", "base", "new/run")
    assert said.code == 125
    assert said.out.startswith("Not decided: 7 points may be slower than base")
    assert "7 points: 0 slower, 0 faster, 0 the same within 5 %, 0 not decided, 7 in another state of the machine." in (
        said.out
    )
    assert (
        "7 points cannot be compared, since the machine was in another state: core-to-core latency was 31 to 31 ns in "
        "base, and 31 to 150 ns in run." in said.out
    )
    assert groma("gate", "base", "new/run", "--strict").code == 125


def test_the_state_that_most_runs_share_is_compared(groma: Groma) -> None:
    for seed, far in ((1, ALL), (2, ALL[:5]), (3, ALL[2:])):
        apart(f"kept/{seed}", seed, far)
    assert groma("baseline", "set", "base", "kept/1", "kept/2", "kept/3").code == 0
    apart("new/run", 9, ALL[:6])
    said = groma("gate", "base", "new/run")
    assert said.code == 0
    assert "Only the 203 of 280 launch figures with 150 to 150 ns are compared." in said.out


def figures(first: str, second: str) -> tuple[float, float]:
    """Return both sides' times of the first point, as they are compared and shown."""
    compared = compare_sides(Side("first", [load_run(first)]), Side("second", [load_run(second)]))
    return compared.rows[0].times_ns


def of_launches(path: str, numbers: Collection[int]) -> float:
    """Return the median of some launches' figures of the first point."""
    point = summarise(load_run(path))[0]
    return float(np.median(point.launch_times_ns[np.isin(point.rows.launch_numbers, list(numbers))]))


@pytest.mark.usefixtures("groma")
def test_two_runs_show_the_medians_of_what_is_compared() -> None:
    apart("one", 1, ALL[:6])
    apart("two", 2, ())
    shown = figures("one", "two")
    assert shown == pytest.approx((of_launches("one", ALL[6:]), of_launches("two", ALL)), rel=1e-3)
    assert of_launches("one", ALL) > 1.5 * shown[0], "all launches together would show something else"


def said_of_lines(path: Path) -> tuple[str, str]:
    """Return the state of the check of the machine, and what it says of the latency."""
    run = load_run(path)
    (check,) = (check for check in checks(run, summarise(run)) if check.name == "machine")
    before, _, said = check.text.partition("Core-to-core latency ")
    assert not before
    return check.state, said


def moved(path: Path, far: Collection[int], mixed: Collection[int] = ()) -> None:
    """Give every second point of a run readings of its own: its CPUs were far in some launches, or moved meanwhile."""
    for number in ALL:
        file = path / f"launches/{number:03}/points.jsonl"
        records = [json.loads(line) for line in file.read_text().splitlines()]
        for record in records:
            if record["kind"] == "point":
                is_far = number in far and record["index"] % 2 == 1
                _place(record, far=is_far)
                between = (NEAR_NS, FAR_NS) if number in mixed else ((FAR_NS,) * 2 if is_far else (NEAR_NS,) * 2)
                record["line_ns"] = list(between)
        write_records(file, records)


@pytest.mark.usefixtures("groma")
def test_readings_around_a_point_count_more_than_that_of_its_launch() -> None:
    """All launches began near; every second point of four of them was far, and two launches moved meanwhile."""
    first, second = (apart(name, seed, ()) for name, seed in (("one", 1), ("two", 2)))
    moved(first, ())
    moved(second, ALL[:4], ALL[4:6])
    compared = compare_sides(Side("one", [load_run(first)]), Side("two", [load_run(second)]))
    points = len(compared.rows)
    figures = 2 * len(ALL) * points
    left = figures - 4 * (points // 2) - 2 * points
    assert compared.states is not None
    assert f"Only the {left} of {figures} launch figures with 31 to 31 ns are compared." in compared.states.words
    assert compared.states.one_state
    for row in compared.rows:
        assert row.ratio == pytest.approx(1, abs=0.1), row.label
        assert row.judged.comparison.shift.launches <= 8, "two launches of the second run are mixed"


@pytest.mark.usefixtures("groma")
@pytest.mark.parametrize(
    ("far", "mixed"),
    [(ALL[:4], ALL[4:6]), ((), ALL[:1]), ((), ALL)],
)
def test_a_machine_that_changes_within_launches_is_named(far: Collection[int], mixed: Collection[int]) -> None:
    path = apart("one", 1, ())
    moved(path, far, mixed)
    points = len(summarise(load_run(path)))
    slow = f"{len(far) * (points // 2) + len(mixed) * points} of {len(ALL) * points} launch figures in the slow one."
    assert said_of_lines(path) == ("warn", f"had two states, 31 ns and 150 ns; {slow}")


@pytest.mark.usefixtures("groma")
def test_a_single_reading_that_was_disturbed_is_said_and_no_reservation() -> None:
    path = apart("one", 1, ())
    file = path / "launches/001/points.jsonl"
    records = [json.loads(line) for line in file.read_text().splitlines()]
    next(record for record in records if record["kind"] == "point")["line_ns"] = [NEAR_NS, 3032.0]
    write_records(file, records)
    slow = f"1 of {len(ALL) * len(summarise(load_run(path)))} launch figures in the slow one."
    assert said_of_lines(path) == ("good", f"had two states, 31 ns and 3032 ns; {slow}")


@pytest.mark.usefixtures("groma")
def test_a_launch_that_began_slow_but_measured_nothing_so_is_no_reservation() -> None:
    path = apart("one", 1, ())

    def began_slow(record: dict[str, Any]) -> None:
        if record["kind"] == "start":
            record["limits"]["line_bounce_ns"] = FAR_NS
        elif record["kind"] == "point":
            record["line_ns"] = [NEAR_NS, NEAR_NS]

    change_records(path, began_slow)
    assert said_of_lines(path) == ("good", "31 ns in all launches.")


def test_a_point_without_a_common_state_leaves_a_gate_undecided(base: Groma) -> None:
    new = apart("new/run", 9, ())
    moved(new, ALL)
    said = base("gate", "base", "new/run")
    assert said.code == 125
    assert said.out.startswith("Not decided: 3 points may be slower than base")
    assert said.out.count("cannot tell: the machine was in another state") == 3 + 3
    assert "3 points cannot be compared, since the machine was in another state" in said.out


def without_reading(record: dict[str, Any]) -> None:
    if record["kind"] == "start":
        record["limits"]["line_bounce_ns"] = None


@pytest.mark.parametrize("change", [None, without_reading])
def test_a_machine_in_one_state_has_nothing_to_be_said(groma: Groma, change: Callable[[dict[str, Any]], None]) -> None:
    for name, seed in (("one", 1), ("two", 2)):
        run = made(Path(name), seed, STEADY)
        if change is not None:
            change_records(run, change)
    said = groma("compare", "one", "two")
    assert said.code == 0
    assert "state" not in said.out


def test_earlier_runs_show_the_spread_of_the_same_state(groma: Groma) -> None:
    """Three earlier runs beside the two, each half near, half far: their near launches alone count."""
    for seed in (1, 2, 3):
        apart(f"runs/{seed}", seed, ALL[5:])
    apart("runs/four", 4, ())
    apart("runs/five", 5, (1, 2), {"allreduce": 1.3})
    said = groma("compare", "runs/four", "runs/five")
    assert "3 slower" in said.out
    assert "in these runs" not in said.out
