"""Stand-ins as `groma stand-ins` writes them for one of the tests' MPI libraries."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import beds

_COMMAND = "from groma.cli import main; main()"
PYTHON_PATH = {"PYTHONPATH": os.pathsep.join(sys.path)}


def written(library: beds.Library, folder: Path, *options: str) -> Path:
    """Write all stand-ins of a library into a folder, and return it."""
    chosen = {"GROMA_ENGINE": str(library.engine), "GROMA_MPIEXEC": library.mpiexec}
    words = [sys.executable, "-c", _COMMAND, "stand-ins", str(folder), *options]
    made = beds.run(words, library.environment(PYTHON_PATH | chosen))
    assert made.exit_code == 0, made.errors
    return folder
