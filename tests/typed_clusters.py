"""Checks of the pages' commands that name hosts, a launcher of one's own, or a scheduler."""

from __future__ import annotations

from pathlib import Path

from fakes.launchers import recording
from fakes.libraries import program
from typed_commands import Place


def ranks_go_to_named_hosts(place: Place) -> None:
    Path("hosts.txt").write_text("a\nb slots=4\n" if "--ppn" not in place.command else "a\nb\n")
    said = place.type("--launches", "1", "--dry-run")
    expected = {
        "groma run allreduce --hosts node1:4,node2:4": "node1:4,node2:4",
        "groma run allreduce -n 8 --hosts a,b": "a:4,b:4",
        "groma run allreduce --hosts a:2,b:6": "a:2,b:6",
        "groma run allreduce --hostfile hosts.txt --ppn 4": "a:4,b:4",
    }[place.command]
    assert f"-hosts {expected} " in said.out, said.err


def a_template_is_filled(place: Place) -> None:
    recording(Path("bin/mylauncher").absolute(), Path("log").absolute(), says="mine\n")
    place.monkeypatch.setenv("PATH", f"{Path('bin').absolute()}:/usr/bin:/bin")
    said = place.type("--launches", "1", "--dry-run")
    assert "mylauncher -n 2 --on a,b " in said.out, said.err


def files_are_staged(place: Place) -> None:
    program(Path("bin/ssh").absolute(), '#!/bin/sh\necho "$1" >> staged\n')
    place.monkeypatch.setenv("PATH", f"{Path('bin').absolute()}:/usr/bin:/bin")
    said = place.type()
    assert said.code == 0, said.err
    assert Path("staged").read_text() == "node1\nnode2\n"


def a_job_is_written(place: Place) -> None:
    Path("plan.toml").write_text("[[points]]\noperation = 'noop'\n")
    assert place.type().code == 0
    lines = Path("job.sh").read_text().splitlines()
    assert {"#SBATCH --nodes=2", "#SBATCH --ntasks-per-node=4", "#SBATCH --time=01:00:00"} <= set(lines)
    assert ("#SBATCH --account=abc" in lines) == ("--directive" in place.command)
    assert lines[-1].endswith("run --or-resume plan.toml")
