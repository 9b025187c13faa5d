"""Adding what is new in folders of runs to the store: a run that is known and unchanged is not read again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from groma.analysis import PointSummary, summarise
from groma.analysis.components import sample_variance
from groma.decide.matching import stated
from groma.errors import GromaError, InputError, RunError
from groma.history.store import FORGOTTEN, Figure, Store, StoredRun, copies, unix_s
from groma.history.timelines import Group, of_plan, timelines
from groma.results import Run, load_run
from groma.results.differences import facts
from groma.run.directory import PARENT, RunDirectory, owner_is_alive

_NO_FACTS = frozenset({"time"})
_MOST_NAMED = 5


@dataclass
class Reading:
    """Result of reading: folders and runs, how many runs were read again, and a sentence for each that was not."""

    folders: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    new: int = 0
    problems: list[str] = field(default_factory=list)


def groups_of(
    store: Store,
    places: Sequence[Path],
    *,
    plan: str | None = None,
    any_host: bool = False,
    told: Callable[[int], None] = lambda _: None,
) -> tuple[list[Group], list[str]]:
    """Read new runs at these places; return the groups of their runs, and a sentence for each run not read.

    `plan` and `any_host` are those of `of_plan` and `timelines`. Raises as `update` and `of_plan`.
    """
    found = update(store, places, told)
    return of_plan(timelines(store, found.folders, found.paths, any_host=any_host), plan), found.problems


def update(store: Store, places: Sequence[Path], told: Callable[[int], None] = lambda _: None) -> Reading:
    """Read new runs at these places, run directories or folders of them, and return the result.

    `told` is called with the number of runs that will be read. Raises InputError for a place that is not there and
    that the store knows nothing of.
    """
    reading, found = Reading(), []
    known = store.stamps()
    for place in places or [PARENT]:
        whole = place.resolve()
        if (whole / "run.json").is_file() or str(whole) in known:
            reading.paths.append(str(whole))
            found.append(place)
        else:
            _check_folder(place, {str(Path(path).parent) for path in known}, asked=bool(places))
            reading.folders.append(str(whole))
            found += _entries(place, reading)
    changed = [path for path in dict.fromkeys(found) if _is_new(path, known, named=path in places)]
    if changed:
        told(len(changed))
    for path in changed:
        _read(store, path, reading)
    stored = store.runs(reading.folders, reading.paths)
    reading.problems += [run.problem for run in stored.values() if run.problem and Path(run.path).is_dir()]
    reading.problems += [
        f"{stored[number].path} is a copy of {counts.path}: the run counts once."
        for number, counts in copies(stored).items()
        if Path(stored[number].path).is_dir()
    ]
    return reading


def forget(store: Store, path: Path) -> None:
    """Leave a run out of history: its figures are deleted, and a directory that is still there is not read again.

    Raises InputError for a run that the store does not know.
    """
    known, whole = store.stamps(), str(path.resolve())
    if whole not in known:
        raise InputError(f"{path} is not in the history; name the directory of a run as groma history found it")
    if path.is_dir():
        for old in store.runs([], [whole]).values():
            store.put(replace(old, state=FORGOTTEN, problem=""))
    else:
        store.remove(whole)


def _check_folder(place: Path, known: set[str], *, asked: bool) -> None:
    if place.is_dir() or not asked or str(place.resolve()) in known:
        return
    kind = "is a file" if place.exists() else "does not exist"
    raise InputError(f"{place} {kind}: name a run directory, or a folder of run directories such as {PARENT}")


def _entries(place: Path, reading: Reading) -> list[Path]:
    """Return the run directories in a folder; report its other entries."""
    entries = sorted(place.iterdir()) if place.is_dir() else []
    runs = [entry for entry in entries if (entry / "run.json").is_file()]
    others = [entry for entry in entries if entry not in set(runs) and not entry.name.startswith(".")]
    reading.problems += [f"{entry} is no run: it has no run.json." for entry in others[:_MOST_NAMED]]
    if len(others) > _MOST_NAMED:
        reading.problems.append(f"{place} has {len(others) - _MOST_NAMED} more entries that are no runs.")
    return runs


def _is_new(path: Path, known: dict[str, tuple[str, str]], *, named: bool) -> bool:
    if not path.is_dir():
        return False
    stamp, state = known.get(str(path.resolve()), ("", ""))
    if state == FORGOTTEN:
        return named
    return stamp != _stamp(path)


def _stamp(path: Path) -> str:
    """Return what changes when a run continues: times and sizes of its document and of its launches' folder."""
    found = []
    for name in ("run.json", "launches"):
        try:
            seen = (path / name).stat()
            found.append(f"{seen.st_mtime_ns}:{seen.st_size}")
        except OSError:
            found.append("none")
    return " ".join(found)


def _read(store: Store, path: Path, reading: Reading) -> None:
    """Read one run into the store; one that is still being measured is left for the next time."""
    whole = path.resolve()
    base = StoredRun(str(whole), str(whole.parent), _stamp(path))
    figures: list[Figure] = []
    try:
        if owner_is_alive(RunDirectory(path).read()) is not False:
            reading.problems.append(f"{path} is being measured, or was killed on another host: it is left out for now.")
            return
        run = load_run(path)
        libraries = {name: library for name, library, _ in _parts(run)}
        figures = [_figure(summary, libraries) for summary in summarise(run) if summary.time_ns > 0]
        found = _stored(base, run) if figures else replace(base, problem=f"{path} has measured nothing.")
    except GromaError as error:
        found = replace(base, problem=f"{str(error).rstrip('.')}.")
    if found.problem and any(store.figures(list(store.runs([], [str(whole)])))):
        reading.problems.append(f"{found.problem} What was read of it before stays.")
        return
    store.put(found, figures)
    reading.new += 1


def _stored(base: StoredRun, run: Run) -> StoredRun:
    known = {
        name: [[*of, value] for of, value in found.items() if of[0] not in _NO_FACTS] for name, _, found in _parts(run)
    }
    created = run.meta.created
    try:
        made_s = unix_s(created)
    except (ValueError, OverflowError) as error:
        raise RunError(f"{run.path / 'run.json'} has no date that can be read ('{created}')") from error
    return replace(
        base,
        state=run.meta.state,
        created=created,
        unix_s=made_s,
        plan=run.meta.name,
        host=run.meta.host,
        facts=known,
        identity=run.meta.identity,
    )


def _parts(run: Run) -> Iterator[tuple[str, str, dict[tuple[str, str], str]]]:
    """Yield every variant (`""` without), the name of its MPI library, and what is known of its launches."""
    for name in dict.fromkeys(launch.variant for launch in run.launches):
        part = replace(run, launches=[launch for launch in run.launches if launch.variant == name])
        started = next((launch.start for launch in part.launches if launch.start is not None), None)
        yield name or "", started.library.name if started else run.meta.library_of(name).name, facts(part)


def _figure(summary: PointSummary, libraries: dict[str, str]) -> Figure:
    variant = summary.variant or ""
    name = {
        "operation": summary.operation,
        "size": summary.bytes,
        "variant": variant,
        "library": libraries.get(variant, ""),
        "fields": stated(summary),
    }
    interval = summary.interval if summary.interval_kind == "launches" else None
    return Figure(
        json.dumps(name, sort_keys=True),
        summary.time_ns,
        interval.low if interval else None,
        interval.high if interval else None,
        sample_variance(summary.sampling_interval if interval else None, summary.time_ns) or 0.0,
    )
