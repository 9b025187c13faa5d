"""A copy of the front end with a small change, as somebody would make it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import groma


@dataclass(frozen=True)
class SourceChange:
    """New files by their path in the package; and in files that are there, old texts and what replaces them."""

    added: Mapping[str, str] = field(default_factory=dict)
    replaced: Sequence[tuple[str, str, str]] = ()

    def applied(self, folder: Path) -> Path:
        """Return where the changed package stands in `folder`."""
        package = folder / "source" / "groma"
        if not package.exists():
            shutil.copytree(Path(groma.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
            for name, text in self.added.items():
                assert not (package / name).exists(), name
                (package / name).parent.mkdir(exist_ok=True)
                (package / name).write_text(text, encoding="utf-8")
            for name, old, new in self.replaced:
                text = (package / name).read_text(encoding="utf-8")
                assert text.count(old) == 1, (name, old)
                (package / name).write_text(text.replace(old, new), encoding="utf-8")
        return package.parent

    def python(self, folder: Path, *arguments: str, **variables: str) -> str:
        """Return what Python prints with the changed copy."""
        environment = os.environ | {"PYTHONPATH": str(self.applied(folder)), "COLUMNS": "200"} | variables
        command = [sys.executable, *arguments]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout
