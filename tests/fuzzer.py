"""Clang with libFuzzer, as a test bed: Debian has its runtime in a package of its own."""

from __future__ import annotations

import platform
import shutil
import subprocess
from pathlib import Path


def compiler() -> Path | None:
    """Return a clang++ that has the runtime of libFuzzer; None if there is none."""
    on_path = shutil.which("clang++")
    installed = [*sorted(Path("/usr/lib").glob("llvm-*/bin/clang++")), *([Path(on_path)] if on_path else [])]
    return next((path for path in reversed(installed) if _has_runtime(path)), None)


def missing() -> str:
    """Return why nothing can be fuzzed here, or an empty string."""
    return "" if compiler() else "no clang++ with libFuzzer's runtime (libclang-rt-19-dev)"


def _has_runtime(clang: Path) -> bool:
    name = f"libclang_rt.fuzzer-{platform.machine()}.a"
    said = subprocess.run([clang, f"-print-file-name={name}"], capture_output=True, text=True, check=False).stdout
    return Path(said.strip()).is_file()
