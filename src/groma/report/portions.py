"""Curves divided into readable charts, named by the settings that distinguish them."""

from __future__ import annotations

from dataclasses import dataclass

from groma.analysis import Series
from groma.analysis.grouping import grouped
from groma.analysis.series import settings, words
from groma.results.fields import meanings_of
from groma.text.sizes import format_size

_DOT = " \N{MIDDLE DOT} "
MOST = 8  # as many as there are colours and shapes


@dataclass(frozen=True)
class Portion:
    """The curves of one chart and their names there; the title is empty if they are all there are."""

    title: str
    curves: list[Series]

    @property
    def names(self) -> list[str]:
        """The names of the curves, in their order: the operation if there are several, and what differs."""
        operations = dict.fromkeys(curve.operation.name for curve in self.curves)
        words_of: dict[int, list[str]] = {}
        for operation in operations:
            siblings = [curve for curve in self.curves if curve.operation.name == operation]
            words_of |= {
                id(curve): parts for curve, parts in zip(siblings, _distinguishing_settings(siblings), strict=True)
            }
        silent = bool(self.title) and len(operations) == 1
        return [
            _DOT.join(parts if silent and parts else [curve.operation.name, *parts])
            for curve, parts in ((curve, words_of[id(curve)]) for curve in self.curves)
        ]


def portions(curves: list[Series]) -> list[Portion]:
    """Return all curves as one portion if they are few, else whole operations together as long as those are few."""
    if len(curves) <= MOST:
        return [Portion("", curves)]
    divided: list[Portion] = []
    is_whole = False  # whether the last portion is of whole operations
    for name in dict.fromkeys(curve.operation.name for curve in curves):
        parts = _divided(name, [curve for curve in curves if curve.operation.name == name])
        if is_whole and len(parts) == 1 and len(divided[-1].curves) + len(parts[0].curves) <= MOST:
            both = [*divided.pop().curves, *parts[0].curves]
            first, *others = dict.fromkeys(curve.operation.name for curve in both)
            parts = [Portion(f"{first} and {others[0] if len(others) == 1 else f'{len(others)} others'}", both)]
        is_whole = len(parts) == 1
        divided += parts
    return divided


def _divided(title: str, curves: list[Series]) -> list[Portion]:
    """Divide the curves of one operation by the field that leaves the fewest readable charts."""
    if len(curves) <= MOST:
        return [Portion(title, curves)]

    def by_field(name: str) -> dict[str, list[Series]]:
        return grouped(curves, lambda curve: words(curve.points[0], [name])[0])

    divisions = [by_field(name) for name in settings(curves[0].points[0])]
    dividing = [division for division in divisions if len(division) > 1]
    if not dividing:
        return [Portion(title, curves[start : start + MOST]) for start in range(0, len(curves), MOST)]
    best = min(dividing, key=lambda division: (max(MOST, *map(len, division.values())), len(division)))
    return [portion for word, part in best.items() for portion in _divided(f"{title}{_DOT}{word}", part)]


def _distinguishing_settings(siblings: list[Series]) -> list[list[str]]:
    """Return the fewest settings that distinguish the curves of one operation, without defaults if possible."""
    of_curves = [settings(curve.points[0]) for curve in siblings]
    names = [name for name in of_curves[0] if len({str(own.get(name)) for own in of_curves}) > 1]
    for name in list(names):
        fewer = [rest for rest in names if rest != name]
        if _distinct(of_curves, fewer) == _distinct(of_curves, names):
            names = fewer
    fields = meanings_of(siblings[0].points[0].point).catalog.fields
    usual = {field.name: field.default for field in fields if field.scope == "point"} | siblings[0].operation.defaults
    special = [[name for name in names if own.get(name) != usual.get(name, own)] for own in of_curves]
    titles = [words(curve.points[0], own) for curve, own in zip(siblings, special, strict=True)]
    if len(set(map(tuple, titles))) < len(titles):
        lengths = [[format_size(int(curve.points[0].point["bytes"]))] if curve.has_sizes else [] for curve in siblings]
        titles = [words(curve.points[0], names) + own for curve, own in zip(siblings, lengths, strict=True)]
    return titles


def _distinct(of_curves: list[dict[str, object]], names: list[str]) -> int:
    return len({tuple(str(own.get(name)) for name in names) for own in of_curves})
