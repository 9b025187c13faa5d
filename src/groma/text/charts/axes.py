"""Axes of charts: where values stand, and which ticks have room for their labels."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from groma.text.sizes import format_size

# Pixels of a drawing on a desk and on a phone, and of a digit in the size of the labels.
WIDE, NARROW = 480, 250
_DIGIT, _GAP = 6.4, 8
_MOST_LEVELS = 6
_HOUR_S, _DAY_S = 3600.0, 86400.0
_TICKS = 6
_STEPS_S = (60, 300, 900, _HOUR_S, 3 * _HOUR_S, 6 * _HOUR_S, *(days * _DAY_S for days in (1, 2, 5, 10, 30)))


@dataclass(frozen=True)
class Tick:
    """A value on an axis, its label, and whether there is room for it on a desk and on a phone."""

    value: float
    label: str
    wide: bool = True
    narrow: bool = True

    @property
    def room(self) -> str:
        """The class of a label that has room on one of them alone: `wide` or `narrow`, else empty."""
        return "" if self.wide and self.narrow else "wide" if self.wide else "narrow"


@dataclass(frozen=True)
class Axis:
    """What an axis shows, from where to where, and its ticks."""

    title: str
    low: float
    high: float
    log: bool
    ticks: tuple[Tick, ...]

    def at(self, value: float) -> float:
        """Return where the value stands: 0 at the low end, 1 at the high end; a logarithmic axis has no zero."""
        if self.log and value <= 0:
            return 0.0
        low, high, value = map(math.log, (self.low, self.high, value)) if self.log else (self.low, self.high, value)
        return (value - low) / (high - low)


def sizes(title: str, values: Iterable[float]) -> Axis:
    """Return a logarithmic axis of message sizes; its ticks are the sizes if those are few, else powers of two."""
    distinct = sorted(set(values))
    low, high = _apart(distinct[0], distinct[-1], log=True)
    if len(distinct) <= 4:
        return Axis(title, low, high, True, _fitting(distinct, _size_label, low, high, log=True))
    first, last = math.ceil(math.log2(low)), math.floor(math.log2(high))
    chosen = {width: _powers(first, last, math.log2(high / low), width) for width in (WIDE, NARROW)}
    ticks = tuple(
        Tick(value, _size_label(value), value in chosen[WIDE], value in chosen[NARROW])
        for value in sorted(chosen[WIDE] | chosen[NARROW])
    )
    return Axis(title, low, high, True, ticks)


def counts(title: str, values: Iterable[float]) -> Axis:
    """Return a logarithmic axis with ticks at the values themselves, such as counts of processes."""
    distinct = sorted(set(values))
    low, high = _apart(distinct[0], distinct[-1], log=True)
    return Axis(title, low, high, True, _fitting(distinct, lambda value: f"{value:g}", low, high, log=True))


def levels(title: str, values: Iterable[float], *, shared: bool = False) -> Axis:
    """Return a logarithmic axis with ticks at 1, 2, 5, 10 ..., or at powers of ten if there are enough of those."""
    positive = [value for value in values if value > 0] or [1.0]  # a coarse clock may read 0 every time
    low, high = _apart(min(positive), max(positive), log=True)
    decades = _levels(low, high)
    if shared or high < 6 * low:
        return Axis(title, low, high, True, _fitting(decades, plain, low, high, log=True))
    return Axis(title, low, high, True, tuple(Tick(value, plain(value)) for value in decades))


def even(title: str, low: float, high: float, label: Callable[[float], str] | None = None, count: int = 5) -> Axis:
    """Return a linear axis with evenly spaced ticks."""
    low, high = _apart(low, high, log=False)
    return Axis(title, low, high, False, _fitting(even_ticks(low, high, count), label or plain, low, high, log=False))


def named(title: str, names: Sequence[str]) -> Axis:
    """Return an axis of numbered places, from 0, each with its name."""
    ticks = tuple(Tick(place, name) for place, name in enumerate(names))
    return Axis(title, 0, max(1, len(names) - 1), False, ticks)


def rows(title: str, names: Sequence[str]) -> Axis:
    """Return an axis of rows of height 1, the first at the bottom, each with its name at its lower end."""
    return Axis(title, 0, len(names), False, tuple(Tick(place, name) for place, name in enumerate(names)))


def whole(title: str, numbers: Sequence[int]) -> Axis:
    """Return an axis of whole numbers with half a step beside the first and the last, such as those of launches."""
    low, high = min(numbers) - 0.5, max(numbers) + 0.5
    ticks = _fitting(sorted(set(numbers)), lambda number: f"{number:g}", low, high, log=False)
    return Axis(title, low, high, False, ticks)


def dates(title: str, low: float, high: float) -> Axis:
    """Return a linear axis of seconds since 1970 with ticks at round times (UTC), three at least in most cases."""
    low, high = _apart(low, high, log=False)
    months = next((step for step in (1, 2, 3, 6) if (high - low) / _DAY_S < _TICKS * 30 * step), 12)
    if high - low > _TICKS * 30 * _DAY_S:
        places, pattern = _months(low, high, months), "%Y-%m"
    else:
        step = next(step for step in _STEPS_S if high - low <= _TICKS * step)
        places = [step * number for number in range(math.ceil(low / step), math.floor(high / step) + 1)]
        pattern = "%H:%M" if step < _DAY_S else "%m-%d"

    def label(value: float) -> str:
        return dt.datetime.fromtimestamp(value, dt.UTC).strftime(pattern)

    return Axis(title, low, high, False, _fitting(places, label, low, high, log=False))


def _months(low: float, high: float, step: int) -> list[float]:
    """Return the first moments of every `step` months from January on."""
    first, last = (dt.datetime.fromtimestamp(end, dt.UTC) for end in (low, high))
    numbers = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
    begins = [dt.datetime(at // 12, at % 12 + 1, 1, tzinfo=dt.UTC).timestamp() for at in numbers if at % step == 0]
    return [begin for begin in begins if low <= begin <= high]


def even_ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Return about `count` round values from low to high."""
    rough = (high - low) / max(1, count - 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999) * power
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{number * step:.6g}") for number in range(first, last + 1)]


def plain(value: float) -> str:
    """Return the value without an exponent, in millions or billions if it is long."""
    for factor, unit in ((1e9, " G"), (1e6, " M")):
        if abs(value) >= factor:
            return f"{value / factor:.6g}{unit}"
    return f"{value:.9f}".rstrip("0").rstrip(".") if value and abs(value) < 1e-3 else f"{value:.6g}"


def _size_label(value: float) -> str:
    return format_size(round(value))


def _apart(low: float, high: float, *, log: bool) -> tuple[float, float]:
    """Return ends that differ, so that a single value has a place on the axis."""
    if high > low * (1 + 1e-9) if log else high > low:
        return low, high
    return (low / 1.1, low * 1.1) if log else (low - (abs(low) or 1) * 0.05, high + (abs(high) or 1) * 0.05)


def _levels(low: float, high: float) -> list[float]:
    if high < 6 * low:
        return [value for value in even_ticks(low, high) if value > 0]
    powers = range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 1)
    values = [float(f"{step}e{power}") for power in powers for step in (1, 2, 5)]
    inside = [value for value in values if low <= value <= high]
    tens = [value for value in inside if f"{value:e}"[0] == "1"]
    return tens if len(inside) > _MOST_LEVELS and len(tens) > 1 else inside


def _powers(first: int, last: int, octaves: float, width: int) -> set[float]:
    """Return powers of two, as many as have room, among them 1 KiB and 1 MiB if only some fit."""
    room = octaves * (len("256 KiB") * _DIGIT + _GAP) / width
    step = next((step for step in (1, 2, 5, 10) if step >= room), 20)
    return {float(2**exponent) for exponent in range(first, last + 1) if exponent % step == 0}


def _fitting(
    values: Sequence[float], label: Callable[[float], str], low: float, high: float, *, log: bool
) -> tuple[Tick, ...]:
    """Return ticks of which every n-th has its label, so that no two collide."""
    axis = Axis("", low, high, log, ())
    by_level: dict[int, set[float]] = {}
    for width in (WIDE, NARROW):
        step = 1
        while step < len(values) and _collide([(axis.at(value) * width, label(value)) for value in values[::step]]):
            step += 1
        by_level[width] = set(values[::step])
    return tuple(
        Tick(value, label(value), value in by_level[WIDE], value in by_level[NARROW])
        for value in values
        if value in by_level[WIDE] | by_level[NARROW]
    )


def _collide(placed: Sequence[tuple[float, str]]) -> bool:
    return any(
        after - before < (len(first) + len(second)) / 2 * _DIGIT + _GAP
        for (before, first), (after, second) in pairwise(placed)
    )
