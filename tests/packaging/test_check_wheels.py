"""tools/check_wheels.py finds what keeps a wheel from running elsewhere."""

from __future__ import annotations

import platform
import zipfile
from collections.abc import Sequence
from pathlib import Path

import beds
import pytest

from tools.check_wheels import SOURCES, main

pytestmark = pytest.mark.bed("objdump")

NAME = "groma-0.1.0-py3-none-manylinux_2_28_{}.whl"
HERE = platform.machine()
PORTABLE = ["-Wl,--enable-new-dtags,-rpath,$ORIGIN/../lib"]
CODE = "extern int puts(const char*); int greet(void) { return puts(0); }"


def wheel_with(
    folder: Path, options: Sequence[str] = PORTABLE, name: str = NAME.format(HERE), sources: Sequence[str] = SOURCES
) -> Path:
    """Make a wheel whose only program is a library that calls puts, linked with these options."""
    (folder / "greet.c").write_text(CODE)
    compiled = beds.run(
        ["cc", "-shared", "-fPIC", "-nostartfiles", "-o", str(folder / "greet"), str(folder / "greet.c"), *options]
    )
    assert compiled.exit_code == 0, compiled.errors
    wheel = folder / name
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.write(folder / "greet", "groma-0.1.0.data/scripts/groma-engine")
        for source in sources:
            archive.writestr(f"groma/_engine_sources/{source}", "")
    return wheel


def test_a_portable_wheel_is_accepted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(wheel_with(tmp_path))]) == 0
    said = capsys.readouterr()
    assert "groma-engine: glibc 2." in said.out
    assert "libc.so.6" in said.out
    assert said.err == ""


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (["-Wl,--enable-new-dtags,-rpath,/builds/mpi/lib"], "searches /builds/mpi/lib (RUNPATH)"),
        (["-Wl,--disable-new-dtags,-rpath,$ORIGIN/../lib"], "searches $ORIGIN/../lib (RPATH)"),
        (["-Wl,--no-as-needed", "-lstdc++"], "needs libstdc++.so.6"),
        (["-Wl,--no-as-needed", "-lresolv"], "needs libresolv.so.2"),
    ],
)
def test_what_another_machine_lacks_is_named(
    options: list[str], fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(wheel_with(tmp_path, options))]) == 1
    assert fault in capsys.readouterr().err


def test_symbols_of_a_newer_glibc_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Any symbol is newer than glibc 2.1."""
    assert main([str(wheel_with(tmp_path, name=NAME.format(HERE).replace("2_28", "2_1")))]) == 1
    assert "and the wheel says 2.1" in capsys.readouterr().err


def test_a_wheel_for_another_machine_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = "aarch64" if HERE == "x86_64" else "x86_64"
    assert main([str(wheel_with(tmp_path, name=NAME.format(other)))]) == 1
    assert f"not {other}" in capsys.readouterr().err


def test_a_wheel_without_a_tag_of_its_glibc_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(wheel_with(tmp_path, name=f"groma-0.1.0-py3-none-linux_{HERE}.whl"))]) == 1
    assert "is not named after a manylinux platform" in capsys.readouterr().err


def test_a_wheel_without_the_sources_of_the_engine_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(wheel_with(tmp_path, sources=SOURCES[1:]))]) == 1
    assert f"lacks {SOURCES[0]}" in capsys.readouterr().err
