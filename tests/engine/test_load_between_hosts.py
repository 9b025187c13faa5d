"""Between hosts whose links are slow, a load of some ranks slows others that use the same links."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import beds
import hosts
import pytest

from groma.analysis import summarise
from groma.programs.congestion.impact import impacts_of
from groma.results import load_run

PLAN = """
name = "shared"
launches = 8
order = "interleaved"

[[points]]
operation = "halo/all_at_once"
bytes = "64K"
timing = "call"
sync = "dissemination"
stop = "reps"
repetitions = 10
warmups = 2
load = ["silent", "bcast"]
load_ranks = "block"
"""


@pytest.mark.mpi
@pytest.mark.slow
@pytest.mark.bed("hosts", "embedded")
def test_a_load_on_a_slow_link_slows_those_who_share_it(tmp_path: Path) -> None:
    beside = Path(sys.executable).parent
    (tmp_path / "shared.toml").write_text(PLAN)
    command = [str(beside / "groma"), "run", str(tmp_path / "shared.toml"), "-n", "4", "-o", str(tmp_path / "run")]
    with hosts.virtual_hosts(2) as bed:
        for host in (0, 1):
            bed.slow_down(host, mbit_per_s=50)
        launcher = f"{beside / 'mpiexec'} -launcher ssh -launcher-exec {bed.agent}"
        # Victims are ranks 0 and 1, loads 2 and 3: one of each on either host.
        where = ["--hosts", ",".join(bed.names), "--placement", "by-node", "--launcher", launcher]
        ended = beds.run([*command, *where], environment=dict(os.environ))
    assert ended.exit_code == 0, ended.output + ended.errors
    placed = json.loads((tmp_path / "run/launches/001/nodes.json").read_text())
    assert [rank["node"] for rank in placed["ranks"]] == [0, 1, 0, 1]
    (impact,) = impacts_of(summarise(load_run(tmp_path / "run")))
    assert impact.judged.verdict == "slower", impact.judged.comparison
    assert impact.bytes_per_s is not None
    assert impact.bytes_per_s.value < 2 * 50e6 / 8  # both links together
