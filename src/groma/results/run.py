"""A run directory as it lies on disk, whatever happened to the run."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from groma.catalog import Catalog, packaged
from groma.errors import InputError
from groma.results.bundle import opened
from groma.results.documents import RunDocument
from groma.results.fields import meanings_in
from groma.results.launched import Launch, load_launch
from groma.results.missing import missing
from groma.results.opening import whole_document


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
