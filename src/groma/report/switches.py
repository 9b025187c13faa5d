"""Sentences about curves: the lines that describe them, where the protocol changes, and which sizes a run added."""

from __future__ import annotations

from collections import defaultdict

from groma.analysis import Series
from groma.analysis.models import Line
from groma.analysis.protocol import PROBE, Bracket, Jump, bracket, eager_bracket, fit_without, jumps, waits
from groma.results import Run
from groma.text.numbers import microseconds, significant
from groma.text.sizes import format_size

# The operations whose messages go as those of `delayed_receiver` do: MPI_Send and MPI_Isend between two ranks.
_PROBED = ("pingpong", "pingpong_isend", "pingpong_irecv", "pingpong_any_source")
_MOST_REASONS = 3


def model_sentences(run: Run, curves: list[Series]) -> list[str]:
    """Say of every curve which line, or which segments, describe it, and where its protocol changes."""
    sentences = []
    for curve in curves:
        if not curve.has_sizes or curve.operation.name == PROBE:
            continue
        times_ns, added = _times(curve), _added(run, curve)
        model = fit_without(times_ns, added)
        if model is None:
            continue
        if model.one_line:
            sentences.append(f"{curve.label}: {_line(model.line)}.")
        else:
            ranges = [f"{format_size(line.first)} to {format_size(line.last)}" for line in model.segments]
            segments = "; ".join(f"{own}: {_line(line)}" for own, line in zip(ranges, model.segments, strict=True))
            off = f"no single line fits, it would be off by {100 * model.line.max_error:.0f} %"
            sentences.append(f"{curve.label}: {off}. {segments}.")
        sentences += _switches(curve, curves, jumps(times_ns, added))
    return sentences


def addition_sentences(run: Run) -> list[str]:
    """Say which sizes were added to the plan's, and why the first of each operation were."""
    by_operation = defaultdict(list)
    for addition in run.meta.refinement.added:
        point = run.meta.plan.points[addition.index]
        by_operation[str(point["operation"]), addition.ranks].append((int(point["bytes"]), addition.reason))
    sentences = []
    for (operation, ranks), added in by_operation.items():
        reasons = list(dict.fromkeys(reason for _, reason in added))
        more = f" ({len(reasons) - _MOST_REASONS} more reasons in run.json)" if len(reasons) > _MOST_REASONS else ""
        sizes = f"{min(size for size, _ in added)} B to {max(size for size, _ in added)} B"
        listed = "; ".join(reasons[:_MOST_REASONS])
        sentences.append(f"{operation}, {ranks} ranks: {len(added)} sizes from {sizes}. {listed}{more}.")
    return sentences


def _switches(curve: Series, curves: list[Series], jumps: list[Jump]) -> list[str]:
    """Say where the curve jumps, and whether sends to a late receiver change there from eager to waiting."""
    probe = next((candidate for candidate in curves if _is_probe_of(candidate, curve)), None)
    sends = _times(probe) if probe is not None else {}
    eager = eager_bracket(sends)
    sentences = [_jump(curve, jump, eager) for jump in jumps]
    if not sends:
        return sentences
    if eager is None:
        which = "waits for the receiver" if all(map(waits, sends.values())) else "is eager"
        sizes = f"{min(sends)} B to {max(sends)} B"
        return [*sentences, f"{curve.label}: every send of {sizes} {which} (delayed receiver)."]
    if not any(_overlap(jump.bracket, eager) for jump in jumps):
        sentence = f"{_changes(eager)} (delayed receiver); the time does not jump there"
        sentences.append(f"{curve.label}: {sentence}.")
    if bracket({-size: not waits(time) for size, time in sends.items()}) != Bracket(-eager.above, -eager.below):
        sentences.append(
            f"{curve.label}: some larger sends were eager again; the switch is at the smallest that waited."
        )
    return sentences


def _jump(curve: Series, jump: Jump, eager: Bracket | None) -> str:
    size = f"{100 * jump.ratio:+.0f} %"
    if eager is not None and _overlap(jump.bracket, eager):
        is_eager = jump.bracket == eager
        agrees = "delayed receiver agrees" if is_eager else f"the times jump between {_sizes(jump.bracket)}"
        return f"{curve.label}: {_changes(eager)} ({agrees}); the time jumps by {size}."
    return f"{curve.label}: the time jumps by {size} between {_sizes(jump.bracket)}."


def _changes(bracket: Bracket) -> str:
    return f"eager up to {bracket.below} B, rendezvous from {bracket.above} B"


def _sizes(bracket: Bracket) -> str:
    return f"{bracket.below} B and {bracket.above} B"


def _overlap(first: Bracket, second: Bracket) -> bool:
    return first.below < second.above and second.below < first.above


def _is_probe_of(candidate: Series, curve: Series) -> bool:
    if candidate.operation.name != PROBE or curve.operation.name not in _PROBED:
        return False
    probe, point = candidate.points[0], curve.points[0]
    alike = all(probe.point.get(name) == point.point.get(name) for name in ("pattern", "communicator", "datatype"))
    return alike and probe.ranks == point.ranks


def _times(curve: Series) -> dict[int, float]:
    return {point.bytes: point.time_ns for point in curve.points if point.bytes is not None and point.time_ns > 0}


def _added(run: Run, curve: Series) -> set[int]:
    """Return the sizes that were added to narrow a switch of this curve's operation."""
    plan = run.meta.plan.points
    own = [plan[addition.index] for addition in run.meta.refinement.added if addition.purpose == "switch"]
    return {int(point["bytes"]) for point in own if point["operation"] == curve.operation.name}


def _line(line: Line) -> str:
    rate = line.bandwidth_mb_s
    half = line.half_bytes
    slope = "" if rate is None else f" + n / {significant(rate)} MB/s"
    reached = "" if half is None else f", half of that rate at {format_size(round(half))}"
    return f"{microseconds(line.t0_ns)} us{slope} within {100 * line.max_error:.2g} %{reached}"
