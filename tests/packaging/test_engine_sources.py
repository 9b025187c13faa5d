"""The package holds what `groma mpi add` builds engines from, where there is no checkout."""

from __future__ import annotations

import importlib.metadata
import re

import beds
import pytest

from groma.libraries.engines import sources

_INSTALLED = "groma/_engine_sources/"


def installed() -> set[str]:
    """Return the files of the installed package below the folder of sources; skip if it is a checkout's."""
    try:
        files = importlib.metadata.files("groma") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    found = {file.as_posix().partition(_INSTALLED)[2] for file in files if _INSTALLED in file.as_posix()}
    if not found:
        pytest.skip("groma is not installed from a wheel")
    return found


def test_every_source_of_the_engine_is_in_the_package() -> None:
    found = installed()
    folders = [beds.ROOT / "cmake", beds.ROOT / "engine"]
    asked = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    wanted = {path.relative_to(beds.ROOT).as_posix() for path in asked if "tests" not in path.parts[-3:-1]}
    own = {name for name in wanted if not name.startswith("engine/tests/")}
    assert own <= found
    assert {"CMakeLists.txt", "LICENSE", "third_party/nlohmann/json.hpp"} <= found
    assert not any(name.startswith("engine/tests/") for name in found)


def test_the_sources_that_are_found_can_be_configured() -> None:
    """Every file that the build names is there."""
    folder = sources()
    listed = re.findall(r"^\s+(groma/\S+\.cpp)\b", (folder / "engine" / "CMakeLists.txt").read_text(), re.MULTILINE)
    assert listed
    assert [name for name in listed if not (folder / "engine" / name).is_file()] == []
    included = re.findall(r"include\((cmake/\S+)\)", (folder / "CMakeLists.txt").read_text())
    assert [name for name in included if not (folder / name).is_file()] == []
