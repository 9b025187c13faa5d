"""Costs and best placements as rows of text: for the terminal and for the page alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from groma.analysis import PointSummary
from groma.analysis.advice.costs import MARGIN, Cost, Rule
from groma.analysis.advice.placement import Best, RankPlacements, ranks_per_node, verdicts
from groma.analysis.grouping import relevant_fields
from groma.analysis.order import Interval
from groma.analysis.remedies import further_launches
from groma.text.counts import counted
from groma.text.numbers import DASH, TIMES, significant
from groma.text.sizes import format_size
from groma.text.tables import Table

_COST_HEADINGS = ("anti-pattern", "instead", "at", "verdict", "ratio", "95% interval", "costs µs", "95% interval", "p")
_BEST_HEADINGS = ("figure", "best", "as good", "worst", "costs", "95% interval")
_RATIO_DIGITS = 3
# Fields that distinguish points of one operation, and their wording.
_DISTINGUISHING: dict[str, Callable[[Any], str]] = {
    "pattern": str,
    "communicator": "communicator {}".format,
    "ranks_per_node": "{} per node".format,
    "window": "window {}".format,
    "targets": lambda number: counted(number, "target"),
    "dimensions": "{}-D".format,
    "layout": str,
    "receive_offset": "offset {}".format,
}
_USUAL = {"pattern": ("all", "first_two"), "communicator": ("world", "copy"), "ranks_per_node": (0,),
          "layout": ("contiguous",), "receive_offset": (1088,)}  # fmt: skip


_FREE = {
    "ranks per node": ("ranks", "ranks_per_node"),
    "placement": ("pattern",),
    "rank placement": ("variant",),
}


def costs_table(costs: list[Cost], notes: Sequence[str] = ()) -> Table:
    """Return a row for every cost."""
    rows = [
        (
            f"{cost.rule.name}: {_short(cost.anti_pattern, cost.rule, 'anti-pattern')}",
            _short(cost.instead, cost.rule, "instead"),
            describe(cost.instead, leave_out=(*cost.rule.anti_pattern, *cost.rule.instead)),
            _verdict(cost),
            significant(cost.comparison.ratio, _RATIO_DIGITS),
            _interval(cost.comparison.interval, 1.0),
            _signed(cost.comparison.difference_ns),
            _interval(cost.comparison.difference_interval, 1e-3),
            DASH if cost.judged.p is None else f"{cost.judged.p:.2g}",
        )
        for cost in costs
    ]
    return Table("The cost of ignoring advice", _COST_HEADINGS, rows, list(notes))


def placements_table(title: str, choices: list[Best]) -> Table:
    """Return a row for every figure with several placements."""
    rows = [
        (
            f"{best.point.operation} {describe(best.point, leave_out=_FREE[best.choice])}".strip(),
            _chosen(best, best.point),
            _others(best) or DASH,
            _chosen(best, best.worst_point, short=True),
            f"{significant(best.worst.ratio, _RATIO_DIGITS)}{TIMES}",
            _interval(best.worst.interval, 1.0),
        )
        for best in choices
    ]
    return Table(title, _BEST_HEADINGS, rows)


def sentences(costs: list[Cost]) -> list[str]:
    """Say what each anti-pattern costs at most, if significant, and which are faster than the advice.

    Anti-patterns that cost nothing come last.
    """
    lines = []
    free: list[str] = []
    undecided_rules: dict[str, list[Cost]] = {}
    for name in dict.fromkeys(cost.rule.name for cost in costs):
        of_rule = [cost for cost in costs if cost.rule.name == name]
        slower = [cost for cost in of_rule if cost.verdict == "slower"]
        faster = [cost for cost in of_rule if cost.verdict == "faster"]
        if faster:
            lines.append(_faster_sentence(name, faster, len(of_rule)))
        if not slower:
            undecided = [cost for cost in of_rule if cost.verdict == "not decided"]
            if undecided:
                undecided_rules[name] = undecided
            elif not faster:
                free.append(name)
            continue
        worst = max(slower, key=lambda cost: cost.comparison.ratio)
        lines.append(
            f"{name}: up to {significant(worst.comparison.ratio, _RATIO_DIGITS)} times the time "
            f"({worst.anti_pattern.operation}, {describe(worst.instead, leave_out=tuple(worst.rule.anti_pattern))}); "
            f"{worst.rule.advice}. Significant in {len(slower)} of {counted(len(of_rule), 'comparison')}."
        )
    if free:
        lines.append(f"No cost, the times are the same within {100 * MARGIN:.0f} %: {', '.join(free)}.")
    if undecided_rules:
        further = further_launches(cost.judged for costs in undecided_rules.values() for cost in costs)
        alone = sum(_differs_alone(cost) for cost in costs)
        known = [f"{alone} of {counted(len(costs), 'comparison')} would differ alone, not among all."] if alone else []
        lines.append(" ".join([f"Not decided: {', '.join(undecided_rules)}.", *known, *further]))
    return lines


def placement_sentences(placements: RankPlacements) -> list[str]:
    """Say how often every placement of the ranks does best, what it costs at worst, and which are the same."""
    lines = []
    judged = sorted(verdicts(placements.best).items(), key=lambda item: -item[1][0])
    for name, (good, worst) in judged:
        sentence = f"{name}: best, or tied with the best, in {good} of {counted(len(placements.best), 'figure')}"
        if worst is not None:
            figure = f"{worst.point.operation} {describe(worst.point, leave_out=_FREE[worst.choice])}"
            sentence += f"; costs up to {significant(worst.worst.ratio, _RATIO_DIGITS)} times the time ({figure})"
        lines.append(f"{sentence}.")
    lines += [
        f"{name} put all {counted(ranks, 'rank')} in the same places as {first}: the two are not compared."
        for name, first, ranks in placements.alike
    ]
    return lines


def _verdict(cost: Cost) -> str:
    return f"{cost.verdict} (alone: {cost.judged.alone})" if _differs_alone(cost) else cost.verdict


def _differs_alone(cost: Cost) -> bool:
    """Return whether its own interval is beyond the margin, though a difference may be chance among all."""
    return cost.verdict == "not decided" and cost.judged.alone in {"slower", "faster"}


def _faster_sentence(name: str, faster: list[Cost], compared: int) -> str:
    best = min(faster, key=lambda cost: cost.comparison.ratio)
    return (
        f"{name}: faster than the advised alternative, down to {significant(best.comparison.ratio, _RATIO_DIGITS)} "
        f"times the time ({best.anti_pattern.operation}, "
        f"{describe(best.instead, leave_out=tuple(best.rule.anti_pattern))}). Significant in {len(faster)} of "
        f"{counted(compared, 'comparison')}."
    )


def describe(point: PointSummary, leave_out: tuple[str, ...] = ()) -> str:
    """Return what distinguishes this point from others of its operation: size, ranks and unusual settings."""
    words = [] if point.bytes is None else [format_size(point.bytes)]
    if "ranks" not in leave_out:
        words.append(counted(point.member_count if "communicator" not in leave_out else point.ranks, "rank"))
    used = relevant_fields(point.point)
    for name, form in _DISTINGUISHING.items():
        value = used.get(name)
        if value is None or name in leave_out or value in _USUAL.get(name, ()):
            continue
        words.append(form(value))
    if point.variant is not None and "variant" not in leave_out:
        words.append(point.variant)
    return ", ".join(words)


def _short(point: PointSummary, rule: Rule, side: str) -> str:
    """Return the operation, and the setting that the rule is about if that is not the operation."""
    fields = rule.anti_pattern if side == "anti-pattern" else rule.instead
    settings = [f"{name}={value}" for name, value in fields.items() if name != "operation"]
    return " ".join([point.operation, *settings])


def _others(best: Best) -> str:
    """Return the choices that are tied with the best, each once."""
    best_name = _chosen(best, best.point, short=True)
    names = dict.fromkeys(_chosen(best, point, short=True) for point in best.alike)
    return ", ".join(name for name in names if name != best_name)


def _chosen(best: Best, point: PointSummary, short: bool = False) -> str:
    if best.choice == "placement":
        return str(point.point["pattern"])
    if best.choice == "rank placement":
        return str(point.variant)
    count = f"{ranks_per_node(point):g}"
    return count if short else f"{count} per node"


def _interval(interval: Interval | None, factor: float) -> str:
    if interval is None:
        return DASH
    low, high = (_plain(bound * factor) for bound in (interval.low, interval.high))
    return f"{low} to {high}"


def _signed(difference_ns: float) -> str:
    return ("+" if difference_ns > 0 else "") + _plain(difference_ns / 1e3)


def _plain(value: float) -> str:
    return significant(value, _RATIO_DIGITS)
