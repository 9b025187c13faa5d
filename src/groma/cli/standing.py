"""Rank 0 of a program that Groma stands in for; the scripts of `groma stand-ins` start it.

ENGINE and RUNS come first, then the program's name and its arguments; without RUNS nothing is kept. Exit code 0: all
was measured, 2: the arguments are wrong, and nothing was, PARTIAL: something is missing. With any other, such as
Python's own 1, rank 0's engine was not started.
"""

from __future__ import annotations

import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

from groma.catalog import packaged
from groma.cli.streams import check_output, open_streams
from groma.errors import GromaError
from groma.launch.allocation import copies_started
from groma.programs.sheet import Style, sheet_of
from groma.programs.standing import stand_in_named
from groma.results import load_run
from groma.run.directory import RunDirectory
from groma.run.started import begin_started, end_all_ranks, measure_started
from groma.text.printable import printable

PARTIAL = 3


def stand_in(engine: Path, runs: str, name: str, arguments: Sequence[str]) -> int:
    """Measure what the arguments ask for, print it as the program does, and return the exit code."""
    with tempfile.TemporaryDirectory(prefix=f"groma-{name}-") as temporary:
        try:
            read, style = stand_in_named(name)
            plan = read(name, arguments, copies_started(), packaged())
            if isinstance(plan, str):
                print(plan, end="")
                return 0
            folder = Path(runs) / name if runs else Path(temporary) / name
            directory = begin_started(plan, packaged(), folder, dated=bool(runs))
        except GromaError as error:
            _complain(name, str(error))
            end_all_ranks(engine)
            return 2
        return _measure(directory, engine, style, name)


def _measure(directory: RunDirectory, engine: Path, style: Style, name: str) -> int:
    try:
        code = measure_started(directory, engine)
        return 0 if code is None else _print(directory, style, name, code)
    except GromaError as error:
        _complain(name, str(error))
    except OSError as error:
        _complain(name, f"the output could not be written ({error.strerror})")
    except Exception:  # noqa: BLE001 - whatever it is, the engine must not be started a second time
        traceback.print_exc()
    return PARTIAL


def _print(directory: RunDirectory, style: Style, name: str, code: int) -> int:
    """Print what was measured, and say what is missing; the engine has said why it ended with a code."""
    if code == 2:
        return code
    run = load_run(directory.path)
    sheet = sheet_of(run, style)
    print(sheet.text(), end="")
    check_output()
    missing = [*sheet.lacking, *run.missing()]
    for sentence in missing:
        _complain(name, sentence)
    return PARTIAL if code or missing else 0


def _complain(name: str, sentence: str) -> None:
    print(printable(f"{name}: {sentence}"), file=sys.stderr, flush=True)


def main() -> None:
    """Do it, and exit."""
    open_streams()
    engine, runs, name, *arguments = sys.argv[1:]
    sys.exit(stand_in(Path(engine), runs, name, arguments))


if __name__ == "__main__":
    main()
