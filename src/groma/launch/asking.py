"""Running a program for what it prints, such as the version of a launcher."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

_TIMEOUT_S = 10


def is_program(path: Path) -> bool:
    """Return whether the path is a file that can be started."""
    return path.is_file() and os.access(path, os.X_OK)


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
