"""Compares the recipes in packaging/ with what the project says of itself in pyproject.toml and CMakeLists.txt.

What each recipe has to say is worked out from those files, in the recipe's own notation, and looked for; a requirement
that the project no longer has is found too.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
# What easyconfigs of that name bring.
_BUNDLES = {
    ("SciPy-bundle", "2026.05"): {"numpy": "2.4.6"},
    ("Python-bundle-PyPI", "2026.04"): {"click": "8.3.3", "jinja2": "3.1.6", "platformdirs": "4.9.6", "rich": "15.0.0"},
}
# Python and GCC of Debian's releases.
_DEBIAN = {"trixie": ("3.13", 14)}
_GCC, _CLANG = 12, 14  # the oldest compilers that tools/prepare-venv accepts


@dataclass(frozen=True)
class Project:
    """What the project says of itself."""

    version: str
    python: str  # 3.11
    cmake: str  # 3.24
    standard: str  # 20
    backend: Requirement
    requirements: list[Requirement]

    @classmethod
    def read(cls, root: Path = ROOT) -> Project:
        """Read it from pyproject.toml and CMakeLists.txt."""
        stated = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
        cmake = (root / "CMakeLists.txt").read_text(encoding="utf-8")
        return cls(
            version=_the_one(r"project\(groma VERSION ([\d.]+)", cmake),
            python=stated["project"]["requires-python"].removeprefix(">="),
            cmake=_the_one(r"cmake_minimum_required\(VERSION ([\d.]+?)\.\.\.", cmake),
            standard=_the_one(r"set\(CMAKE_CXX_STANDARD (\d+)\)", cmake),
            backend=Requirement(stated["build-system"]["requires"][0]),
            requirements=[Requirement(line) for line in stated["project"]["dependencies"]],
        )


def spack_range(specifiers: SpecifierSet) -> str:
    """Return bounds as Spack writes them: >=1.26,<3 is 1.26:2, since a Spack range includes its end."""
    bounds = {one.operator: one.version for one in specifiers}
    end = bounds.get("<")
    return f"{bounds['>=']}:{int(end) - 1 if end else ''}"


def spack(project: Project, recipe: str) -> Iterator[str]:
    """Yield what is wrong with the Spack package."""
    asked = [*project.requirements, project.backend]
    wanted = {f"py-{one.name}@{spack_range(one.specifier)}" for one in asked}
    said = set(re.findall(r'depends_on\("(py-[^"]+)"', recipe))
    yield from _differences(wanted, said)
    yield from _lacks(
        recipe,
        "from spack_repo.builtin.build_systems.python import PythonPackage\n",
        f'version("{project.version}"',
        f'"python@{project.python}:"',
        f'"cmake@{project.cmake}:"',
        f'conflicts("%gcc@:{_GCC - 1}", msg="the engine is C++{project.standard}: GCC {_GCC} or newer")',
        f'conflicts("%clang@:{_CLANG - 1}", msg="the engine is C++{project.standard}: Clang {_CLANG} or newer")',
    )


def conda(project: Project, recipe: str) -> Iterator[str]:
    """Yield what is wrong with the conda recipe."""
    lines = {_conda_line(one) for one in project.requirements}
    run = recipe.partition("  run:\n")[2].partition("\n\n")[0]
    said = set(re.findall(r"^    - (.*)$", run, re.MULTILINE))
    yield from _differences(lines | {f"python >={project.python}", "${{ mpi }}"}, said)
    host = [f"- {_conda_line(project.backend)}\n", f"- cmake >={project.cmake}\n", f"- python >={project.python}\n"]
    yield from _lacks(recipe, f'  version: "{project.version}"\n', f"C++{project.standard}", *host)


def easybuild(project: Project, recipe: str) -> Iterator[str]:
    """Yield what is wrong with the easyconfig: versions are exact there, and must be within the bounds."""
    stated: dict[str, str] = dict(re.findall(r"\('([\w-]+)', '([\d.]+)'", recipe))
    for (bundle, version), parts in _BUNDLES.items():
        if stated.get(bundle) == version:
            stated |= parts
    versions = {canonicalize_name(name): version for name, version in stated.items()}
    needed = [Requirement(f"python>={project.python}"), Requirement(f"cmake>={project.cmake}"), project.backend]
    for requirement in [*needed, *project.requirements]:
        has = versions.get(canonicalize_name(requirement.name), "nowhere")
        if has == "nowhere" or not requirement.specifier.contains(has):
            yield f"has {requirement.name} {has}, and {requirement} is needed"
    yield from _lacks(recipe, f"version = '{project.version}'", f"C++{project.standard}")


def container(project: Project, recipe: str) -> Iterator[str]:
    """Yield what is wrong with the container file."""
    yield from _lacks(recipe, f"C++{project.standard}", "requirements/quick.txt")
    for suite in sorted(set(re.findall(r"^FROM \S+/debian:(\w+)-slim", recipe, re.MULTILINE))):
        python, gcc = _DEBIAN.get(suite, ("0", 0))
        if not SpecifierSet(f">={project.python}").contains(python) or gcc < _GCC:
            yield f"begins with Debian {suite}: its Python or GCC is too old, or this check does not know it"


RECIPES = {
    "packaging/spack/spack_repo/groma/packages/py_groma/package.py": spack,
    "packaging/easybuild/groma-{version}-foss-2026.1.eb": easybuild,
    "packaging/conda/recipe.yaml": conda,
    "packaging/container/Containerfile": container,
}


def main(root: Path = ROOT) -> int:
    """Print what is wrong with every recipe; exit code 1 if there is something."""
    project = Project.read(root)
    code = 0
    for name, faults_of in RECIPES.items():
        path = root / name.format(version=project.version)
        recipe = path.read_text(encoding="utf-8") if path.is_file() else ""
        for fault in faults_of(project, recipe) if recipe else ["is missing"]:
            print(f"{path.relative_to(root)} {fault}")
            code = 1
    return code


def _the_one(pattern: str, text: str) -> str:
    (said,) = re.findall(pattern, text)
    return str(said)


def _conda_line(requirement: Requirement) -> str:
    bounds = sorted(map(str, requirement.specifier), reverse=True)
    return f"{requirement.name} {','.join(bounds)}"


def _differences(wanted: set[str], said: set[str]) -> Iterator[str]:
    yield from (f"lacks {line}" for line in sorted(wanted - said))
    yield from (f"asks for {line}, and the project does not" for line in sorted(said - wanted))


def _lacks(recipe: str, *texts: str) -> Iterator[str]:
    yield from (f"lacks {text.strip()}" for text in texts if text not in recipe)


if __name__ == "__main__":
    sys.exit(main())
