"""The cost of anti-patterns: known costs lie in their intervals, and no cost is found where there is none."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from edited_records import write_records
from planted_points import planted
from synthetic import Scenario, make_run

from groma.analysis import PointSummary, summarise
from groma.analysis.advice.costs import costs
from groma.analysis.advice.placement import best_placements
from groma.analysis.advice.text import costs_table, describe, sentences
from groma.analysis.compare import Paired, compare_points
from groma.results import load_run

SCENARIO = Scenario(launches=10, samples=80, operations=("pingpong", "bcast"), sizes=(8, 1024), outliers=0.0)
Change = Callable[[dict[str, Any]], float]


def with_twins(path: Path, scenario: Scenario, twin: dict[str, Any], operation: str, change: Change) -> Path:
    """Give every point of `operation` a twin with other fields, whose times are those that `change` makes of them."""
    run = make_run(path / "run", scenario)
    random = np.random.default_rng(scenario.seed)
    for records in run.glob("launches/*/points.jsonl"):
        lines: list[dict[str, Any]] = []
        for record in map(json.loads, records.read_text().splitlines()):
            if record["kind"] == "point":
                record["point"].setdefault("layout", "contiguous")
            lines.append(record)
            if record["kind"] == "point" and record["point"]["operation"] == operation:
                factor = change(record) * random.normal(1, 0.01, len(record["samples_ns"]))
                times = np.rint(np.array(record["samples_ns"]) * factor).astype(int).tolist()
                place = {"index": record["index"] + 100, "point": record["point"] | twin}
                lines.append(record | place | {"samples_ns": times})
        write_records(records, lines)
    return run


def adds_ns(amount: float) -> Change:
    """Return the factor that adds this to one figure of a record."""

    def factor(record: dict[str, Any]) -> float:
        per_figure = record["repetitions_per_sample"] * record["divisor"]
        return float(1 + amount * per_figure / np.median(record["samples_ns"]))

    return factor


def summaries_of(path: Path) -> list[PointSummary]:
    return summarise(load_run(path))


def test_a_planted_delay_comes_back_as_ratio_and_difference(tmp_path: Path) -> None:
    twin = {"operation": "pingpong_any_source"}
    found = costs(summaries_of(with_twins(tmp_path, SCENARIO, twin, "pingpong", adds_ns(2000))))
    assert [cost.rule.name for cost in found] == ["any source", "any source"]
    for cost in found:
        comparison = cost.comparison
        assert cost.anti_pattern.operation == "pingpong_any_source"
        assert cost.instead.operation == "pingpong"
        assert comparison.difference_ns == pytest.approx(2000, rel=0.05)
        assert comparison.difference_interval is not None
        assert 2000 in comparison.difference_interval
        assert comparison.ratio == pytest.approx(1 + 2000 / cost.instead.time_ns, rel=0.03)
        assert cost.verdict == "slower"
    table = costs_table(found)
    assert {len(row) for row in table.rows} == {len(table.headings)}
    assert "significant in 2 of 2" in sentences(found)[0].lower()


def test_an_anti_pattern_without_a_cost_is_not_blamed(tmp_path: Path) -> None:
    twin = {"layout": "vector"}
    found = costs(summaries_of(with_twins(tmp_path, SCENARIO, twin, "bcast", lambda _: 1.0)))
    assert [(cost.rule.name, cost.verdict) for cost in found] == 2 * [("vector type", "same")]
    assert sentences(found) == ["No cost, the times are the same within 3 %: vector type."]


def test_an_anti_pattern_that_is_faster_is_said_to_be_faster(tmp_path: Path) -> None:
    found = costs(summaries_of(with_twins(tmp_path, SCENARIO, {"layout": "vector"}, "bcast", lambda _: 0.5)))
    assert [cost.verdict for cost in found] == 2 * ["faster"]
    (sentence,) = sentences(found)
    assert sentence.startswith("vector type: faster than the advised alternative, down to ")
    assert "Significant in 2 of 2 comparisons" in sentence


def test_what_slows_a_launch_down_is_in_no_ratio(tmp_path: Path) -> None:
    wild = replace(SCENARIO, launch_effect=0.3, jitter=0.01)
    twin = {"operation": "pingpong_any_source"}
    found = costs(summaries_of(with_twins(tmp_path, wild, twin, "pingpong", lambda _: 1.2)))
    for cost in found:
        interval = cost.comparison.interval
        assert interval is not None
        assert 1.2 in interval
        assert interval.high / interval.low < 1.05, "launches differ by 30 %, and both points with them"


def test_points_of_different_launches_are_compared_too(tmp_path: Path) -> None:
    summaries = summaries_of(make_run(tmp_path / "run", SCENARIO))
    one, other = (point for point in summaries if point.operation == "bcast")
    apart = planted(other, launches=[planted(launch, launch=launch.launch + 50) for launch in other.launches])
    together, separate = compare_points(one, other), compare_points(one, apart)
    assert separate.ratio == pytest.approx(together.ratio, rel=0.05), (
        "one is of two samples, the other of ratios within launches"
    )
    assert isinstance(together.shift, Paired)
    assert not separate.is_paired
    assert separate.interval is not None
    assert separate.launches == len(one.launches)


@pytest.mark.slow
def test_equal_points_are_different_in_about_one_of_twenty(tmp_path: Path) -> None:
    (point, *_) = summaries_of(make_run(tmp_path / "run", SCENARIO))
    random = np.random.default_rng(5)

    def drawn() -> PointSummary:
        figures = random.normal(1000, 30, len(point.launches))
        return planted(
            point,
            launches=[
                planted(launch, figure_ns=figure) for launch, figure in zip(point.launches, figures, strict=True)
            ],
        )

    found = [compare_points(drawn(), drawn()).p for _ in range(200)]
    low = sum(p is not None and p < 0.05 for p in found)
    assert 2 <= low <= 20, "binomial: outside this once in a few hundred"


def test_one_launch_says_nothing(tmp_path: Path) -> None:
    scenario = replace(SCENARIO, launches=1)
    (cost, *_) = costs(
        summaries_of(with_twins(tmp_path, scenario, {"operation": "pingpong_any_source"}, "pingpong", lambda _: 2.0))
    )
    assert cost.comparison.ratio == pytest.approx(2, rel=0.02)
    assert (cost.comparison.interval, cost.comparison.p, cost.verdict) == (None, None, "not decided")


def test_what_is_not_decided_says_how_many_launches_would(tmp_path: Path) -> None:
    scenario = replace(SCENARIO, launches=5)
    found = costs(summaries_of(with_twins(tmp_path, scenario, {"layout": "vector"}, "bcast", lambda _: 1.2)))
    assert {cost.verdict for cost in found} == {"not decided"}
    (said,) = sentences(found)
    assert re.fullmatch(
        r"Not decided: vector type\. About (\d+) launches of each would decide all of them: "
        r"groma run --resume RUN --launches \1\.",
        said,
    )


def test_an_interval_beyond_the_margin_without_a_verdict_is_explained(tmp_path: Path) -> None:
    """Each of four comparisons over seven launches is significant alone, and none after Holm's correction."""
    scenario = replace(SCENARIO, launches=7, sizes=(8, 64, 512, 1024))
    found = costs(summaries_of(with_twins(tmp_path, scenario, {"layout": "vector"}, "bcast", lambda _: 1.2)))
    assert all(cost.comparison.interval is not None and cost.comparison.interval.low > 1.1 for cost in found)
    assert {row[3] for row in costs_table(found).rows} == {"not decided (alone: slower)"}
    (said,) = sentences(found)
    assert said.startswith("Not decided: vector type. 4 of 4 comparisons would differ alone, not among all.")


@pytest.mark.parametrize(("number", "said"), [(1, "1 target"), (2, "2 targets")])
def test_one_target_is_no_plural(tmp_path: Path, number: int, said: str) -> None:
    (point, *_) = summaries_of(make_run(tmp_path / "run", SCENARIO))
    other = planted(point, point=point.point | {"operation": "targets", "targets": number})
    assert describe(other).split(", ")[-1] == said


def test_the_best_number_of_ranks_per_node_counts_the_work_of_the_node(tmp_path: Path) -> None:
    (point, *_) = (one for one in summaries_of(make_run(tmp_path / "run", SCENARIO)) if one.operation == "bcast")
    few = planted(point, point=point.point | {"operation": "targets", "ranks_per_node": 2}, member_count=2)
    slower = [planted(launch, figure_ns=1.5 * launch.figure_ns) for launch in point.launches]
    many = planted(
        point,
        point=point.point | {"operation": "targets", "ranks_per_node": 4},
        member_count=4,
        time_ns=1.5 * point.time_ns,
        launches=slower,
    )
    (best,) = best_placements([few, many])
    assert best.point is many, "half as long again for twice the messages"
    assert best.worst_point is few
    assert best.worst.ratio == pytest.approx(2 / 1.5)


def test_numbers_of_ranks_that_take_turns_are_compared_within_rounds(tmp_path: Path) -> None:
    (point, *_) = (one for one in summaries_of(make_run(tmp_path / "run", SCENARIO)) if one.operation == "bcast")
    slowness = np.exp(np.random.default_rng(2).normal(0, 0.2, len(point.launches)))

    def turn(ranks: int, place: int, factor: float) -> PointSummary:
        launches = [
            planted(launch, launch=2 * at + place, figure_ns=1000 * factor * slow)
            for at, (launch, slow) in enumerate(zip(point.launches, slowness, strict=True))
        ]
        fields = point.point | {"operation": "targets", "ranks_per_node": ranks}
        return planted(point, point=fields, member_count=ranks, launches=launches)

    (best,) = best_placements([turn(2, 1, 1.0), turn(4, 2, 1.8)], round_length=2)
    assert best.worst.is_paired
    assert best.alike == ()
    assert best.worst.interval is not None
    assert best.worst.interval.low == pytest.approx(2 / 1.8), "what slows a round down is in no ratio"
