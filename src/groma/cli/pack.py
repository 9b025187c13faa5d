"""`groma pack`: this installation as one file, for machines without a network and a compiler."""

from __future__ import annotations

import platform
from pathlib import Path

import click

from groma.cli.options import file_option
from groma.launch.command import find_setup
from groma.launch.engine import find_engine
from groma.text.console import err, out, path_line
from groma.text.version import version


@click.command()
@file_option("groma-VERSION-MACHINE.run here")
def pack(output: Path | None) -> int:
    """Pack this installation into one file that unpacks and runs without a network, a compiler and Python.

    It holds Python, the packages, the engine, and the MPI library and launcher if they were installed with Groma. On
    another machine of the same processor type: sh FILE FOLDER, then FOLDER/bin/groma quick. The path is the last line.
    """
    from groma.launch.packing import has_library, needed_glibc, packed_files, write_pack  # noqa: PLC0415

    setup = find_setup(find_engine())
    files = packed_files(setup)
    target = output or Path(f"groma-{version()}-{platform.machine()}.run")
    write_pack(target, files, version())
    console = err()
    if not has_library(files, setup):
        library = setup.engine.library or "the MPI library"
        console.print(f"{library} is not in it: the other machine needs the same.", markup=False, soft_wrap=True)
    size = f"{target.stat().st_size / 1e6:.0f} MB, {len(files)} files"
    console.print(f"{size}, for glibc {needed_glibc(files.values())} or newer", markup=False, soft_wrap=True)
    path_line(out(), target)
    return 0
