"""No ready send of a swap finds its receive unposted, whatever the order, the overlap and the pace of the ranks."""

from __future__ import annotations

import array
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import beds
import pytest
from engine.launches import Launch, launch_plan

pytestmark = pytest.mark.mpi

MESSAGE_BYTES = 1016  # no traffic of the engine's own has this length
MOST_RANKS = 16  # as in interpose/ready.c
REPETITIONS = 3
OPERATIONS = ("swap/ready", "swap/nonblocking_ready")


@dataclass(frozen=True)
class Board:
    """What interpose/ready.c counted: [receiver][source]."""

    posted: list[list[int]]
    sent: list[list[int]]
    unposted: int


Checked = Callable[..., tuple[Launch, Board]]


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Checked:
    """Launch points under the checking library; return the launch and what was counted."""

    def launch(library: beds.Library, ranks: int, points: list[dict[str, Any]], **more: str) -> tuple[Launch, Board]:
        folder = tmp_path_factory.mktemp(library.name)
        shared, counts = folder / "libready.so", folder / "board"
        source = Path(__file__).parent / "interpose" / "ready.c"
        built = beds.run([library.mpicc, "-shared", "-fPIC", "-O1", str(source), "-o", str(shared)])
        assert built.exit_code == 0, built.errors
        counts.write_bytes(bytes(8 * (2 * MOST_RANKS**2 + 1)))
        variables = {"GROMA_READY_BOARD": str(counts), "GROMA_READY_BYTES": str(MESSAGE_BYTES), **more}
        done = launch_plan(library, ranks, folder, points, preload=shared, variables=variables)
        numbers = array.array("q", counts.read_bytes()).tolist()
        rows = [numbers[i * MOST_RANKS : (i + 1) * MOST_RANKS] for i in range(2 * MOST_RANKS)]
        return done, Board(rows[:MOST_RANKS], rows[MOST_RANKS:], numbers[-1])

    return launch


def points() -> list[dict[str, Any]]:
    """Return every form of both protocols, of one message and of many; some repetitions back to back."""
    return [
        {
            "operation": operation,
            "swap_order": order,
            "swap_overlap": overlap,
            "swap_messages": messages,
            "bytes": messages * MESSAGE_BYTES,
            "repetitions": REPETITIONS,
        }
        for operation in OPERATIONS
        for order in ("ordered", "simple", "delayed")
        for overlap in (False, True)
        for messages in (1, 6)
    ]


@pytest.mark.parametrize("ranks", [2, 4, 6])
def test_every_ready_send_finds_its_receive_posted(library: beds.Library, checked: Checked, ranks: int) -> None:
    launch, board = checked(library, ranks, points())
    assert launch.result.exit_code == 0, launch.report()
    assert len(launch.of_kind("point")) == len(points())
    # Two checked calls, one warm-up, three samples of two swaps each; every message ready, into a posted receive.
    swaps = 2 + 1 + 2 * REPETITIONS
    expected = swaps * sum(point["swap_messages"] for point in points())
    pairs = {(rank, rank ^ 1) for rank in range(ranks)}
    for counts in (board.posted, board.sent):
        assert {(to, by): counts[to][by] for to, by in pairs} == dict.fromkeys(pairs, expected)
    assert board.unposted == 0


def test_ready_sends_without_handshakes_are_found(library: beds.Library, checked: Checked) -> None:
    asked = [point for point in points() if point["swap_order"] == "ordered"]
    launch, board = checked(library, 2, asked, GROMA_READY_SKIP="1")
    assert board.unposted > 0, launch.report()
