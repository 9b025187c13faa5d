"""Says whether wheels run where their names say: reads every program in them with binutils' readelf.

    python tools/check_wheels.py dist/*.whl

A wheel of manylinux_2_28 may need glibc up to 2.28, its parts, and libmpi_abi.so.1, which the site or PyPI's mpich has;
no C++ library, nothing else of the machine that built it, and no folder of that machine.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import NamedTuple

ALLOWED = re.compile(r"libmpi_abi\.so\.1|lib(c|m|dl|rt|pthread)\.so\.\d+|ld-linux-(x86-64|aarch64)\.so\.\d+")
RUNPATH = ("RUNPATH", "$ORIGIN/../lib")
# What `groma mpi add` builds engines from, where there is no checkout.
SOURCES = ("CMakeLists.txt", "engine/main.cpp", "third_party/nlohmann/json.hpp")
_NAME = re.compile(r"-py3-none-manylinux_(\d+)_(\d+)_(x86_64|aarch64)\.whl$")
_MACHINES = {"x86_64": "Advanced Micro Devices X86-64", "aarch64": "AArch64"}
_GLIBC = re.compile(r"GLIBC_(\d+)\.(\d+)[.\d]*")


class Program(NamedTuple):
    """What readelf says of a program: its machine, shared libraries, the versions of their symbols, search paths."""

    machine: str
    needed: list[str]
    versions: list[str]
    paths: list[tuple[str, str]]


def read(path: Path) -> Program:
    """Return what a program needs; an ELF file that readelf does not understand raises CalledProcessError."""
    command = ["readelf", "--wide", "--file-header", "--dynamic", "--version-info", str(path)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return Program(
        "".join(re.findall(r"Machine:\s+(.*?)\s*$", said, re.MULTILINE)),
        re.findall(r"\(NEEDED\).*\[(.*)\]", said),
        sorted(set(re.findall(r"Name: (\S+)  Flags", said))),
        re.findall(r"\((RPATH|RUNPATH)\).*\[(.*)\]", said),
    )


def newest_glibc(program: Program) -> tuple[int, int]:
    """Return the oldest glibc that has all symbols of a program."""
    glibcs = filter(None, map(_GLIBC.fullmatch, program.versions))
    return max(((int(glibc[1]), int(glibc[2])) for glibc in glibcs), default=(0, 0))


def faults_of(program: Program, machine: str, glibc: tuple[int, int]) -> list[str]:
    """Return what keeps a program from running on every such machine with this glibc."""
    newest = newest_glibc(program)
    return [
        *([] if program.machine == _MACHINES[machine] else [f"is a program for {program.machine}, not {machine}"]),
        *(f"needs {name}" for name in program.needed if not ALLOWED.fullmatch(name)),
        *(f"needs symbols of {kind}" for kind in sorted({v.partition("_")[0] for v in program.versions} - {"GLIBC"})),
        *([f"needs glibc {newest[0]}.{newest[1]}, and the wheel says {glibc[0]}.{glibc[1]}"] if newest > glibc else []),
        *(f"searches {path} ({kind})" for kind, path in program.paths if (kind, path) != RUNPATH),
    ]


def check(wheel: Path) -> list[str]:
    """Print what the programs of a wheel need, and return what is wrong with it."""
    named = _NAME.search(wheel.name)
    if named is None:
        return [f"{wheel.name} is not named after a manylinux platform (py3-none-manylinux_2_28_x86_64)"]
    glibc, machine = (int(named[1]), int(named[2])), named[3]
    faults = []
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as folder:
        names = archive.namelist()
        faults += [f"lacks {name}" for name in SOURCES if f"groma/_engine_sources/{name}" not in names]
        programs = [name for name in names if archive.open(name).read(4) == b"\x7fELF"]
        faults += [] if any(name.endswith("/groma-engine") for name in programs) else ["lacks groma-engine"]
        for name in programs:
            program = read(Path(archive.extract(name, folder)))
            print(f"  {Path(name).name}: glibc {'.'.join(map(str, newest_glibc(program)))}, {' '.join(program.needed)}")
            found = "; ".join(faults_of(program, machine, glibc))
            faults += [f"{Path(name).name} {found}"] if found else []
        size = sum(entry.file_size for entry in archive.infolist())
    print(f"  {wheel.stat().st_size / 1e6:.1f} MB, {size / 1e6:.1f} MB installed")
    return faults


def main(arguments: list[str]) -> int:
    """Check every wheel; exit code 1 if one has a fault."""
    if not arguments:
        print(
            "name the wheels: python tools/check_wheels.py dist/*.whl (tools/build-wheels makes them)", file=sys.stderr
        )
        return 2
    code = 0
    for wheel in map(Path, arguments):
        print(wheel.name)
        for fault in check(wheel):
            print(f"{wheel.name}: {fault}", file=sys.stderr)
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
