"""Which points of two runs are the same measurement, and why others are not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from groma.analysis import PointSummary
from groma.analysis.grouping import SEARCHING, relevant_fields
from groma.results.fields import meanings_of
from groma.text.sizes import format_size

_NO_OPERATION = "measured this operation"
Pair = tuple["PointSummary", "PointSummary"]


@dataclass(frozen=True)
class LeftOut:
    """A point, or several of one operation, that cannot be compared, and the reason."""

    operation: str
    sizes: tuple[int | None, ...]
    reason: str

    @property
    def alone(self) -> bool:
        """True if the other run did not measure the operation at all."""
        return self.reason.endswith(_NO_OPERATION)

    def words(self) -> str:
        """Return the points and the reason, such as `bcast 8 B, 16 B: ...`."""
        sizes = [format_size(size) for size in self.sizes if size is not None]
        listed = ", ".join(sizes) if len(sizes) <= 4 else f"{sizes[0]} to {sizes[-1]}, {len(sizes)} sizes"
        return f"{self.operation} {listed}".rstrip() + f": {self.reason}"


def match(
    names: tuple[str, str],
    first: Sequence[PointSummary],
    second: Sequence[PointSummary],
    *,
    but: str = "",
) -> tuple[list[Pair], list[LeftOut]]:
    """Return the pairs of points that are one measurement, in the order of the first run, and what has no partner.

    Points are one measurement if operation, size, ranks and every setting agree that both records state, and that
    matters to the operation. How long was measured does not count. One setting may differ: `but`, which is `variant`
    or `operation`.
    """
    open_points: dict[tuple[str, int | None], list[PointSummary]] = defaultdict(list)
    for point in second:
        open_points[_name(point, but)].append(point)
    pairs, alone = [], []
    for point in first:
        candidates = open_points[_name(point, but)]
        partner = next((rival for rival in candidates if not _differing(point, rival, but)), None)
        if partner is None:
            alone.append(point)
        else:
            candidates[:] = [rival for rival in candidates if rival is not partner]
            pairs.append((point, partner))
    unmatched = [rival for rivals in open_points.values() for rival in rivals]
    reasons = _Apart(names, but)
    return pairs, reasons.of(alone, list(second), names) + reasons.unmatched(unmatched, list(first), alone)


def fine_enough(names: tuple[str, str], pairs: Sequence[Pair], margin: float) -> tuple[list[Pair], list[LeftOut]]:
    """Return the pairs whose figures are printed finely enough for a margin, and why the others are not compared.

    Rounding may take half of the margin: it is in no interval, as it is the same in all launches.
    """
    is_fine = [max(_rounding(point) for point in pair) <= margin / 2 for pair in pairs]
    fine = [pair for pair, keep in zip(pairs, is_fine, strict=True) if keep]
    coarse = {id(pair[0]): pair for pair, keep in zip(pairs, is_fine, strict=True) if not keep}
    reason = "{name} prints its figure in steps too coarse for this margin"

    def why(point: PointSummary) -> str:
        first, second = coarse[id(point)]
        return reason.format(name=names[_rounding(first) < _rounding(second)])

    return fine, _together([first for first, _ in coarse.values()], why)


def _rounding(point: PointSummary) -> float:
    return point.value("rounding") or 0.0


@dataclass(frozen=True)
class _Apart:
    names: tuple[str, str]
    but: str

    def of(
        self, alone: Sequence[PointSummary], rivals: Sequence[PointSummary], names: tuple[str, str]
    ) -> list[LeftOut]:
        """Return why points of the run named first have no partner among the rivals."""
        return _together(alone, lambda point: self._reason(point, rivals, names))

    def unmatched(
        self, unmatched: Sequence[PointSummary], rivals: Sequence[PointSummary], alone: Sequence[PointSummary]
    ) -> list[LeftOut]:
        """Return the points of the second run that no point without a partner was compared with yet."""
        explained = {_name(point, self.but) for point in alone}
        return self.of(
            [point for point in unmatched if _name(point, self.but) not in explained], rivals, self.names[::-1]
        )

    def _reason(self, point: PointSummary, rivals: Sequence[PointSummary], names: tuple[str, str]) -> str:
        same_operation = [rival for rival in rivals if self.but == "operation" or rival.operation == point.operation]
        if not same_operation:
            return f"only {names[0]} {_NO_OPERATION}"
        near = [rival for rival in same_operation if rival.bytes == point.bytes]
        if not near:
            return f"only {names[0]} measured {'these sizes' if point.bytes is not None else 'it'}"
        differing = min((_differing(point, rival, self.but) for rival in near), key=len)
        if not differing:
            return f"{names[0]} measured it more often, with other effort"
        return "; ".join(
            f"{setting} is {own} in {names[0]} and {other} in {names[1]}" for setting, (own, other) in differing.items()
        )


def _name(point: PointSummary, but: str) -> tuple[str, int | None]:
    return "" if but == "operation" else point.operation, point.bytes


def _differing(first: PointSummary, second: PointSummary, but: str) -> dict[str, tuple[object, object]]:
    """Return the settings in which two points differ, `but` one, of those that both records state."""
    fields = [stated(point) for point in (first, second)]
    return {
        name: (value, fields[1][name])
        for name, value in fields[0].items()
        if name in fields[1] and fields[1][name] != value and name != but
        if not (but == "operation" and _as_usual(name, first, second))
    }


def _as_usual(name: str, first: PointSummary, second: PointSummary) -> bool:
    """Return whether two operations differ in a setting because each has its own default of it.

    A pattern decides how many of the launched ranks take part.
    """
    if name == "number of ranks":
        return first.ranks == second.ranks and _as_usual("pattern", first, second)
    return all(point.point.get(name) == _default(name, point) for point in (first, second))


def _default(name: str, point: PointSummary) -> object:
    return meanings_of(point.point).catalog.resolve({"operation": point.operation}).get(name)


def stated(point: PointSummary) -> dict[str, object]:
    """Return every setting of a point by which it is one measurement or another; how long was measured is none."""
    settings = relevant_fields(point.point) | {
        "number of ranks": _ranks(point),
        "variant": point.variant or "none",
        "estimator": point.reporting.estimator,
        "outliers": point.reporting.outliers,
    }
    settings.pop("ranks", None)
    if point.point.get("pattern") in SEARCHING and point.members:
        settings["pair"] = f"{point.members[:2]}"
    return settings


def _ranks(point: PointSummary) -> str:
    members, launched = point.member_count, point.ranks
    return str(launched) if members == launched else f"{members} of {launched}"


def _together(points: Sequence[PointSummary], reason: Callable[[PointSummary], str]) -> list[LeftOut]:
    """Return the points of one operation and one reason together."""
    together: dict[tuple[str, str], list[int | None]] = {}
    for point in points:
        together.setdefault((point.operation, reason(point)), []).append(point.bytes)
    return [
        LeftOut(operation, tuple(sorted(set(sizes), key=lambda size: size or 0)), text)
        for (operation, text), sizes in together.items()
    ]
