"""Interrupts and kills: they reach the ranks, lose nothing that was measured, and leave no process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from campaigns import PLAN, document, kinds, once
from fakes import Groma

_Seen = TypeVar("_Seen")
COMMAND = "from groma.cli import main; main()"


class Running:
    """A groma in another process, whose engine hangs in its second launch after two points."""

    def __init__(self, fakes: Path) -> None:
        self.alive = fakes / "alive"
        environment = os.environ | {
            "FAKE_ENGINE": "hang_after=2 in_launch=2",
            "FAKE_ALIVE": str(self.alive),
            "PYTHONPATH": os.pathsep.join(sys.path),
        }
        self.process = subprocess.Popen(
            [sys.executable, "-c", COMMAND, *PLAN],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.rank = int(_eventually(lambda: self.alive.read_text() if self.alive.exists() else ""))
        self.launcher = int(Path(f"/proc/{self.rank}/stat").read_text().rpartition(")")[2].split()[1])

    def end(self) -> tuple[int, str]:
        """Wait for groma's end and return exit code and messages."""
        _out, messages = self.process.communicate()
        return self.process.returncode, messages

    def rank_is_gone(self) -> bool:
        """Return whether the rank has ended or is only waiting to be reaped."""
        try:
            return Path(f"/proc/{self.rank}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        except OSError:  # no file any more, or the process ended between open and read
            return True


def _eventually(look: Callable[[], _Seen]) -> _Seen:
    while not (found := look()):
        time.sleep(0.01)
    return found


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_reaches_the_ranks_and_loses_nothing(fakes: Path, groma: Groma, number: signal.Signals) -> None:
    running = Running(fakes)
    running.process.send_signal(number)
    code, messages = running.end()
    assert code == 1
    assert f"{number.name} interrupted launch 2" in messages
    assert "groma run --resume out" in messages
    assert running.rank_is_gone()
    assert document()["state"] == "interrupted"
    assert kinds(1)[-1] == "end"
    assert kinds(2) == ["start", "point", "point"]
    shown = groma("show", "out")
    assert shown.code == 1
    assert "interrupted" in once(shown)


@pytest.mark.one_case
@pytest.mark.parametrize("whom", ["rank", "launcher"])
def test_a_kill_of_a_rank_or_the_launcher_costs_one_launch(fakes: Path, groma: Groma, whom: str) -> None:
    running = Running(fakes)
    os.kill(getattr(running, whom), signal.SIGKILL)
    code, messages = running.end()
    assert code == 1
    assert "Launch 2 ended with exit code 137 after 2 of 4 points" in messages
    assert running.rank_is_gone()
    assert kinds(2) == ["start", "point", "point"]
    assert kinds(3)[-1] == "end"
    shown = groma("show", "out")
    assert shown.code == 1
    assert "Launch 2 ended early after 2 of 4 points" in once(shown)


def test_a_kill_of_the_front_end_leaves_no_orphans_and_is_recognised(fakes: Path, groma: Groma) -> None:
    running = Running(fakes)
    shown = groma("show", "out")
    assert shown.code == 1
    assert "is still being measured" in once(shown)
    assert groma("run", "--resume", "out").code == 2
    running.process.kill()
    running.process.communicate()
    assert _eventually(running.rank_is_gone)
    assert document()["state"] == "running"
    shown = groma("show", "out")
    assert shown.code == 1
    assert "The run was killed" in once(shown)
    assert "Launch 2 ended early after 2 of 4 points" in once(shown)
    assert groma("run", "--resume", "out").code == 0
    assert groma("show", "out").code == 0
