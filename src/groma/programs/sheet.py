"""Common parts of styles: a run's curves by the estimator of the program, and the sheet that a style writes to."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from groma.analysis import PointSummary, Series, series, summarise
from groma.analysis.grouping import grouped, relevant_fields
from groma.analysis.order import MINIMUM_FOR_INTERVAL
from groma.analysis.processes import one_clock
from groma.analysis.series import settings
from groma.analysis.uncertainty import uncertainty_words
from groma.catalog import Catalog, packaged
from groma.catalog.reporting import Reporting
from groma.errors import InputError
from groma.plan import Plan, expand, profile_names, read_profile
from groma.plan.method import methods_of
from groma.results import Run
from groma.results.fields import meanings_of
from groma.text.counts import counted
from groma.text.sizes import format_size, write_sizes

# Fields that the table shows itself (operation, size), or that do not change how a time is measured.
_NO_METHOD = {"operation", "bytes", "force", "check", "per_rank"}


@dataclass(frozen=True)
class Style:
    """How one program prints: `write` puts its tables on a sheet.

    The profile of that program gives the estimator, and the method that a run's own is compared with. Without
    `comments` a sheet holds only the program's lines; everything else goes into its remarks.
    """

    program: str
    write: Callable[[Sheet], None]
    profile: str
    comments: bool = True


class Sheet:
    """The text of one run in one style, line by line; what the run lacks for it, and remarks, one sentence each.

    `options` holds the values of the program's own options, by the names of their flags, if any were given.
    """

    def __init__(self, run: Run, style: Style, options: Mapping[str, Any]) -> None:
        self.run, self.style, self.options = run, style, options
        self.catalog = packaged()
        self.profile = _profile_of(run, style, self.catalog)
        self.plan: Plan = expand(read_profile(self.profile, self.catalog), self.catalog)
        self.reporting: Reporting = self.plan.reporting
        self.curves: list[Series] = series(summarise(run, self.reporting))
        self.lines: list[str] = []
        self.lacking: list[str] = []
        self.remarks: list[str] = []
        self._others: list[str] = []

    def write(self, *lines: str) -> None:
        """Add lines."""
        self.lines += lines

    def leave_out(self, curve: Series) -> None:
        """Note that the program has no test for this curve; the sheet ends with the names of all such curves."""
        self._others.append(curve.label)

    def lack(self, curve: Series, reason: str, operation: str = "", **settings: str) -> None:
        """Note that the curve was measured in a way that cannot be printed, and the command that measures it so.

        The command has another `operation` if the program measures that one instead.
        """
        first = curve.points[0]
        command = ["groma", "run", operation or first.operation, "-n", str(first.ranks)]
        if curve.has_sizes:
            command += ["--bytes", write_sizes(point.bytes or 0 for point in curve.points)]
        command += [f"--set {name}={value}" for name, value in settings.items()]
        self.lacking.append(f"{curve.label}: {reason}; measure it with: {' '.join(command)}")

    def departures(self, curve: Series) -> list[str]:
        """Return `timing=block (call)` for every setting that differs from the profile's."""
        return list(dict.fromkeys(departure for point in curve.points for departure in self._departures(point)))

    def _departures(self, point: PointSummary) -> list[str]:
        fields = relevant_fields(point.point)
        if one_clock(point):
            del fields["reduce"]
        departures: list[list[str]] = []
        for method in methods_of(self.plan, point.operation, point.bytes, self.catalog):
            names = [name for name in fields if name in method and name not in _NO_METHOD]
            departures.append([f"{n}={fields[n]} ({method[n]})" for n in names if not _alike(n, fields, method)])
        return min(departures, key=len, default=[])

    def about(self, curve: Series, sign: str = "#") -> None:
        """Write, as comments, what differs from the program, and how far the figures can be trusted."""
        self.write_departures(self.departures(curve), sign)
        if not self._too_few:
            self.write(f"{sign} {certainty(curve)}")

    def write_departures(self, departures: list[str], sign: str = "#") -> None:
        """Write, as a comment, what differs from the program; nothing if nothing does."""
        if departures:
            self.write(f"{sign} Not as {self.profile} measures: {', '.join(departures)}")

    def preamble(self, sign: str = "#") -> None:
        """Write, as comments, which library was measured on which host, and what a figure is."""
        run = self.run
        starts = [launch.start for launch in run.launches if launch.start is not None]
        library = f"{starts[0].library.name} {starts[0].library.version}" if starts else run.meta.library.name
        self.write(
            f"{sign} Measured by Groma {run.meta.groma} on {run.meta.host} with {library}: run {run.path.name}; "
            f"only the layout is that of {self.style.program}",
            f"{sign} {self.reporting.sentence()} A figure is the median of those of {self._launches()}.",
        )
        if self._too_few:
            self.write(f"{sign} These are too few for 95% intervals, which need {MINIMUM_FOR_INTERVAL}")
        if any(start.oversubscribed for start in starts):
            self.write(f"{sign} More ranks than CPUs: times are those of the scheduler")

    def _launches(self) -> str:
        """Return how many launches a figure has; it may differ between numbers of ranks."""
        counts = sorted({len(point.rows) for curve in self.curves for point in curve.points})
        fewest = f"{counts[0]} to " if len(counts) > 1 else ""
        return fewest + counted(counts[-1], "launch") if counts else "no launch"

    @property
    def _too_few(self) -> bool:
        return all(point.interval_kind != "launches" for curve in self.curves for point in curve.points)

    def name_others(self) -> None:
        """Add, at the end, the names of the curves that the program has no test for."""
        if not self._others:
            return
        names = ", ".join(dict.fromkeys(self._others))
        remark = f"Not in {self.style.program}: {names}; groma show has all of the run"
        if self.style.comments:
            self.write("", f"# {remark}")
        else:
            self.remarks.append(remark)

    def text(self) -> str:
        """Return all lines."""
        return "".join(f"{line.rstrip()}\n" for line in self.lines)


def sheet_of(run: Run, style: Style, options: Mapping[str, Any] | None = None) -> Sheet:
    """Return the run in this style; raises InputError if the run has nothing that the program would print."""
    if run.is_imported:
        raise InputError(f"{run.path} was imported, and a layout is made of samples; leave out --style")
    sheet = Sheet(run, style, options or {})
    if style.comments:
        sheet.preamble()
    before = len(sheet.lines)
    style.write(sheet)
    if len(sheet.lines) == before and not sheet.lacking:
        raise InputError(
            f"{run.path} has nothing that {style.program} prints; measure it with: groma run --profile {style.profile}"
        )
    sheet.name_others()
    return sheet


def _profile_of(run: Run, style: Style, catalog: Catalog) -> str:
    """Return the run's own profile if it prints in this style, as skampi5 and skampi do; else the style's."""
    profile = run.meta.profile
    if (
        profile in profile_names()
        and read_profile(profile, catalog).style == read_profile(style.profile, catalog).style
    ):
        return profile
    return style.profile


def certainty(curve: Series) -> str:
    """Say how wide the intervals of a curve's figures are over launches."""
    launches = min(len(point.rows) for point in curve.points)
    widest = max(curve.points, key=lambda point: point.uncertainty or 0.0)
    if launches < MINIMUM_FOR_INTERVAL or widest.uncertainty is None:
        return f"only {counted(launches, 'launch')}: too few for a 95% interval, which needs {MINIMUM_FOR_INTERVAL}"
    place = f", at {format_size(widest.bytes)}" if widest.bytes is not None and len(curve.points) > 1 else ""
    return f"95% interval over {launches} launches: {uncertainty_words(widest.interval, widest.time_ns)} at most{place}"


def lines_of(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table as lines, its columns aligned at the left."""
    widths = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)) for row in (headings, *rows)]


def apart_from(name: str, curves: Sequence[Series]) -> list[list[Series]]:
    """Return the curves in groups whose settings are alike but for this one."""

    def key(curve: Series) -> str:
        fields = settings(curve.points[0])
        return json.dumps({field: value for field, value in fields.items() if field != name}, sort_keys=True)

    return list(grouped(curves, key).values())


def pairs(point: PointSummary) -> int:
    """Return how many pairs of ranks took part at once."""
    return point.member_count // 2


def is_mean_over_ranks(point: PointSummary) -> bool:
    """Return whether a repetition's time is the mean over the ranks that were timed, even if that is only one."""
    return point.point["reduce"] == "mean" or one_clock(point)


def datatype(point: PointSummary) -> str:
    """Return the MPI name of the elements that were sent."""
    choices = meanings_of(point.point).catalog.field("datatype").choices
    name = str(point.point.get("datatype", "byte"))
    return next((choice.help for choice in choices if choice.name == name), name)


def _alike(name: str, fields: dict[str, object], method: dict[str, object]) -> bool:
    """Return whether two methods agree on a field; if single calls are timed, the length of a block does not count."""
    return fields[name] == method[name] or (name == "block" and {fields["timing"], method["timing"]} != {"block"})
