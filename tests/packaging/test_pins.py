"""Versions that have to be written twice are the same twice."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import version

import beds
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = tomllib.loads((beds.ROOT / "pyproject.toml").read_text())


def pinned() -> dict[str, str]:
    lines = [line for name in ("quick", "test") for line in _lines(f"{name}.txt")]
    requirements = [Requirement(line) for line in lines if line and not line.startswith(("#", "-r"))]
    return {canonicalize_name(r.name): str(r.specifier).removeprefix("==") for r in requirements}


def _lines(name: str) -> list[str]:
    return (beds.ROOT / "requirements" / name).read_text().splitlines()


def test_every_requirement_is_pinned_within_its_bounds() -> None:
    pins = pinned()
    build = PROJECT["build-system"]["requires"]
    extras = [requirement for extra in PROJECT["project"]["optional-dependencies"].values() for requirement in extra]
    for requirement in map(Requirement, [*build, *extras, *PROJECT["project"]["dependencies"]]):
        assert requirement.specifier.contains(pins[canonicalize_name(requirement.name)]), requirement


def test_intel_mpi_is_the_same_where_it_is_installed_and_where_it_is_looked_for() -> None:
    script = (beds.ROOT / "tools" / "install-intel-mpi").read_text()
    assert re.findall(r"^version=(\S+)", script, flags=re.MULTILINE) == [beds.INTEL_VERSION]


def test_reframe_is_the_same_where_it_is_installed_and_where_it_is_looked_for() -> None:
    assert f"reframe-hpc=={beds.REFRAME_VERSION}" in _lines("reframe.txt")


def test_the_package_has_the_version_that_cmake_has() -> None:
    (written,) = re.findall(r"project\(groma VERSION ([0-9.]+)", (beds.ROOT / "CMakeLists.txt").read_text())
    assert version("groma") == written
