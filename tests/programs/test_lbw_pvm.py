"""lbw-pvm: the same options and report over PVM, whose daemon these tests start and stop."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import beds
import documented
import pytest
from contract.kinds import check_members, check_object
from printed_numbers import exactly
from programs.printed import PVM_VARIABLES, figures, program
from synthetic import Scenario, make_run

import groma
from groma.analysis import summarise
from groma.catalog import packaged
from groma.programs.answers import study_of
from groma.programs.nas.summaries import FILE
from groma.results import load_run
from groma.results.launched import read_records
from groma.results.records import End, Failure, Point, Start

pytestmark = pytest.mark.bed("pvm", "embedded")


def lbw_pvm(*arguments: str, variables: dict[str, str]) -> beds.Result:
    command = [str(program(beds.libraries()["embedded"], "lbw-pvm")), *arguments]
    return beds.run(command, environment=os.environ | variables)


@pytest.fixture(scope="module")
def virtual_machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """A PVM daemon of this host, with its files in a folder of its own; the variables that find it."""
    folder = tmp_path_factory.mktemp("pvm")
    variables = PVM_VARIABLES | {"PVM_TMP": str(folder), "HOME": str(folder)}
    environment = os.environ | variables
    started = beds.run(["sh", "-c", "echo quit | pvm"], environment=environment, timeout_s=30)
    assert started.exit_code == 0, started
    yield variables
    beds.run(["sh", "-c", "echo halt | pvm"], environment=environment, timeout_s=30)


@pytest.mark.parametrize(
    "arguments", ["-n 20", "-n 20 -s async --check", "-n 50 -L --direct", "-L -a --min-seconds 0.02"]
)
def test_lbw_over_pvm(virtual_machine: dict[str, str], arguments: str) -> None:
    result = lbw_pvm(*arguments.split(), variables=virtual_machine)
    assert result.exit_code == 0, result
    assert re.match(r" -- \*{6} LBW PVM Benchmark, Groma \S+ \*{6} --\n", result.output)
    figure = figures(result.output)
    size, passes = figure["Message size"], figure["Number of passes"]
    one_way = figure["Latency" if "-L" in arguments else "Time per message"]
    assert (exactly(2) * passes * size / exactly(1e6)).agrees(figure["Total bytes transferred"])
    assert (figure["Total time"] / passes * exactly(5e5)).agrees(one_way)
    if "-L" not in arguments:
        assert (size / one_way).agrees(figure["Bandwidth"])
    if "-a" in arguments:
        assert (
            len(re.findall(r"^ Process [01]: host \S+, processor \d+, \d+ bytes sent", result.output, re.MULTILINE))
            == 2
        )


@pytest.mark.parametrize("arguments", ["-n 20 --best-of 3 --check", "-n 50 -L -s async --direct"])
def test_records_hold_what_was_printed_and_are_the_studys_row(
    virtual_machine: dict[str, str], tmp_path: Path, arguments: str
) -> None:
    run = nas_run(tmp_path / "run")
    result = lbw_pvm(*arguments.split(), "--out", str(run / FILE), variables=virtual_machine)
    assert result.exit_code == 0, result
    figure = figures(result.output)
    (start, point, end), torn = read_records(run / FILE)
    assert not torn
    assert isinstance(start, Start)
    assert isinstance(point, Point)
    assert isinstance(end, End)
    assert (start.library.name, start.ranks, end.failures) == ("PVM", 2, 0)
    check_declared(run / FILE)
    assert point.samples_ns.size == (3 if "--best-of" in arguments else 1)
    passes = figure["Number of passes"].value
    assert (point.repetitions_per_sample, point.message_bytes) == (passes, figure["Message size"].value)
    assert figure["Total time"].agrees(1e-9 * int(point.samples_ns.min()))
    one_way_us = int(point.samples_ns.min()) / passes / 2 / 1e3
    assert figure["Latency" if "-L" in arguments else "Time per message"].agrees(one_way_us)
    study = study_of(load_run(run), summarise(load_run(run)))
    assert study is not None
    (table,) = (table for table in study.tables if table.title == "LBW over PVM")
    ((name, _, bandwidth, latency),) = table.rows
    if "-L" in arguments:
        assert name == "node01, async, direct"
        assert float(latency) == pytest.approx(one_way_us, rel=1e-3)
    else:
        assert name == "node01"
        assert float(bandwidth) == pytest.approx(1e6 / one_way_us, rel=1e-3)


def nas_run(path: Path) -> Path:
    """Return a run of one point that is the NAS study's."""
    run = make_run(path, Scenario(launches=1, samples=8, operations=("pingpong",), sizes=(40,)))
    document = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(document | {"profile": "nas"}))
    return run


def test_the_recipe_of_the_documentation_as_it_stands_there(virtual_machine: dict[str, str], tmp_path: Path) -> None:
    """Two programs append to one file, and the run's study shows both in one row, beside Lomax."""
    (recipe,) = (text for _, text in documented.blocks("docs/programs.md") if "lbw-pvm" in text and "groma" in text)
    nas_run(tmp_path / "RUN")
    own = f"PYTHONPATH={Path(groma.__file__).parents[1]} exec {sys.executable} -m groma"  # the one of this test
    (tmp_path / "groma").write_text(f'#!/bin/sh\n{own} "$@"\n')
    (tmp_path / "groma").chmod(0o755)
    places = [str(tmp_path), str(program(beds.libraries()["embedded"], "lbw-pvm").parent), os.environ["PATH"]]
    environment = os.environ | virtual_machine | {"PATH": os.pathsep.join(places)}
    result = beds.run(["sh", "-ec", f"cd {tmp_path}\n{recipe}"], environment=environment, timeout_s=60)
    assert result.exit_code == 0, result
    printed = figures(result.output)
    row = re.search(r"^node01 +\S+ +([\d.]+) +([\d.]+)$", result.output, re.MULTILINE)
    assert row, result.output
    assert float(row[1]) == pytest.approx(printed["Bandwidth"].value, rel=1e-3)
    assert float(row[2]) == pytest.approx(printed["Latency"].value, rel=1e-3)
    assert re.search(r"^Lomax +400 +83\.1 +19\.6$", result.output, re.MULTILINE)


def check_declared(path: Path) -> None:
    """Assert that the engine's schema declares all that the records hold: whoever reads the engine's reads these."""
    for line in path.read_text().splitlines():
        record = json.loads(line)
        kind = packaged().kind(record["kind"])
        if record["kind"] == "failure":
            check_object(record, kind, "failure")
        # Its parameters are those of LBW, and no point of the engine has them.
        check_members({name: held for name, held in record.items() if name != "point"}, kind, record["kind"])


def test_wrong_data_is_one_sentence_and_a_record(virtual_machine: dict[str, str], tmp_path: Path) -> None:
    preloaded, out = tmp_path / "libpvm_fault.so", tmp_path / "pvm.jsonl"
    source = Path(__file__).parents[1] / "engine" / "interpose" / "pvm_fault.c"
    assert beds.run(["cc", "-shared", "-fPIC", str(source), "-o", str(preloaded), "-ldl"]).exit_code == 0
    fault = {"LD_PRELOAD": str(preloaded), "GROMA_FAULT_BYTES": "5000", "GROMA_FAULT_OFFSET": "777"}
    result = lbw_pvm("-n", "5", "-b", "5000", "--out", str(out), variables=virtual_machine | fault)
    says = "wrong data on the first process at offset 777"
    assert (result.exit_code, result.output, result.errors) == (1, "", f"lbw-pvm: {says}\n")
    (_, failure, end), _ = read_records(out)
    assert isinstance(failure, Failure)
    assert isinstance(end, End)
    assert (failure.reason, failure.message, failure.ranks, end.failures) == ("wrong_data", says, [0], 1)
    check_declared(out)


STALE = "7f000001:270f\n"  # the address of a daemon that is gone


@pytest.mark.parametrize(
    ("variables", "address", "says"),
    [
        ({}, "", "no PVM daemon runs here; start one with: echo quit | pvm"),
        pytest.param({}, STALE, "no PVM daemon runs here; start one with: echo quit | pvm", marks=pytest.mark.slow),
        ({"PVM_ROOT": "/proc/nowhere"}, "", "no PVM daemon runs here; start one with: echo quit | pvm"),
        ({"PVM_ALLOW_ROOT": None}, "", "PVM refuses root; use another account, or set PVM_ALLOW_ROOT=1"),
    ],
)
def test_without_a_daemon_one_sentence_and_nothing_of_the_library(
    tmp_path: Path, variables: dict[str, str | None], address: str, says: str
) -> None:
    if "PVM_ALLOW_ROOT" in variables and os.geteuid() != 0:
        pytest.skip("PVM refuses root alone")
    if address:
        (tmp_path / f"pvmd.{os.getuid()}").write_text(address)
    environment = PVM_VARIABLES | {"PVM_TMP": str(tmp_path)} | variables
    result = lbw_pvm("-n", "1", variables={name: text for name, text in environment.items() if text is not None})
    assert (result.exit_code, result.output, result.errors) == (2, "", f"lbw-pvm: {says}\n")


def test_records_that_cannot_be_written_are_refused_first(virtual_machine: dict[str, str]) -> None:
    result = lbw_pvm("-n", "1", "--out", "/proc/nowhere/pvm.jsonl", variables=virtual_machine)
    assert (result.exit_code, result.output) == (2, "")
    assert len(result.errors.splitlines()) == 1
    assert "/proc/nowhere/pvm.jsonl" in result.errors


@pytest.mark.parametrize(("arguments", "saying"), [("-n 0", "num_times"), ("-x", "-x is not an option")])
def test_a_wrong_option(arguments: str, saying: str) -> None:
    result = lbw_pvm(*arguments.split(), variables={})
    assert result.exit_code == 2, result
    assert result.errors.startswith("lbw-pvm: ")
    assert saying in result.errors
    assert len(result.errors.splitlines()) == 1
