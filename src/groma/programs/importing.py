"""Runs of what other programs printed: points with the method of the program's profile, and nothing that is not said.

A file is a launch of the run; a file in which the same tests repeat is as many launches.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from groma.analysis.grouping import EFFORT_FIELDS
from groma.catalog import packaged, suggestion
from groma.catalog.registry import programs
from groma.errors import InputError
from groma.plan import expand, read_profile
from groma.plan.method import methods_of
from groma.results.bounds import SCHEMA
from groma.results.documents import LaunchDocument, LaunchPlan, LibraryDocument, PlanDocument, RunDocument
from groma.results.instruments import Library
from groma.results.records import End, Imported, Printed, Record, encode_record
from groma.run.directory import RunDirectory, now_iso
from groma.text.counts import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from groma.catalog import Catalog
    from groma.plan import Plan
    from groma.programs.printed import Importer, Line, Output

LARGEST_BYTES = 64 << 20  # of one file: an output of a program is text that somebody reads
_NAMED = 3
_PAIR_PATTERNS = ("first_two", "slowest", "farthest")


@dataclass(frozen=True)
class Told:
    """What the user says beside the files; empty or None if nothing was said."""

    program: str = ""
    ranks: int | None = None
    library: str = ""
    measured: str = ""


@dataclass(frozen=True)
class _Launch:
    """One launch: the lines of a file, or of a part of it, and what the file says of itself."""

    path: Path
    sha256: str
    output: Output
    lines: Sequence[Line]
    ranks: int


def importers() -> dict[str, Importer]:
    """Return how outputs are read, by the names of their programs."""
    return {name: one.part(one.importer) for name, one in programs().items() if one.importer}


def import_files(paths: Sequence[Path], told: Told, version: str, target: Path | None = None) -> tuple[Path, list[str]]:
    """Write a run directory of these outputs; return it, and a sentence for everything that was skipped.

    `version` is that of Groma.
    Raises InputError for a file that cannot be read, is of no program that is known or of another than the first, has
    no figures, or does not say how many ranks took part.
    """
    texts = [(path, *_text(path)) for path in paths]
    importer = _importer(texts, told.program)
    method = _Method(importer, packaged())
    launches = [launch for path, text, digest in texts for launch in _launches(path, text, digest, importer, told)]
    records = [method.records(launch) for launch in launches]
    if not any(records):
        raise InputError(
            f"{paths[0]} has no test of {importer.title} that an operation of Groma stands for; "
            f"there are {', '.join(test.name for test in importer.tests)}"
        )
    document = _document(launches, method, told, version)
    directory = RunDirectory.create(f"{importer.profile}-imported", target)
    directory.write_catalog(packaged())
    asked = LaunchPlan(SCHEMA, method.points(), "sequential")
    for number, (launch, points) in enumerate(zip(launches, records, strict=True), start=1):
        start = _start(launch, points, importer, told)
        _write(directory, number, start, [*points, End(schema=SCHEMA, points=len(points), failures=0)], asked)
    directory.write(document)
    return directory.path, method.skipped()


def _text(path: Path) -> tuple[str, str]:
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise InputError(f"{path} has more than {LARGEST_BYTES >> 20} MiB; name the output of a program")
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); name the output of a program") from None
    return data.decode("utf-8", errors="replace"), hashlib.sha256(data).hexdigest()


def _importer(texts: Sequence[tuple[Path, str, str]], chosen: str) -> Importer:
    known = importers()
    if chosen and chosen not in known:
        hint = suggestion(chosen, known) or f"; there are {', '.join(known)}"
        raise InputError(f"no program '{chosen}' can be imported{hint}")
    found = chosen
    for path, text, _ in texts:
        fitting = [name for name, one in known.items() if one.recognises(text)]
        if not chosen and len(fitting) != 1:
            reason = f"could be of {' or '.join(fitting)}" if fitting else "is not the output of a known program"
            raise InputError(f"{path} {reason}; name it with --from {'|'.join(fitting or known)}")
        if not chosen and found and fitting[0] != found:
            raise InputError(f"{path} is of {fitting[0]} and {texts[0][0]} of {found}; import them as two runs")
        found = found or fitting[0]
    return known[found]


def _launches(path: Path, text: str, digest: str, importer: Importer, told: Told) -> list[_Launch]:
    """Return the launches in a file: one, or as many as its tests repeat."""
    try:
        output = importer.read(text)
    except (ValueError, LookupError, OverflowError) as error:
        raise InputError(
            f"{path} is no whole output of {importer.title} ({error}); name a file as it was printed"
        ) from None
    if not output.lines:
        raise InputError(f"{path} has no figures of {importer.title}; name a file with its tables")
    parts: dict[int, list[Line]] = {}
    seen = Counter[tuple[str, int, int | None]]()
    for line in output.lines:
        key = (line.test, line.size, line.ranks)
        parts.setdefault(seen[key], []).append(line)
        seen[key] += 1
    return [_Launch(path, digest, output, part, _ranks(path, output, part, told.ranks)) for part in parts.values()]


def _ranks(path: Path, output: Output, lines: Sequence[Line], told: int | None) -> int:
    """Return how many ranks were launched; raises InputError if nobody says, or the output says more."""
    most = max((line.ranks or 0 for line in lines), default=0)
    if told is not None:
        if told < most:
            raise InputError(f"{path} says that {most} ranks took part; leave out -n {told}")
        return told
    silent = next((line for line in lines if line.ranks is None), None)
    if output.ranks is None and silent is not None:
        raise InputError(f"{path} does not say how many ranks {silent.test} had; say it with -n RANKS")
    return output.ranks or most


class _Method:
    """The points that stand for a program's lines, by the method of its profile, each with its place in the plan."""

    def __init__(self, importer: Importer, catalog: Catalog) -> None:
        self.importer, self.catalog = importer, catalog
        self.plan: Plan = expand(read_profile(importer.profile, catalog), catalog)
        self._skipped: dict[str, str] = {}
        self._places: dict[str, int] = {}

    def records(self, launch: _Launch) -> list[Printed]:
        """Return the records of one launch, in the order in which the program printed them."""
        found: list[Printed] = []
        for line in launch.lines:
            if (record := self._record(line, launch.ranks, len(found))) is not None:
                found.append(record)
        return found

    def skipped(self) -> list[str]:
        """Say which tests have no point, and why."""
        return [f"{name} was skipped: {reason}." for name, reason in self._skipped.items()]

    def _record(self, line: Line, launched: int, sequence: int) -> Printed | None:
        test = self.importer.test(line.test)
        if test is None:
            self._skipped[line.test] = "no operation stands for it"
            return None
        ranks = line.ranks or launched
        size = test.bytes_of(line.size, ranks)
        if line.figure <= 0:
            self._skipped.setdefault(f"{line.test} at {line.size} bytes", "its figure is zero, below what is printed")
            return None
        methods = methods_of(self.plan, test.operation, size, self.catalog)
        wanted = [one for one in methods if all(one.get(name) == value for name, value in test.settings.items())]
        if not wanted:
            self._skipped[line.test] = f"the profile {self.importer.profile} does not measure it"
            return None
        fields = _fields(wanted[0], line, size, launched, self.catalog)
        pairs = ranks // 2 if test.rate and fields["pattern"] == "halves" else 1
        messages = test.messages * pairs * (int(fields["window"]) if test.rate else 1)
        operation = self.catalog.operation(test.operation)
        moved = messages * size
        return Printed(
            schema=SCHEMA,
            index=self._places.setdefault(msgspec.json.encode(fields).decode(), len(self._places)),
            sequence=sequence,
            point=fields,
            divisor=operation.divisor,
            member_count=2 if fields["pattern"] in _PAIR_PATTERNS else ranks,
            message_bytes=size,
            bytes_moved=moved,
            messages=messages if test.rate else 0,
            figure_ns=moved * 1e3 / line.figure / operation.divisor if test.rate else line.figure * 1e3 / test.holds,
            samples_ns=_nanoseconds(line.samples_us),
            repetitions=line.repetitions,
            rounding=line.step / 2 / line.figure,
            others=dict(line.others),
        )

    def points(self) -> list[dict[str, Any]]:
        """Return all points, in the order in which they first appeared."""
        return [msgspec.json.decode(text) for text in self._places]


def _fields(method: dict[str, Any], line: Line, size: int, launched: int, catalog: Catalog) -> dict[str, Any]:
    """Return the fields of a point: the profile's method with what the line states, without unknown effort."""
    uses = set(catalog.operation(method["operation"]).uses)
    fields = {name: value for name, value in method.items() if name not in EFFORT_FIELDS}
    if "bytes" in uses:
        fields["bytes"] = size
    if line.ranks is not None and line.ranks < launched and method["pattern"] not in _PAIR_PATTERNS:
        fields["ranks"] = line.ranks
    if line.repetitions is not None:
        fields["block" if method["timing"] == "block" else "repetitions"] = line.repetitions
    stated = {name: value for name, value in line.settings.items() if name not in catalog.payload or name in uses}
    return fields | stated


def _nanoseconds(times_us: Iterable[float]) -> NDArray[np.int64]:
    return np.rint(1e3 * np.array(list(times_us))).astype(np.int64)


def _document(launches: Sequence[_Launch], method: _Method, told: Told, version: str) -> RunDocument:
    """Return run.json: the method of the profile, and in its notes what is unknown."""
    importer = method.importer
    when = min((launch.output.measured or told.measured for launch in launches), default="")
    now = now_iso()
    return RunDocument(
        id=hashlib.sha256("\n".join(launch.sha256 for launch in launches).encode()).hexdigest()[:16],
        name=f"{importer.profile}-imported",
        groma=version,
        created=when or now,
        finished=when or now,
        state="complete",
        command=["groma", "import", *(str(path) for path in dict.fromkeys(launch.path for launch in launches))],
        launches=len(launches),
        rank_counts=sorted({launch.ranks for launch in launches}),
        plan=PlanDocument(order="sequential", points=method.points()),
        report=method.plan.reporting,
        style=method.plan.style,
        library=LibraryDocument(name=told.library),
        notes=_notes(importer, launches, told, dated=bool(when)),
    )


def _notes(importer: Importer, launches: Sequence[_Launch], told: Told, *, dated: bool) -> list[str]:
    """Say where the run is from, what its figures and methods are, and what is unknown."""
    files = list(dict.fromkeys(launch.path.name for launch in launches))
    versions = " and ".join(dict.fromkeys(launch.output.version for launch in launches if launch.output.version))
    named = ", ".join(files[:_NAMED]) + (", ..." if len(files) > _NAMED else "")
    has_samples = any(line.samples_us for launch in launches for line in launch.lines)
    unknown = {
        "samples": not has_samples,
        "the MPI library": not told.library,
        "the machine, the placement of ranks, clocks, other load": True,
        "when it was measured (the date is that of the import)": not dated,
    }
    return [
        f"Imported from {counted(len(files), 'output')} of {importer.title} {versions}".rstrip()
        + f": {named}. Groma measured nothing here.",
        f"A launch's figure is what the program printed: {importer.figure}.",
        f"The method is that of the profile {importer.profile}; options that the program does not print are unknown.",
        f"Unknown: {', '.join(name for name, is_so in unknown.items() if is_so)}.",
    ]


def _start(launch: _Launch, points: Sequence[Printed], importer: Importer, told: Told) -> Imported:
    return Imported(
        schema=SCHEMA,
        ranks=launch.ranks,
        points=len(points),
        order="sequential",
        library=Library(told.library, ""),
        program=importer.title,
        version=launch.output.version,
        source=launch.path.name,
        sha256=launch.sha256,
        measured=launch.output.measured or told.measured or None,
        facts=dict(launch.output.facts),
    )


def _write(directory: RunDirectory, number: int, start: Imported, further: Sequence[Record], asked: LaunchPlan) -> None:
    """Write one launch: its documents, and its records beside them."""
    folder = directory.make_launch(number)
    (folder / "points.jsonl").write_bytes(b"".join(map(encode_record, [start, *further])))
    directory.write_json(folder / "plan.json", asked, durable=False)
    document = LaunchDocument(number=number, ranks=start.ranks, command=[], points=start.points, started=start.measured)
    directory.write_json(folder / "launch.json", document, durable=False)
