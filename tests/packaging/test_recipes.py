"""tools/check_recipes.py: the recipes agree with the project, and a recipe that does not is named."""

from __future__ import annotations

import shutil
from pathlib import Path

import beds
import pytest
from packaging.specifiers import SpecifierSet

from tools.check_recipes import RECIPES, main, spack_range

SPACK, EASYBUILD, CONDA, CONTAINER = (name.format(version="0.1.0") for name in RECIPES)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a copy of what the check reads."""
    shutil.copytree(beds.ROOT / "packaging", tmp_path / "packaging")
    for name in ("pyproject.toml", "CMakeLists.txt"):
        shutil.copy(beds.ROOT / name, tmp_path / name)
    return tmp_path


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_the_recipes_agree_with_the_project(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(copy) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("name", "old", "new", "fault"),
    [
        (SPACK, "py-numpy@1.26:2", "py-numpy@1.24:2", "lacks py-numpy@1.26:2"),
        (SPACK, "py-numpy@1.26:2", "py-numpy@1.24:2", "asks for py-numpy@1.24:2, and the project does not"),
        (SPACK, 'version("0.1.0")', 'version("0.0.9")', 'lacks version("0.1.0"'),
        (SPACK, "%gcc@:11", "%gcc@:10", "lacks conflicts"),
        (SPACK, "spack_repo.builtin", "spack", "lacks from spack_repo.builtin"),
        (EASYBUILD, "('msgspec', '0.22.0'", "('msgspec', '1.0.0'", "has msgspec 1.0.0, and msgspec<1,>=0.18 is needed"),
        (EASYBUILD, "('Python-bundle-PyPI', '2026.04')", "('Python-bundle-PyPI', '2024.06')", "has rich nowhere"),
        (EASYBUILD, "('SciPy-bundle', '2026.05')", "('SciPy-bundle', '2022.05')", "has numpy nowhere"),
        (CONDA, "cmake >=3.24", "cmake >=3.20", "lacks - cmake >=3.24"),
        (CONDA, "    - numpy >=1.26,<3\n", "", "lacks numpy >=1.26,<3"),
        (CONTAINER, "C++20", "C++17", "lacks C++20"),
        (CONTAINER, "trixie", "bullseye", "begins with Debian bullseye"),
    ],
)
def test_a_recipe_that_disagrees_is_named(
    *, name: str, old: str, new: str, fault: str, copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(copy / name, old, new)
    assert main(copy) == 1
    assert f"{name} {fault}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "old", "new", "faults"),
    [
        ("CMakeLists.txt", "VERSION 3.24...", "VERSION 3.28...", (SPACK, CONDA)),
        ("CMakeLists.txt", "CMAKE_CXX_STANDARD 20", "CMAKE_CXX_STANDARD 23", (SPACK, EASYBUILD, CONDA, CONTAINER)),
        ("pyproject.toml", 'requires-python = ">=3.11"', 'requires-python = ">=3.14"', (SPACK, CONDA, CONTAINER)),
        ("pyproject.toml", '"rich>=13.7,<16"', '"rich>=16,<17"', (SPACK, EASYBUILD, CONDA)),
    ],
)
def test_a_project_that_moves_on_needs_its_recipes_changed(
    *, name: str, old: str, new: str, faults: tuple[str, ...], copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(copy / name, old, new)
    assert main(copy) == 1
    said = capsys.readouterr().out
    assert [recipe for recipe in faults if recipe not in said] == []


def test_a_recipe_that_is_gone_is_named(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (copy / CONDA).unlink()
    assert main(copy) == 1
    assert f"{CONDA} is missing" in capsys.readouterr().out


def test_bounds_as_spack_writes_them() -> None:
    assert [spack_range(SpecifierSet(text)) for text in (">=1.26,<3", ">=0.18,<1", ">=0.10")] == [
        *("1.26:2", "0.18:0", "0.10:"),
    ]
