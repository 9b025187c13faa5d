"""lbw-pvm: the same options and report over PVM, whose daemon these tests start and stop."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import beds
import pytest
from printed_numbers import exactly
from programs.printed import figures, program

VARIABLES = {"PVM_ROOT": "/usr/lib/pvm3", "PVM_ARCH": "LINUX64", "PVM_ALLOW_ROOT": "1"}
pytestmark = pytest.mark.bed("pvm", "embedded")


def lbw_pvm(*arguments: str, variables: dict[str, str]) -> beds.Result:
    command = [str(program(beds.libraries()["embedded"], "lbw-pvm")), *arguments]
    return beds.run(command, environment=os.environ | variables)


@pytest.fixture(scope="module")
def virtual_machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """A PVM daemon of this host, with its files in a folder of its own; the variables that find it."""
    folder = tmp_path_factory.mktemp("pvm")
    variables = VARIABLES | {"PVM_TMP": str(folder), "HOME": str(folder)}
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


def test_without_a_daemon_it_says_so(tmp_path: Path) -> None:
    result = lbw_pvm("-n", "1", variables=VARIABLES | {"PVM_TMP": str(tmp_path)})
    assert result.exit_code == 2, result
    assert re.search(r"^lbw-pvm: no PVM daemon runs here", result.errors, re.MULTILINE), result.errors


@pytest.mark.parametrize(("arguments", "saying"), [("-n 0", "num_times"), ("-x", "-x is not an option")])
def test_a_wrong_option(arguments: str, saying: str) -> None:
    result = lbw_pvm(*arguments.split(), variables={})
    assert result.exit_code == 2, result
    assert result.errors.startswith("lbw-pvm: ")
    assert saying in result.errors
    assert len(result.errors.splitlines()) == 1
