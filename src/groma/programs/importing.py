"""Runs of what other programs print: points with the method of the program's profile, and nothing that is not said.

A file is a launch of the run; a file in which the same tables repeat is as many launches.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from groma.catalog import packaged, suggestion
from groma.catalog.registry import programs
from groma.errors import InputError
from groma.programs.files import File, open_file
from groma.programs.importpoints import Method
from groma.programs.printed import Importer, Line, Output
from groma.programs.tables import first_words, read_tables
from groma.results.bounds import SCHEMA
from groma.results.documents import LaunchDocument, LaunchPlan, LibraryDocument, PlanDocument, RunDocument, State
from groma.results.instruments import Library
from groma.results.records import End, Failure, Imported, Printed, encode_record
from groma.run.directory import RunDirectory, now_iso
from groma.text.counts import counted, first_names

_NAMED, _MEMBERS = 3, 8  # how many files, rows and ranks a sentence names
# Programs that people may take for one of these, by what they print.
_OTHERS = {
    "nccl-tests": r'# nccl-tests|#\s+size\s+count\s+type\s+redop|"nccl_version"',
    "mpiGraph": "START mpiGraph",
    "LinkTest": "(?i)linktest",
}


@dataclass(frozen=True)
class Told:
    """What the user says beside the files; empty or None if nothing was said."""

    program: str = ""
    ranks: int | None = None
    library: str = ""
    measured: str = ""


@dataclass(frozen=True)
class Made:
    """The run that was made, a sentence for everything that is no figure in it, and whether no row was lost."""

    path: Path
    sentences: list[str]
    is_complete: bool


@dataclass(frozen=True)
class _Launch:
    """One launch: the rows of a file, or of a part of it, how many more were lost, and what the file says of itself."""

    file: File
    output: Output
    lines: Sequence[Line]
    lost: int
    ranks: int


def importers() -> dict[str, Importer]:
    """Return how outputs are read, by the names of their programs."""
    return {name: one.part(one.importer) for name, one in programs().items() if one.importer}


def import_files(paths: Sequence[Path], told: Told, version: str, target: Path | None = None) -> Made:
    """Write a run directory of these outputs; files with the same text are one launch.

    `version` is that of Groma.
    Raises InputError for a file that cannot be read, is of no program that is known or of another than the first, has
    no figures, or does not say how many ranks took part.
    """
    files, said = _distinct(paths)
    importer = _importer(files, told.program)
    method, launches = Method(importer, packaged()), list[_Launch]()
    for file in files:
        output = read_tables(file, importer)
        about = list(_unread(output))
        if not any(line.failure is None for line in output.lines):
            _refuse_empty(file, importer, about)
        said += [f"{file.name}: {sentence}" for sentence in about]
        launches += _launches(file, output, told.ranks)
    records = [method.records(launch.lines, launch.ranks) for launch in launches]
    said += method.skipped()
    is_complete = not any(launch.lost for launch in launches) and not any(
        isinstance(record, Failure) for these in records for record in these
    )
    directory = RunDirectory.create(f"{importer.profile}-imported", target)
    directory.write_catalog(packaged())
    asked = LaunchPlan(SCHEMA, method.points(), "sequential")
    for number, (launch, these) in enumerate(zip(launches, records, strict=True), start=1):
        _write(directory, number, _start(launch, len(these), importer, told), these, asked)
    directory.write(_document(launches, method, told, version, said, state="complete" if is_complete else "partial"))
    return Made(directory.path, said, is_complete)


def _distinct(paths: Sequence[Path]) -> tuple[list[File], list[str]]:
    """Return the files whose texts differ, and a sentence for each of the others."""
    files: dict[tuple[str, ...], File] = {}
    copies = []
    for file in map(open_file, paths):
        first = files.setdefault(tuple(file.lines), file)
        if first is not file:
            copies.append(f"{file.name} is a copy of {first.name}: they are one launch.")
    return list(files.values()), copies


def _importer(files: Sequence[File], chosen: str) -> Importer:
    known = importers()
    if chosen and chosen not in known:
        hint = suggestion(chosen, known) or f"; there are {', '.join(known)}"
        raise InputError(f"no program '{chosen}' can be imported{hint}")
    found = chosen
    for file in () if chosen else files:
        fitting = [name for name, one in known.items() if file.has(one.mark)]
        if not fitting:
            _refuse_unknown(file, known)
        if len(fitting) > 1:
            raise InputError(f"{file.name} could be of {' or '.join(fitting)}; name it with --from {'|'.join(fitting)}")
        if found and fitting[0] != found:
            raise InputError(f"{file.name} is of {fitting[0]} and {files[0].name} of {found}; import them as two runs")
        found = fitting[0]
    return known[found]


def _launches(file: File, output: Output, told: int | None) -> list[_Launch]:
    """Return the launches in a file: one, or as many as its tables repeat."""
    launches = []
    for time in range(1 + max(line.occurrence for line in output.lines)):
        lines = [line for line in output.lines if line.occurrence == time]
        lost = sum(occurrence == time for *_, occurrence in output.lost) + (len(output.empty) if time == 0 else 0)
        launches.append(_Launch(file, output, lines, lost, _ranks(file.name, lines, told)))
    return launches


def _ranks(name: str, lines: Sequence[Line], told: int | None) -> int:
    """Return how many ranks were launched; raises InputError if nobody says, or the output says more."""
    most = max((line.launched or line.ranks or 0 for line in lines), default=0)
    if told is not None:
        if told < most:
            raise InputError(f"{name} says that {most} ranks took part; leave out -n {told}")
        return told
    silent = next((line for line in lines if line.ranks is None), None)
    if silent is not None:
        raise InputError(f"{name} does not say how many ranks {silent.test} had; say it with -n RANKS")
    return most


def _document(
    launches: Sequence[_Launch], method: Method, told: Told, version: str, said: Sequence[str], *, state: State
) -> RunDocument:
    """Return run.json: the method of the profile, and in its notes what is unknown."""
    importer = method.importer
    when = min((launch.output.measured or told.measured for launch in launches), default="")
    now = now_iso()
    return RunDocument(
        id=hashlib.sha256("\n".join(launch.file.sha256 for launch in launches).encode()).hexdigest()[:16],
        name=f"{importer.profile}-imported",
        groma=version,
        created=when or now,
        finished=when or now,
        state=state,
        command=["groma", "import", *(name for name in dict.fromkeys(launch.file.name for launch in launches))],
        launches=len(launches),
        rank_counts=sorted({launch.ranks for launch in launches}),
        plan=PlanDocument(order="sequential", points=method.points()),
        report=method.plan.reporting,
        style=method.plan.style,
        library=LibraryDocument(name=told.library),
        notes=[*_notes(importer, launches, told, dated=bool(when)), *said],
    )


def _notes(importer: Importer, launches: Sequence[_Launch], told: Told, *, dated: bool) -> list[str]:
    """Say where the run is from, what its figures and methods are, and what is unknown."""
    files = list(dict.fromkeys(Path(launch.file.name).name for launch in launches))
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
        f"Imported from {counted(len(files), 'output')} of {importer.told.title} {versions}".rstrip()
        + f": {named}. Groma measured nothing here.",
        f"A launch's figure is what the program printed: {importer.told.figure}.",
        f"The method is that of the profile {importer.profile}; options that the program does not print are unknown.",
        f"Unknown: {', '.join(name for name, is_so in unknown.items() if is_so)}.",
    ]


def _start(launch: _Launch, points: int, importer: Importer, told: Told) -> Imported:
    return Imported(
        schema=SCHEMA,
        ranks=launch.ranks,
        points=points + launch.lost,
        order="sequential",
        library=Library(told.library, ""),
        program=importer.told.title,
        version=launch.output.version,
        source=Path(launch.file.name).name,
        sha256=launch.file.sha256,
        measured=launch.output.measured or told.measured or None,
        facts=dict(launch.output.facts),
    )


def _write(
    directory: RunDirectory, number: int, start: Imported, records: Sequence[Printed | Failure], asked: LaunchPlan
) -> None:
    """Write one launch: its documents, and its records beside them."""
    folder = directory.make_launch(number)
    failures = sum(isinstance(record, Failure) for record in records)
    end = End(schema=SCHEMA, points=len(records) - failures, failures=failures)
    (folder / "points.jsonl").write_bytes(b"".join(map(encode_record, [start, *records, end])))
    directory.write_json(folder / "plan.json", asked, durable=False)
    document = LaunchDocument(number=number, ranks=start.ranks, command=[], points=start.points, started=start.measured)
    directory.write_json(folder / "launch.json", document, durable=False)


def _unread(output: Output) -> Iterator[str]:
    """Yield a sentence for each kind of line that is no figure, and for what the figures are of."""
    for name, (number, why) in output.skipped.items():
        yield f"line {number}: {name} was skipped: {why}."
    for reason, failed in _failed(output).items():
        yield f"{counted(len(failed), 'row')} without a figure ({reason}): {first_names(failed, _NAMED)}."
    if lost := [first_words(number, text) for number, text, _ in output.lost]:
        yield f"{counted(len(lost), 'row')} could not be read: {first_names(lost, _NAMED)}."
    if empty := [f"{name} (line {number})" for number, name in output.empty]:
        yield f"no rows below the title of {first_names(empty, _NAMED)}."
    if texts := [first_words(number, text) for number, text in output.texts]:
        yield f"{counted(len(texts), 'line')} of other text between rows: {first_names(texts, _NAMED)}."
    yield from _remarks(output.lines)


def _failed(output: Output) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in output.lines:
        if line.failure:
            reason, why = line.failure
            found.setdefault(reason.replace("_", " "), []).append(f"{line.test} at {line.size} bytes ({why})")
    return found


def _remarks(lines: Sequence[Line]) -> Iterator[str]:
    """Say of what tables are if that is not what it seems: launches, layouts, groups or ranks."""
    again = max(lines, key=lambda line: line.occurrence, default=None)
    if again and again.occurrence:
        yield (
            f"the table of {again.test} is there {again.occurrence + 1} times, each taken as a launch; processes that "
            "do not find each other (singletons, each of one rank) print the same."
        )
    if any(line.settings.get("layout") == "derived" for line in lines):
        yield "messages have a derived datatype (-D), whose layout is not printed; sizes include its gaps."
    for test, ranks, groups, members in dict.fromkeys((one.test, one.ranks, one.groups, one.members) for one in lines):
        if groups > 1:
            yield f"{test} is of {groups} groups of {(ranks or 0) // groups} ranks at once."
        if members:
            yield f"{test} is of ranks {first_names(list(map(str, members)), _MEMBERS)}."


def _refuse_unknown(file: File, known: Mapping[str, Importer]) -> None:
    """Raise InputError for a file of none of these programs: it says which they are, or whose file it is."""
    titles = " and ".join(", ".join(one.told.title for one in known.values()).rsplit(", ", 1))
    other = next((name for name, mark in _OTHERS.items() if file.has(re.compile(mark))), "")
    reason = f"is of {other}, which Groma cannot read" if other else "is not the output of a known program"
    raise InputError(f"{file.name} {reason}; Groma reads {titles}, as they print")


def _refuse_empty(file: File, importer: Importer, sentences: Sequence[str]) -> None:
    """Raise InputError for a file without figures, with what is known of its rows."""
    known = f" ({' '.join(sentences).rstrip('.')})" if sentences else ""
    tests = ", ".join(test.name for test in importer.told.tests)
    raise InputError(f"{file.name} has no figures of {importer.told.title}{known}; import reads tables of {tests}")
