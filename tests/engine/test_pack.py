"""`groma pack`: what it packs runs elsewhere by itself; tools/try-pack tries it in a root without Python."""

from __future__ import annotations

import json
import os
import platform
import sys
from pathlib import Path

import beds
import pytest

from groma.launch.packing import PYTHON, needed_glibc, write_pack

COMMAND = "from groma.cli import main; main()"


@pytest.mark.mpi
@pytest.mark.slow
@pytest.mark.bed("embedded")
def test_a_pack_runs_where_it_was_unpacked_and_uses_nothing_from_here(tmp_path: Path) -> None:
    packed, there = tmp_path / "groma.run", tmp_path / "there"
    here = {name: value for name, value in os.environ.items() if name not in ("GROMA_ENGINE", "PYTHONPATH")}
    made = beds.run([sys.executable, "-c", COMMAND, "pack", "-o", str(packed)], here)
    assert made.exit_code == 0, made.errors

    bare = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), **beds.libraries()["embedded"].variables}
    unpacked = beds.run(["sh", str(packed), str(there)], bare)
    assert unpacked.output == f"{there}/bin/groma\n", unpacked.errors
    program, run = unpacked.output.strip(), tmp_path / "run"
    asked = ["allreduce", "--bytes", "8", "--launches", "1", "--set", "sync=barrier", "-o", str(run)]
    measured = beds.run([program, "run", *asked], bare)
    assert measured.exit_code == 0, measured.errors

    assert json.loads((run / "run.json").read_text())["state"] == "complete"
    launch = json.loads((run / "launches" / "001" / "launch.json").read_text())
    assert launch["command"][0].startswith(f"{there}/bin/")
    files = [launch["build"]["library_path"], *launch["build"]["loaded"]]
    assert [file for file in files if "stdc++" in file] == [f"{there}/lib/libstdc++.so.6"]
    assert not [file for file in files if file.startswith(sys.prefix)]

    again = beds.run(["sh", str(packed), str(there)], bare)
    assert again.exit_code == 2
    assert again.errors == f"groma: {there} is there already; name another folder: sh {packed} FOLDER\n"


def test_a_pack_says_which_machine_it_is_for(tmp_path: Path) -> None:
    packed, programs = tmp_path / "groma.run", tmp_path / "bin"
    engine = beds.libraries()["embedded"].engine
    beds.need("embedded")
    write_pack(packed, {"bin/groma-engine": engine}, "1.2.3")
    programs.mkdir()
    (programs / "uname").write_text("#!/bin/sh\necho vax\n")
    (programs / "uname").chmod(0o755)
    bare = {"PATH": f"{programs}:/usr/bin:/bin"}
    refused = beds.run(["sh", str(packed), str(tmp_path / "there")], bare)
    assert refused.exit_code == 2
    assert refused.errors.startswith(f"groma: this file is for {platform.machine()}, and this machine is vax;")
    assert not (tmp_path / "there").exists()


def test_a_pack_that_does_not_start_says_why_and_what_it_needs(tmp_path: Path) -> None:
    beds.need("embedded")
    engine = beds.libraries()["embedded"].engine
    packed = tmp_path / "groma.run"
    write_pack(packed, {"bin/groma-engine": engine}, "1.2.3")  # without a Python
    failed = beds.run(["sh", str(packed), str(tmp_path / "there")], {"PATH": "/usr/bin:/bin"})
    assert failed.exit_code == 1
    assert f"glibc {needed_glibc([engine])} or newer is needed" in failed.errors
    assert PYTHON in failed.errors
    write_pack(tmp_path / "again", {"bin/groma-engine": engine}, "1.2.3")
    assert (tmp_path / "again").read_bytes() == packed.read_bytes()
