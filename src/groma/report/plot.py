"""What `groma plot` draws: the curves of runs over message size, and the caption that says how they were measured."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from groma.analysis import Series, checks, series, summarise, verdict
from groma.analysis.grouping import grouped
from groma.analysis.headline import Headline, Quantity, quantity_of
from groma.analysis.noise import caveats
from groma.catalog import suggestion
from groma.errors import InputError
from groma.report.figures import shown_quantity
from groma.report.portions import MOST, Portion
from groma.report.tables import reporting_note
from groma.results import Run
from groma.text.charts import Chart, Curve, Point
from groma.text.counts import counted
from groma.text.sizes import format_size

_DOT = " \N{MIDDLE DOT} "
_MOST_PANELS = 6
_METHOD = ("timing", "sync", "clock", "reduce", "cache", "touch")
_INTERVALS = {
    "launches": "95 % intervals over launches",
    "range": "smallest and largest of few launches",
    "samples": "95 % intervals within the only launch, which say nothing of other launches",
}


@dataclass(frozen=True)
class Plot:
    """Charts, their title, the caption of the figure, and the operations that have no curve."""

    charts: list[Chart]
    title: str
    caption: str
    left_out: list[str]


@dataclass(frozen=True)
class _Line:
    """A curve of a run, and the quantity of it that is drawn."""

    run: Run
    series: Series
    quantity: Quantity

    @property
    def operation(self) -> str:
        return self.series.operation.name

    def points(self) -> list[Point]:
        """Return its points, without those for which logarithmic axes have no place."""
        found = []
        for point in self.series.points:
            value, interval, (factor, _) = shown_quantity(Headline("", self.quantity, point))
            if point.bytes and value > 0:
                own = Point(point.bytes, value * factor)
                if interval and interval.low > 0:
                    own = replace(own, low=interval.low * factor, high=interval.high * factor)
                found.append(own)
        return found

    @property
    def unit(self) -> str:
        return shown_quantity(Headline("", self.quantity, self.series.points[0]))[2][1]


def plot_of(runs: Sequence[Run], operations: Sequence[str], quantity: Quantity | None, legend: Sequence[str]) -> Plot:
    """Return the figure of runs: one curve for each operation, setting, variant and run, a panel for each quantity.

    `operations` choose among all, by name or as `halo/*`; without a `quantity`, each is drawn by its main one. `legend`
    renames the curves. Raises InputError if nothing can be drawn, or too much.
    """
    chosen = _chosen(runs, operations)
    lines = [line for run in runs for line in _lines(run, quantity) if line.operation in chosen]
    if not lines:
        places = ", ".join(run.path.name for run in runs)
        raise InputError(
            f"{places} has nothing to draw: a curve needs one operation at two sizes or more"
            f"{f' and a {quantity}' if quantity else ''}; groma export --points writes all figures"
        )
    panels = _panels(lines)
    names = _named(panels, runs)
    # The only curve of a panel needs no name, unless it is given one.
    names = _renamed(names, legend) if legend else [own if len(own) > 1 else [""] for own in names]
    charts = [_chart(panel, own, titled=len(panels) > 1) for panel, own in zip(panels, names, strict=True)]
    what = " and ".join(dict.fromkeys(line.quantity for line in lines)).capitalize()
    title = f"{what} of {', '.join(dict.fromkeys(line.operation for line in lines))} over message size"
    left_out = [name for name in chosen if name not in {line.operation for line in lines}]
    return Plot(charts, title, " ".join([f"{title}.", *_caption(lines, runs)]), left_out)


def _lines(run: Run, quantity: Quantity | None) -> list[_Line]:
    """Return the curves of a run that have the quantity at two sizes or more."""
    found = [_Line(run, curve, quantity or quantity_of(curve.points[0])) for curve in series(summarise(run))]
    return [line for line in found if len({point.x for point in line.points()}) > 1]


def _chosen(runs: Sequence[Run], operations: Sequence[str]) -> list[str]:
    """Return the measured operations of these names; all without names."""
    measured = dict.fromkeys(point.operation for run in runs for point in summarise(run))
    for name in operations:
        if not fnmatch.filter(measured, name):
            hint = suggestion(name, measured) or f"; there are {', '.join(measured)}"
            raise InputError(f"no run has the operation '{name}'{hint}")
    return [name for name in measured if not operations or any(fnmatch.fnmatchcase(name, own) for own in operations)]


def _panels(lines: Sequence[_Line]) -> list[list[_Line]]:
    """Return the curves of each panel: all of one quantity, or of one operation if those are too many."""
    panels = []
    for own in grouped(lines, lambda line: line.quantity).values():
        panels += [own] if len(own) <= MOST else list(grouped(own, lambda line: line.operation).values())
    fullest = max(panels, key=len)
    if len(panels) > _MOST_PANELS or len(fullest) > MOST:
        most = (
            f"{len(fullest)} curves of {fullest[0].operation} in one panel ({MOST} fit)"
            if len(fullest) > MOST
            else f"{len(panels)} panels ({_MOST_PANELS} fit)"
        )
        names = ",".join(list(dict.fromkeys(line.operation for line in lines))[:2])
        raise InputError(f"the figure would have {most}: choose operations, such as --operation {names}")
    return panels


def _named(panels: Sequence[Sequence[_Line]], runs: Sequence[Run]) -> list[list[str]]:
    """Return the name of each curve: the operation and what differs, after the run if there are several."""
    libraries = [run.libraries for run in runs]
    by_library = len(set(libraries)) == len(runs) and all(len(run.meta.used_libraries) == 1 for run in runs)
    names = libraries if by_library else [run.path.name for run in runs]
    of_run = dict(zip(map(id, runs), names if len(runs) > 1 else [""], strict=True))
    found = []
    for panel in panels:
        operations = {line.operation for line in panel}
        by_run = grouped(panel, lambda line: id(line.run)).values()
        portions = [Portion("", [line.series for line in lines]) for lines in by_run]
        if len(operations) == 1:
            portions = [replace(portion, title=panel[0].operation) for portion in portions]  # which names leave out
        own = {
            id(curve): label for portion in portions for curve, label in zip(portion.curves, portion.names, strict=True)
        }
        if len(by_run) > 1 and len(set(own.values())) == 1:
            own = dict.fromkeys(own, "")
        found.append([_DOT.join(filter(None, [of_run[id(line.run)], own[id(line.series)]])) for line in panel])
    return found


def _renamed(names: Sequence[Sequence[str]], legend: Sequence[str]) -> list[list[str]]:
    """Return the given names in place of those of the curves."""
    known = list(dict.fromkeys(name for own in names for name in own))
    if len(legend) != len(known):
        raise InputError(
            f"--legend has {counted(len(legend), 'name')}, and the figure {counted(len(known), 'curve')}: "
            f"{', '.join(known)}"
        )
    new = dict(zip(known, legend, strict=True))
    return [[new[name] for name in own] for own in names]


def _chart(panel: Sequence[_Line], names: Sequence[str], *, titled: bool) -> Chart:
    quantity, operations = panel[0].quantity, list(dict.fromkeys(line.operation for line in panel))
    title = operations[0] if titled and len(operations) == 1 else ""
    curves = [Curve(name, line.points()) for line, name in zip(panel, names, strict=True)]
    return Chart(title, "Message size", f"{quantity.capitalize()} ({panel[0].unit})", curves, bars=True)


def _caption(lines: Sequence[_Line], runs: Sequence[Run]) -> list[str]:
    """Return what was measured, how, on what, and what to know of it, one sentence each."""
    points = [point for line in lines for point in line.series.points]
    drawn = [point for line in lines for point in line.points()]
    launches = _listed(len(point.rows) for point in points)
    bars = "; ".join(dict.fromkeys(_INTERVALS[p.interval_kind] for p in points if p.interval_kind in _INTERVALS))
    lacking = sum(point.low is None for point in drawn)
    left_out = dict.fromkeys(format_size(p.bytes) for p in points if p.bytes is not None and not p.bytes)
    curves = [line.series for line in lines]
    notes = dict.fromkeys(reporting_note(curve) or curve.points[0].reporting.sentence() for curve in curves)
    over = "of one launch" if launches == "1" else f"medians over {launches} launches"
    return [
        f"{'; '.join(_definitions(lines))}.",
        f"Points are {over}. {' '.join(notes)}",
        *([f"Bars: {bars}, hidden where shorter than the mark."] * bool(bars)),
        *([f"{counted(lacking, 'point')} without a bar: no interval that the axis has a place for."] * bool(lacking)),
        *([f"Not drawn: {', '.join(left_out)}."] * bool(left_out)),
        f"Method: {_method(lines)}; ranks: {_listed(point.member_count for point in points)}.",
        *_origins(runs),
        *_doubts(runs),
    ]


def _listed(numbers: Iterable[int]) -> str:
    found = sorted(set(numbers))
    return " or ".join(map(str, found)) if len(found) < 3 else f"{found[0]} to {found[-1]}"


def _definitions(lines: Sequence[_Line]) -> list[str]:
    """Return what the quantity of each operation is."""
    own = {}
    for line in lines:
        operation = line.series.operation
        own[operation.name] = operation.time if line.quantity == "time" else operation.bandwidth or operation.time
    texts = dict.fromkeys(own.values())
    if len(texts) == 1:
        return [f"{lines[0].quantity.capitalize()}: {next(iter(texts))}".rstrip(".")]
    return [f"{name}: {text}".rstrip(".") for name, text in own.items()]


def _method(lines: Sequence[_Line]) -> str:
    """Return how samples were taken; values that differ between curves are listed."""
    parts = []
    for name in _METHOD:
        values = dict.fromkeys(str(p.point[name]) for line in lines for p in line.series.points if name in p.point)
        if values and (name != "touch" or values.keys() != {"none"}):
            parts.append(f"{name} {' or '.join(values)}")
    return ", ".join(parts)


def _origins(runs: Sequence[Run]) -> list[str]:
    """Return library, machine and day of each run; those of several runs begin with its name if they differ."""
    origins = grouped(runs, _origin)
    named = [f"{' and '.join(run.path.name for run in own)}: {text}" for text, own in origins.items()]
    return named if len(origins) > 1 else list(origins)


def _origin(run: Run) -> str:
    launch = next((one for one in run.launches if one.start is not None), None)
    engine = f", Groma {launch.start.engine}" if launch and launch.start and launch.start.engine else ""
    nodes = launch.nodes.nodes if launch and launch.nodes else []
    cpu = f" ({nodes[0].cpu_model}, {counted(nodes[0].cpus, 'CPU')})" if nodes else ""
    where = f"{len(nodes)} hosts such as {nodes[0].name}" if len(nodes) > 1 else run.meta.host or "an unknown host"
    return f"{run.libraries} on {where}{cpu}, {run.meta.created[:10]}{engine}."


def _doubts(runs: Sequence[Run]) -> list[str]:
    """Say which runs are not to be trusted or lack something, and what disturbed them."""
    judged = [(run, verdict(checks(run, summarise(run)))) for run in runs]
    several = len(runs) > 1
    failed = [f"{f'{run.path.name}: ' * several}{found.text}" for run, found in judged if found.state == "bad"]
    partial = [f"{run.path.name} is not complete." for run in runs if run.missing()]
    return [*failed, *partial, *caveats(list(runs))]
