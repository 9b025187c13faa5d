"""ReFrame itself, started on the stand-ins and on Groma's own test module, with a real MPI library."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import beds
import pytest
from standing import PYTHON_PATH, written

pytestmark = [pytest.mark.mpi, pytest.mark.bed("reframe"), pytest.mark.slow]

_SYSTEM = {
    "name": "here",
    "hostnames": [".*"],
    "partitions": [{"name": "here", "scheduler": "local", "launcher": "mpirun", "environs": ["any"], "max_jobs": 1}],
}
_SITE = {"systems": [_SYSTEM], "environments": [{"name": "any", "cc": "", "cxx": "", "ftn": ""}]}
_SHORT = "pingpong allreduce --bytes 8 --set sync=barrier --set stop=reps --set repetitions=10"
_PLANTED_NS = 20_000_000
# Far above what a busy machine makes of a ping-pong, and far below what is planted.
_LIMITS = '[[limit]]\noperation = "pingpong"\nbytes = 8\nvalue = 5.0\nupper = 1.0\nunit = "ms"\n'


def reframe(library: beds.Library, place: Path, module: Path, *words: str) -> tuple[int, list[dict[str, Any]]]:
    """Run a module's tests with ReFrame; return its exit code, and what its report says of each."""
    (place / "site.py").write_text(f"site_configuration = {_SITE!r}\n")
    programs = place / "programs"
    programs.mkdir(exist_ok=True)
    for name, command in {"groma": f"{sys.executable} -m groma", "mpirun": library.mpiexec}.items():
        (programs / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        (programs / name).chmod(0o755)
    changed = {
        "PATH": os.pathsep.join(map(str, (programs, place / "bin", os.environ["PATH"]))),
        **PYTHON_PATH,
        "GROMA_ENGINE": str(library.engine),
        "GROMA_MPIEXEC": library.mpiexec,
        "HOME": str(place),
    }
    report = place / "report.json"
    started = [str(beds.REFRAME), "-C", str(place / "site.py"), "-c", str(module), "--prefix", str(place), "-r"]
    done = beds.run([*started, f"--report-file={report}", *words], library.environment(changed), timeout_s=240)
    assert report.is_file(), done.output + done.errors
    cases: list[dict[str, Any]] = json.loads(report.read_text())["runs"][0]["testcases"]
    return done.exit_code, cases


def test_hpctestlib_s_commands_and_patterns_pass_on_the_stand_ins(embedded: beds.Library, tmp_path: Path) -> None:
    written(embedded, tmp_path / "bin")
    code, cases = reframe(embedded, tmp_path, beds.ROOT / "tests" / "foreign" / "reframe_commands.py")
    assert [(case["result"], len(case["perfvalues"])) for case in cases] == [("pass", 1)] * 4, cases
    assert all(value[0] > 0 for case in cases for value in case["perfvalues"].values())
    assert code == 0


@pytest.mark.parametrize(("added_ns", "result"), [(0, "pass"), (_PLANTED_NS, "fail")])
def test_groma_s_module_has_the_limits_of_the_site(
    embedded: beds.Library, tmp_path: Path, added_ns: int, result: str
) -> None:
    (tmp_path / "limits.toml").write_text(_LIMITS)
    settings = {"what": f"{_SHORT} --set added_ns={added_ns}", "limits": str(tmp_path / "limits.toml")}
    options = [word for name, value in settings.items() for word in ("-S", f"groma_run.{name}={value}")]
    code, (case,) = reframe(embedded, tmp_path, beds.ROOT / "packaging" / "reframe" / "groma.py", *options)
    assert (case["result"], code == 0) == (result, result == "pass"), case
    figures = {name.rpartition(":")[2]: value for name, value in case["perfvalues"].items()}
    value, reference, _, upper, unit, *_ = figures["pingpong_8"]
    assert (reference, upper, unit) == (5.0, 1.0, "ms")
    assert (value > 10.0) == (result == "fail")
    if result == "fail":
        assert case["fail_phase"] == "performance"
    assert figures["allreduce_8"][0] > 0


def test_a_run_that_is_not_complete_is_not_sane(embedded: beds.Library, tmp_path: Path) -> None:
    what = f"{_SHORT} --set limit_s=0.000001 --launches 1"
    code, (case,) = reframe(
        embedded, tmp_path, beds.ROOT / "packaging" / "reframe" / "groma.py", "-S", f"groma_run.what={what}"
    )
    assert (code != 0, case["result"], case["fail_phase"]) == (True, "fail", "sanity"), case
