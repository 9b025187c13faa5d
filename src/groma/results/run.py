"""A run directory as it lies on disk, whatever happened to the run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from groma.catalog import Catalog, packaged
from groma.errors import InputError
from groma.results.bundle import opened
from groma.results.documents import RunDocument
from groma.results.fields import meanings_in
from groma.results.launched import Launch, load_launch
from groma.results.opening import whole_document
from groma.results.records import Failure
from groma.results.spans import these_launches
from groma.text.counts import counted
from groma.text.sizes import format_size

_STATES = {
    "running": "The run has not finished: it is still running, or it was killed.",
    "interrupted": "The run was interrupted before it was complete.",
    "paused": "The run is paused before it is complete.",
}


@dataclass(frozen=True)
class Run:
    """One campaign: what was asked (`meta`), what every launch left, and its engine's catalogue."""

    path: Path
    meta: RunDocument
    launches: list[Launch] = field(default_factory=list)
    catalog: Catalog = field(default_factory=packaged)
    kept: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)  # what was made of it

    @property
    def libraries(self) -> str:
        """The MPI libraries that ran, with their versions, in the order of their first launches."""
        starts = [launch.start for launch in self.launches if launch.start is not None]
        names = dict.fromkeys(f"{start.library.name} {start.library.version}".strip() for start in starts)
        unknown = "unknown MPI library" if self.is_imported else ""
        return " and ".join(filter(None, names)) or self.meta.library.name or unknown

    @property
    def is_imported(self) -> bool:
        """True if another program measured it (`groma import`): much that other runs record is unknown."""
        return any(launch.is_imported for launch in self.launches)

    def by_variant(self) -> dict[str, Run]:
        """Return the launches of each variant as a run of their own, by its name; empty if fewer than two ran."""
        names = list(dict.fromkeys(launch.variant for launch in self.launches if launch.variant is not None))
        if len(names) < (1 if self.meta.programs else 2):
            return {}
        if "variants" not in self.kept:
            self.kept["variants"] = {name: self._of_variant(name) for name in names}
        return dict(self.kept["variants"])

    def _of_variant(self, name: str) -> Run:
        launches = [launch for launch in self.launches if launch.variant == name]
        return replace(self, meta=self.meta.of_program(name), launches=launches)

    def missing(self) -> list[str]:
        """Say what is missing, one plain sentence each; empty for a complete run."""
        return missing(self.meta, self.launches)


def load_run(path: str | Path) -> Run:
    """Read a run directory, also one whose run was killed anywhere, or the bundle of one (`groma bundle`).

    Raises `InputError` if there is no run, and `RunError` if a document has an unknown schema or a record before
    the last is damaged.
    """
    directory = opened(Path(path))
    if not directory.is_dir():
        raise InputError(f"{directory} is not a directory: give the path of a run, such as runs/quick-20260102-030405")
    document = directory / "run.json"
    if not document.is_file():
        raise InputError(f"{directory} is not a run directory, it has no run.json: give the path of a run")
    meta: RunDocument = whole_document(document, RunDocument)
    folders = [folder for folder in (directory / "launches").glob("*") if folder.name.isdigit()]
    meanings = meanings_in(directory)
    launches = [load_launch(folder, meanings) for folder in sorted(folders, key=lambda folder: int(folder.name))]
    return Run(directory, meta, launches, meanings.catalog)


def missing(meta: RunDocument, launches: Sequence[Launch]) -> list[str]:
    """One sentence per gap of a run, in the order of its launches."""
    sentences = [_STATES[meta.state]] if meta.state in _STATES else []
    for launch in launches:
        sentences += _launch(launch)
    if any(launch.is_imported for launch in launches):
        return sentences
    numbers = {launch.number for launch in launches}
    absent = [number for number in meta.asked_numbers if number not in numbers]
    return sentences + ([f"{these_launches(absent).capitalize()} never started."] if absent else [])


def never_measured(meta: RunDocument, launches: Sequence[Launch]) -> set[tuple[int, str, int]]:
    """Return the points that failed in every launch that tried them: ranks, variant and place in the run's plan."""
    if not any(launch.failures for launch in launches):
        return set()
    places: dict[bytes, int] = {}
    for place, point in enumerate(meta.plan.points):
        places.setdefault(_text(point), place)
    tried = [_tried(launch, places) for launch in launches if launch.plan is not None]
    failed = {key for _, lost in tried for key in lost}
    return failed - {key for measured, _ in tried for key in measured}


_Key = tuple[int, str, int]


def _tried(launch: Launch, places: dict[bytes, int]) -> tuple[set[_Key], set[_Key]]:
    """Return which points of the run a launch measured, and which failed in it."""
    given = launch.plan.points if launch.plan else []
    # A launch of a budget measures some of the points: a point is found by what it is.
    place = {at: places[_text(point)] for at, point in enumerate(given) if _text(point) in places}
    where = (launch.ranks or 0, launch.variant or "")
    measured = {(*where, place.get(index, -1)) for index in launch.indices}
    return measured, {(*where, place.get(failure.index, -1)) for failure in launch.failures}


def _text(point: dict[str, Any]) -> bytes:
    """Return the settings of a point as a text that is the same whatever their order."""
    return msgspec.json.encode(point, order="sorted")


def _launch(launch: Launch) -> Iterator[str]:
    name = f"Launch {launch.number}"
    expected = launch.start.points if launch.start else launch.meta.points if launch.meta else 0
    measured = len(launch.points)
    expected -= len(launch.left_out)
    exit_code = launch.meta.exit_code if launch.meta else None
    ending = "" if exit_code is None else f" (exit code {exit_code})"
    if launch.ended_early:
        yield f"{name} ended early after {measured} of {expected} points{ending}."
    elif (lacking := expected - measured - len(launch.failures)) > 0:
        lost = f"lacks {counted(lacking, 'row')} of its program that could not be read"
        yield f"{name} {lost if launch.is_imported else f'measured {measured} of {expected} points{ending}'}."
    elif exit_code and not launch.failures:
        yield f"{name} measured everything but ended with exit code {exit_code}."
    if launch.torn:
        yield f"{name}: the last line of points.jsonl is incomplete and was skipped."
    for failure in launch.failures:
        yield f"{name}: {_failed(launch, failure)}"
    if launch.meta is None:
        yield f"{name} {_lacks(launch, 'launch.json')}"
    if launch.start is not None and launch.nodes is None and not launch.is_imported:
        yield f"{name} {_lacks(launch, 'nodes.json')}"
    if launch.start is not None and not launch.planned:
        yield f"{name} {_lacks(launch, 'plan.json')}"


def _lacks(launch: Launch, document: str) -> str:
    """Distinguish a missing document from one that was cut off or damaged."""
    if (launch.path / document).exists():
        return f"has an incomplete {document}; its contents are unknown."
    return f"has no {document}."


def _failed(launch: Launch, failure: Failure) -> str:
    points = launch.plan.points if launch.plan else []
    point = points[failure.index] if 0 <= failure.index < len(points) else {}
    name = str(point.get("operation", f"point {failure.index}"))
    size = f" at {format_size(int(point['bytes']))}" if "bytes" in point else ""
    behind = launch.meta.not_arrived if launch.meta and failure.reason == "timeout" else []
    found = behind or failure.ranks
    ranks = f" on rank{'s' * (len(found) > 1)} {', '.join(map(str, found))}" if found else ""
    return f"{name}{size} failed{ranks} ({failure.reason.replace('_', ' ')}): {failure.message}"
