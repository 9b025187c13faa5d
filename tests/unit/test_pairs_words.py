"""The verdict in words: directions, what passed, what cannot be told, and lists for a scheduler."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from groma.programs.pairs.observe import Edges, Phase, Units
from groma.programs.pairs.slow import BOTH, PAIR, RECEIVES, SENDS, Slow
from groma.programs.pairs.verdict import Verdict
from groma.programs.pairs.words import evidence, leave_out, sentences

LATENCY, STREAM = "pingpong 8 B", "stream 65536 B"
NODES = Units("nodes", tuple(f"n{at}" for at in range(8)), tuple(range(8)))
EIGHT = np.array([(a, b) for a in range(8) for b in range(8) if a != b])
SCREEN = Phase("screen", {STREAM: Edges(STREAM, False, EIGHT[:, 0], EIGHT[:, 1], np.zeros((2, 56)))}, "", "")


def slow(who: tuple[int, ...], part: str, quantity: str = STREAM) -> Slow:
    return Slow(who, quantity, part, 3.0, 2.9, 3.1)


def said(*lasting: Slow, passing: tuple[Slow, ...] = (), crowded: int = 0) -> Verdict:
    return Verdict(NODES, {"screen": SCREEN}, lasting, passing, crowded, {STREAM: 1.25}, {STREAM: 1.3})


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ([slow((2,), SENDS)], "Slow node n2, sending only: stream 65536 B sending takes 3.00 times as long"),
        ([slow((2,), RECEIVES)], "Slow node n2, receiving only:"),
        ([slow((2,), SENDS), slow((2,), RECEIVES)], "Slow node n2: stream 65536 B sending"),
        (
            [slow((2,), BOTH, LATENCY)],
            "Slow node n2: pingpong 8 B takes 3.00 times as long (95 % interval 2.90 to 3.10)",
        ),
        ([slow((2, 5), PAIR)], "Slow link n2 -> n5, in this direction only:"),
        ([slow((5, 2), PAIR), slow((2, 5), PAIR)], "Slow link n2 - n5, both directions:"),
        ([slow((2, 5), PAIR, LATENCY)], "Slow link n2 - n5: pingpong 8 B takes"),
    ],
)
def test_who_and_in_which_direction(found: list[Slow], words: str) -> None:
    first, *others = sentences(said(*found))
    assert first.startswith(words)
    assert first.endswith("It lasts.")
    assert not any(sentence.startswith("Slow") for sentence in others)


def test_what_passed_and_what_was_contention_are_no_names() -> None:
    text = sentences(said(passing=(slow((4,), SENDS),), crowded=3))
    assert text[0] == "No slow node and no slow link was found that lasts."
    assert text[1].startswith(
        "Passing: n4 was slow when measured alone (stream 65536 B sending takes 3.00 times as long"
    )
    assert text[2].startswith("3 suspects of the screening were as fast as the others when measured alone")


def test_what_was_measured_and_could_be_seen() -> None:
    assert sentences(said())[1] == (
        "Measured: all 28 pairs. Smallest slowdown this run could have seen, as a factor: stream 65536 B: node 1.25, "
        "link 1.30."
    )
    few = Edges(STREAM, False, EIGHT[:7, 0], EIGHT[:7, 1], np.zeros((2, 7)))
    sampled = replace(said(), phases={"screen": Phase("screen", {STREAM: few}, "", "")})
    assert "7 of 28 pairs; a slow link among the others was not seen." in sentences(sampled)[1]
    blind = replace(said(), reach_pair={STREAM: 1e9})
    assert "link over 100. Over 100: too few nodes, or they scatter too much." in sentences(blind)[2]


def test_nothing_is_slow_only_where_a_slowdown_of_twice_would_have_stood_out() -> None:
    assert sentences(said())[0] == "No slow node and no slow link was found."
    blind = replace(said(), reach_unit={STREAM: 2.1})
    text = sentences(blind)
    assert text[0] == "Cannot tell whether a node or link is slow: twice the time could have been missed."
    assert text[1].startswith("What would help: times that scatter less:")
    assert leave_out(blind) == []
    few = replace(blind, units=Units("nodes", NODES.names[:4], NODES.ranks[:4]))
    assert sentences(few)[1].startswith("What would help: more nodes, or times that scatter less:")


def test_a_pair_that_nothing_explains_is_no_all_clear() -> None:
    odd = replace(said(), unexplained=(replace(slow((2, 5), PAIR), ratio=93.0, stage="screen"),))
    assert sentences(odd)[0] == (
        "Cannot tell why stream 65536 B n2 -> n5 takes 93.0 times the median of all pairs: neither its ends nor the "
        "link stand out from the others."
    )
    assert leave_out(odd) == []


def test_suspects_of_unfinished_stages_come_first() -> None:
    text = sentences(replace(said(), unfinished="stage later was not measured", suspected=(slow((2,), SENDS),)))
    assert text[0] == (
        "The stages are not done, so no verdict yet: stage later was not measured. Continue with groma run --resume."
    )
    assert text[1].startswith("Suspect, not confirmed: node n2, sending only: stream 65536 B sending takes 3.00 times")
    also = replace(said(slow((4,), SENDS)), unfinished="stage later is interrupted")
    assert [sentence.split(":")[0] for sentence in sentences(also)[:2]] == [
        "Slow node n4, sending only",
        "The stages are not done, so others may be slow too",
    ]
    assert leave_out(also)[0] == "Slurm: --exclude=n4"


def test_lists_for_a_scheduler_have_nodes_and_never_links_or_ranks() -> None:
    assert leave_out(said(slow((6,), SENDS), slow((2,), RECEIVES), slow((0, 1), PAIR))) == [
        "Slurm: --exclude=n2,n6",
        "Hosts left: n0,n1,n3,n4,n5,n7",
    ]
    assert leave_out(said(slow((0, 1), PAIR))) == ["Slurm: nothing to exclude"]
    ranks = replace(said(slow((2,), SENDS)), units=Units("ranks", tuple(f"rank {at}" for at in range(8)), NODES.ranks))
    assert leave_out(ranks) == []


def test_evidence_says_what_lasts_and_what_passed() -> None:
    rows = evidence(said(slow((2,), SENDS), passing=(slow((4, 5), PAIR),)))
    assert rows[0] == ["n2", STREAM, "sending", "3.00", "2.90 to 3.10", "1.00", "-", "-", "lasts"]
    assert [rows[1][0], rows[1][-1]] == ["n4 -> n5", "passed"]


def test_few_units_get_ratios_and_the_reason_for_no_verdict() -> None:
    three = Units("nodes", ("a", "b", "c"), (0, 1, 2))
    ends = np.array([(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)])
    times = np.log([[1.0, 2.0, 1.1, 1.1, 1.1, 1.1]])
    phase = Phase("screen", {STREAM: Edges(STREAM, False, ends[:, 0], ends[:, 1], times)}, "", "")
    few = Verdict(three, {"screen": phase}, unresolved="With 3 nodes ...")
    text = sentences(few)
    assert leave_out(few) == []
    assert text == ["With 3 nodes ...", "stream 65536 B: b -> a takes 2.00 times as long as a -> b, the fastest."]
