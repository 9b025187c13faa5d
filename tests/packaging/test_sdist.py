"""The source distribution has all that a build needs, and nothing that was built; CI builds it without a network."""

from __future__ import annotations

import sys
import tarfile
from pathlib import Path, PurePath

import beds
import pytest

FOLDERS = ("cmake", "engine", "reference", "requirements", "src")
FILES = {"CMakeLists.txt", "LICENSE", "README.md", "docs/groma.1", "pyproject.toml"}
BUILD = "import sys, scikit_build_core.build; scikit_build_core.build.build_sdist(sys.argv[1])"


def is_source(path: PurePath) -> bool:
    return "__pycache__" not in path.parts


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Return the names in the distribution, without its own folder."""
    folder = tmp_path_factory.mktemp("sdist")
    pytest.importorskip("scikit_build_core", reason="scikit-build-core is not installed")
    made = beds.run(["env", "-C", str(beds.ROOT), sys.executable, "-c", BUILD, str(folder)])
    assert made.exit_code == 0, made.errors
    (archive,) = folder.glob("groma-*.tar.gz")
    with tarfile.open(archive) as packed:
        return {name.partition("/")[2] for name in packed.getnames()}


@pytest.mark.slow
def test_the_sources_of_a_build_are_there(names: set[str]) -> None:
    paths = [
        path for folder in FOLDERS for path in (beds.ROOT / folder).rglob("*") if path.is_file() and is_source(path)
    ]
    assert {path.relative_to(beds.ROOT).as_posix() for path in paths} | FILES <= names


@pytest.mark.slow
def test_nothing_that_was_built_is_there(names: set[str]) -> None:
    own = {Path(name).parts[0] for name in names}
    assert own.isdisjoint({"build", "dist", "runs", ".venv", ".ci", ".git"})
    assert [name for name in names if not is_source(PurePath(name)) or name.endswith((".so", ".o", ".whl"))] == []
