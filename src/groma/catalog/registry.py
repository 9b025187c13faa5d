"""The programs and studies that can be asked for, and their profiles: where each comes from, and the parts it has.

A program is a folder whose `__init__.py` has `PROGRAM = Program(__name__, ...)`; the folder's name is the program's.
Every `NAME.toml` in it is a profile. Programs are found, in this order,

1. below `groma.programs`,
2. in installed packages, by entry points of the group `groma.programs` that name a PROGRAM,
3. in `programs/` of the configuration folder: GROMA_CONFIG, or groma/ among the user's configuration
   (~/.config/groma on Linux). Profiles without a program lie in its `profiles/`.

Nothing here imports the parts of a program: they are texts such as ".study:study", imported when they are asked for.
If a name cannot be used, or exists twice, one sentence says why; it is raised when the name is asked for.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

from groma.catalog.words import known
from groma.errors import GromaError, ProgramError

GROUP = "groma.programs"
_Answer = TypeVar("_Answer")
_OF_SITE = "groma_site_programs"  # the package below which a site's own programs are imported


@dataclass(frozen=True)
class Option:
    """An option that a program adds to `groma show --style`, such as --peak.

    It may be given several times; the part `read` converts all its texts into one value, or raises InputError. The
    style finds the value in `Sheet.options`, under the flag without its dashes.
    """

    flag: str
    metavar: str
    help: str
    read: str

    @property
    def name(self) -> str:
        """The flag without its dashes."""
        return self.flag.lstrip("-").replace("-", "_")


@dataclass(frozen=True)
class Program:
    """The parts of one program or study; a part is 'module:name', and a module with a leading dot lies in its folder.

    package     `__name__` of the folder's `__init__.py`
    style       a `groma.programs.sheet.Style`: how the program prints a run
    prints      one sentence about that layout, for `groma list styles`
    study       `study(run, summaries, against) -> groma.programs.study.Study | None`, which the page shows first
    together    whether the study takes all variants of a run at once, and not one after the other
    across      `across(run, summaries, study) -> Study`: what compares the variants of a run
    operations  runs without a profile of nothing but one of these have the study too; any run with them has the panel
    references  `references() -> list[str]`: published systems for `--against`, whose names `study` gets as `against`
    panel       `panel(runs) -> groma.programs.study.Panel | None`: tables and charts beside Groma's own, of one run or
                of several side by side
    compares    what a panel sets side by side, in words
    options     options of its style
    importer    a `groma.programs.printed.Importer`: how `groma import` reads what the program prints
    stages      `next_stage(run, done) -> groma.plan.stages.Stage | None`: what a run of the profile measures after
                its own plan, decided from the run and the stages that are done, by name
    variants    `variants(hosts) -> groma.plan.variants.Offered`: the variants of the profile's plan on these hosts,
                or on this one alone
    stand_ins   a `groma.programs.standing.StandIns`: its programs that `groma stand-ins` writes
    """

    package: str
    style: str = ""
    prints: str = ""
    study: str = ""
    together: bool = False
    across: str = ""
    operations: tuple[str, ...] = ()
    references: str = ""
    panel: str = ""
    compares: str = ""
    options: tuple[Option, ...] = ()
    importer: str = ""
    stages: str = ""
    variants: str = ""
    stand_ins: str = ""

    @property
    def name(self) -> str:
        """The name of the program's folder."""
        return self.package.rpartition(".")[2]

    @property
    def is_ours(self) -> bool:
        """True if the program comes with Groma."""
        return self.package.startswith(f"{GROUP}.")

    @property
    def folder(self) -> Path:
        """The program's folder."""
        return Path(str(sys.modules[self.package].__file__)).parent

    def part(self, target: str) -> Any:  # noqa: ANN401 - what it is depends on the part
        """Import and return one part, given as 'module:name'; raises ProgramError as `guard`."""
        module, _, name = target.partition(":")
        return self.guard(lambda: getattr(importlib.import_module(module, self.package), name))

    def ask(self, target: str, *arguments: object) -> Any:  # noqa: ANN401 - as above
        """Import one part and call it; raises ProgramError as `guard`."""
        return self.guard(self.part(target), *arguments)

    def guard(self, function: Callable[..., _Answer], *arguments: object) -> _Answer:
        """Call a function of the program; raises ProgramError for any error in a program that is not Groma's own."""
        try:
            return function(*arguments)
        except GromaError:
            raise
        except Exception as error:
            if self.is_ours:
                raise
            raise ProgramError(_unusable(self.name, self.folder, error)) from error


class Profile(NamedTuple):
    """Where a profile is: `place` names it in messages, `program` is the program in whose folder it lies, if any."""

    name: str
    file: Path
    place: str
    program: str = ""


@dataclass
class Registry:
    """All programs and profiles by name; `broken` has a sentence for each that cannot be used, or that exists twice."""

    programs: dict[str, Program] = field(default_factory=dict)
    profiles: dict[str, Profile] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)

    def add_program(self, source: _Source) -> None:
        """Add a program and its profiles, or the sentence that says why it cannot be used."""
        try:
            program, files = source.read()
        except Exception as error:  # noqa: BLE001 - a broken program must not disable the others
            self.broken[source.name] = _unusable(source.name, source.folder, error, source.entry)
            for path in sorted(source.folder.glob("*.toml")) if source.folder else []:
                self.broken.setdefault(path.stem, self.broken[source.name])
            return
        existing = self.programs.setdefault(program.name, program)
        if existing is program:
            for file in files:
                self.add_profile(file, program)
        elif existing.package != program.package:
            places = f"{_place(existing)} and {_place(program)}"
            self.broken[program.name] = f"the program {program.name} is there twice: {places}; rename or remove one"

    def add_profile(self, file: Path, program: Program | None = None) -> None:
        """Add a profile, or the sentence that says that its name is taken."""
        name = file.name.removesuffix(".toml")
        place = f"profile {name}" if program and program.is_ours else str(file)
        existing = self.profiles.setdefault(name, Profile(name, file, place, program.name if program else ""))
        if existing.file is not file:
            self.broken[name] = f"the profile {name} is there twice: {existing.file} and {file}; rename or remove one"

    def refuse(self, *names: str) -> None:
        """Raise ProgramError with the sentence of the first of these names that cannot be used."""
        for name in names:
            if name in self.broken:
                raise ProgramError(self.broken[name])


@dataclass(frozen=True)
class _Source:
    """A program that was found but not yet imported; the folder of an entry point is known only after the import."""

    name: str
    load: Callable[[], object]
    folder: Path | None = None
    entry: str = ""

    def read(self) -> tuple[Program, list[Path]]:
        """Return the program and its profiles; raises what its import raises."""
        program = self.load()
        if not isinstance(program, Program):
            raise TypeError("there is no PROGRAM = Program(__name__, ...) in it")
        return program, [file for file in program.folder.iterdir() if file.name.endswith(".toml")]


def registry() -> Registry:
    """Return all programs and profiles for the present configuration folder; each folder is searched once."""
    return _read(str(configuration()))


def configuration() -> Path:
    """Return the folder of a site's own profiles and programs, whether or not it is there."""
    if named := os.environ.get("GROMA_CONFIG"):
        return Path(named)
    import platformdirs  # noqa: PLC0415 - not needed if the variable names the folder

    return platformdirs.user_config_path("groma")


def programs() -> dict[str, Program]:
    """Return all programs that can be used, by name, in alphabetical order."""
    return dict(sorted(registry().programs.items()))


def styles() -> dict[str, str]:
    """Return what each style looks like, by the name of its program."""
    return {name: program.prints for name, program in programs().items() if program.style}


def require_style(name: str) -> Program:
    """Return the program with this style; raises InputError, with the nearest name, if there is none."""
    registry().refuse(name)
    offered = {name: program for name, program in programs().items() if program.style}
    return known("style", name, offered, f"; there are {', '.join(offered)}")


def require_profile(name: str) -> Profile:
    """Return where a profile is; raises InputError, with the nearest name, if there is none."""
    everything = registry()
    everything.refuse(name)
    offered = dict(sorted(everything.profiles.items()))
    profile = known("profile", name, offered, f"; there are {', '.join(offered)}")
    everything.refuse(profile.program)
    return profile


def program_of(profile: str | None, operations: AbstractSet[str] = frozenset()) -> Program | None:
    """Return the program of a profile; without a profile, the one that has the only operation among these."""
    everything = registry()
    if profile:
        entry = everything.profiles.get(profile)
        return everything.programs.get(entry.program if entry else profile)
    return next(
        (
            program
            for program in everything.programs.values()
            if operations in [{operation} for operation in program.operations]
        ),
        None,
    )


@functools.lru_cache(maxsize=4)
def _read(folder: str) -> Registry:
    programs = Registry()
    for source in (*_packaged(), *_installed()):
        programs.add_program(source)
    try:
        for source in _of_site(Path(folder)):
            programs.add_program(source)
        for file in sorted((Path(folder) / "profiles").glob("*.toml")):
            programs.add_profile(file)
    except OSError as error:
        programs.broken["configuration"] = f"{folder} cannot be read ({error.strerror}); check it, or set GROMA_CONFIG"
    return programs


def _packaged() -> Iterator[_Source]:
    for path in importlib.import_module(GROUP).__path__:
        yield from _folders(Path(path), GROUP)


def _installed() -> Iterator[_Source]:
    if not any(f"[{GROUP}]" in _text(file) for file in _entry_points()):
        return
    from importlib import metadata  # noqa: PLC0415 - takes as long to import as all the rest of `groma list`

    for entry in metadata.entry_points(group=GROUP):
        yield _Source(entry.name, entry.load, entry=entry.value)


def _entry_points() -> Iterator[Path]:
    """Yield the lists of entry points of all installed packages."""
    for place in map(Path, sys.path):
        for pattern in ("*.dist-info/entry_points.txt", "*.egg-info/entry_points.txt"):
            yield from place.glob(pattern)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _of_site(folder: Path) -> Iterator[_Source]:
    """Yield the programs of a site; they are imported below a package that exists only in memory."""
    for name in [name for name in sys.modules if name.partition(".")[0] == _OF_SITE]:
        del sys.modules[name]
    package = ModuleType(_OF_SITE)
    package.__path__ = [str(folder / "programs")]
    sys.modules[_OF_SITE] = package
    yield from _folders(folder / "programs", _OF_SITE)


def _folders(folder: Path, package: str) -> Iterator[_Source]:
    """Yield the programs in a folder, which is the package's."""
    for init in sorted(folder.glob("*/__init__.py")):
        name = init.parent.name
        yield _Source(name, functools.partial(_imported, f"{package}.{name}"), init.parent)


def _imported(name: str) -> object:
    return getattr(importlib.import_module(name), "PROGRAM", None)


def _place(program: Program) -> str:
    return "Groma's own" if program.is_ours else str(program.folder)


def _unusable(name: str, folder: Path | None, error: Exception, entry: str = "") -> str:
    """Say in one sentence where a program is broken, and what to do; without a folder, it is of an entry point."""
    reason = " ".join(str(error).split()) or type(error).__name__
    if folder is None:
        return f"the program {name} of the installed {entry} cannot be used ({reason}); repair or remove that package"
    return f"{_line(folder, error)}: the program {name} cannot be used ({reason}); repair or remove it"


def _line(folder: Path, error: Exception) -> str:
    """Return file and line of the error, as far as it lies in the folder."""
    import traceback  # noqa: PLC0415 - only here

    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}, line {error.lineno}"
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).is_relative_to(folder)
    ]
    return f"{frames[-1].filename}, line {frames[-1].lineno}" if frames else str(folder / "__init__.py")
