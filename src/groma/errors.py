"""The errors Groma raises on purpose, each with the exit code it ends a command with.

    GromaError                 1
    ├── InputError             2   something asked cannot be done; nothing was run
    │   ├── PlanError          2   ... in a plan file, with its line
    │   ├── ProgramError       2   ... a site's own program is broken
    │   ├── CatalogError       2   engine and front end do not agree on what can be asked
    │   └── LaunchError        2   no engine, library or launcher that fits
    ├── RunError               1   a run failed, is partial or cannot be read whole
    │   └── OutputError        1   results could not be written (disk full, closed pipe)
    └── MachineError           1   this machine cannot measure at all

Every message is one sentence that says what, where and what to do next.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# What decoding a damaged JSON document raises: the last two msgspec passes on as they are.
UNDECODABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


class GromaError(Exception):
    """Anything Groma reports to a person instead of a traceback."""

    exit_code = 1


class InputError(GromaError):
    """What was asked cannot be done; nothing was run and nothing was written."""

    exit_code = 2


class PlanError(InputError):
    """A plan file is wrong at a known place."""

    def __init__(self, message: str, path: str, line: int | None = None) -> None:
        """Prefix the message with the file and, if known, the line."""
        place = path if line is None else f"{path}, line {line}"
        super().__init__(f"{place}: {message}")
        self.path = path
        self.line = line


class ProgramError(InputError):
    """A program of a site or of an installed package cannot be used; everything else can."""


class CatalogError(InputError):
    """The engine's own description is unreadable or differs from the packaged catalogue."""


class LaunchError(InputError):
    """No engine, MPI library or launcher fits together on this machine."""


class RunError(GromaError):
    """A run failed or is partial; what was measured is kept."""


class OutputError(RunError):
    """Results could not be written; what was written before is kept."""


class MachineError(GromaError):
    """This machine cannot measure at all."""


@contextmanager
def writing(path: Path, advice: str = "give another place with -o") -> Iterator[None]:
    """Raise OutputError, with a piece of advice, if the body cannot write to `path`."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"{path} cannot be written ({error.strerror or error}); {advice}") from error
