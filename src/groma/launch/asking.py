"""Running a program for what it prints, such as the version of a launcher."""

from __future__ import annotations

import os
import subprocess
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import platformdirs

from groma.text.secret import make_folder

_TIMEOUT_S = 10


def is_program(path: Path) -> bool:
    """Return whether the path is a file that can be started."""
    return path.is_file() and os.access(path, os.X_OK)


def is_binary(path: Path) -> bool:
    """Return whether a file is a program of the machine's own, and not a script."""
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def answer_file(what: str, program: Path) -> Path:
    """Return where an answer of a program is kept: another file when the program or the libraries' path changes."""
    status = program.stat()
    key = zlib.crc32(os.fsencode(f"{program}\0{os.environ.get('LD_LIBRARY_PATH', '')}"))
    name = f"{what}-{key:08x}-{status.st_size}-{status.st_mtime_ns}"
    return platformdirs.user_cache_path("groma") / name


def keep_answer(file: Path, answer: bytes) -> None:
    """Keep an answer; a home that cannot be written costs some milliseconds each time, nothing else."""
    with suppress(OSError):
        make_folder(file.parent)
        fresh = file.with_name(f"{file.name}.{os.getpid()}")
        fresh.write_bytes(answer)
        fresh.replace(file)


def answer_of(
    command: Sequence[str | Path], timeout_s: float, env: Mapping[str, str] | None = None, text: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a command that reads `text`, prints something and ends; bytes that are no text are replaced.

    `env` is its environment, by default that of this process.
    Raises OSError if the program does not start, or does not end within `timeout_s` seconds.
    """
    try:
        return subprocess.run(
            command,
            env=env,
            input=text,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=timeout_s,
        )
    except subprocess.TimeoutExpired as error:
        raise OSError(f"no answer within {timeout_s:g} s") from error


def printed_by(program: Path, option: str) -> str:
    """Return what a program prints on both outputs for an option; empty if it does not start or takes over 10 s."""
    try:
        answer = answer_of([program, option], _TIMEOUT_S)
    except OSError:
        return ""
    return answer.stdout + answer.stderr
