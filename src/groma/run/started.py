"""One launch whose ranks were started by a launcher that is not Groma's: this process is the parent of rank 0's engine.

The engines of the other ranks have no arguments; they get the plan from rank 0.
"""

from __future__ import annotations

import contextlib
import subprocess
from pathlib import Path

from groma.catalog import Catalog
from groma.errors import LaunchError
from groma.launch.engine import engine_arguments
from groma.launch.process import Interrupts
from groma.plan import Plan
from groma.results.bounds import SCHEMA
from groma.results.documents import LaunchDocument, LibraryDocument
from groma.run.directory import RunDirectory, now_iso
from groma.run.following import Follower
from groma.run.measuring import begun

_NUMBER = 1
_WAIT_S = 60.0
_SHARED_FILES = False  # a launcher may speak with its ranks through open files, whose numbers are in their environment


def begin_started(plan: Plan, catalog: Catalog, path: Path, *, dated: bool) -> RunDirectory:
    """Make the run directory of one launch, with all that the engine reads; raises InputError, OutputError."""
    directory = RunDirectory.create(plan.name, path, dated=dated)
    document = begun(plan, catalog)
    directory.begin(document, catalog)
    asked = document.plan
    folder = directory.make_launch(_NUMBER)
    launch = {"schema": SCHEMA, "order": asked.order, "seed": document.seed, **asked.settings, "points": asked.points}
    directory.write_json(folder / "plan.json", launch, durable=False)
    return directory


def measure_started(directory: RunDirectory, engine: Path) -> int | None:
    """Start rank 0's engine and wait for it; return its exit code, or None if this process turns out another rank's.

    A signal is passed on to the engine. Raises LaunchError if it cannot be started.
    """
    folder = directory.launch(_NUMBER)
    words, began = [str(engine), *engine_arguments(folder)], now_iso()
    code = _wait_for(words)
    follower = Follower(folder / "points.jsonl")
    follower.read()
    if not follower.started and code == 0:
        return None
    whole = code == 0 and follower.ended and not follower.failures
    document = directory.read()
    account = LaunchDocument(
        number=_NUMBER,
        ranks=follower.ranks or document.rank_counts[0],
        command=words,
        environment={},
        started=began,
        points=len(document.plan.points),
        finished=now_iso(),
        exit_code=code,
    )
    directory.write_json(folder / "launch.json", account, durable=False)
    document.rank_counts = [account.ranks]
    document.library = LibraryDocument(
        str(follower.library.get("name", "")), str(follower.library.get("version", "")), str(engine)
    )
    document.finished, document.state = account.finished, "complete" if whole else "partial"
    directory.write(document)
    return code


def end_all_ranks(engine: Path) -> None:
    """Let the engines of all ranks end with exit code 2, since rank 0 has nothing to measure; they wait for it."""
    with contextlib.suppress(OSError):
        subprocess.run(
            [engine],
            check=False,
            close_fds=_SHARED_FILES,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


def _wait_for(words: list[str]) -> int:
    with Interrupts() as interrupts:
        try:
            process = subprocess.Popen(words, close_fds=_SHARED_FILES, stdin=subprocess.DEVNULL)
        except OSError as error:
            raise LaunchError(f"{words[0]} does not start ({error.strerror}); write the stand-ins again") from None
        while process.poll() is None:
            interrupts.wait(_WAIT_S)
            if interrupts.received is not None and process.poll() is None:
                process.send_signal(interrupts.received)
                interrupts.received = None
    return process.returncode if process.returncode >= 0 else 128 - process.returncode
