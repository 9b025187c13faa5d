"""Rounds of disjoint pairs: every unit meets every other one, or as many as a sample needs.

The circle method (Kirkman 1847; also of round-robin tournaments): one unit stays, the others move on by one place a
round, and units that face each other are a pair. Units are numbered from 0.
"""

from __future__ import annotations

import random
from collections.abc import Iterable

Pair = tuple[int, int]
Round = list[Pair]


def all_rounds(units: int) -> list[Round]:
    """Return rounds in which every pair is once; of an odd number of units one sits out in each."""
    return [_round(units, turn) for turn in range(_turns(units))]


def _turns(units: int) -> int:
    return units + units % 2 - 1


def _round(units: int, turn: int) -> Round:
    """Return one of the rounds: the last place stays, and is nobody's if the number of units is odd."""
    places = _turns(units)
    faces = [(places, turn)]
    faces += [((turn + step) % places, (turn - step) % places) for step in range(1, (places + 1) // 2)]
    return [(min(face), max(face)) for face in faces if max(face) < units]


def drawn_rounds(units: int, count: int, seed: int) -> list[Round]:
    """Return `count` different rounds of all, drawn from the seed: no pair is in two of them."""
    draw = random.Random(seed)  # noqa: S311 - reproducible, not secret
    names = list(range(units))
    draw.shuffle(names)
    turns = draw.sample(range(_turns(units)), min(count, _turns(units)))
    chosen = [_round(units, turn) for turn in turns]
    return [[(min(names[a], names[b]), max(names[a], names[b])) for a, b in one] for one in chosen]


def screening(units: int, most_pairs: int, least_rounds: int, seed: int, *, one_host: bool = False) -> list[Round]:
    """Return all rounds if they have at most `most_pairs` pairs, else a sample of about that size.

    On one host there is no link that only one pair uses, so each unit meets no more than `least_rounds` others.
    """
    if one_host:
        most_pairs = min(most_pairs, least_rounds * (units // 2))
    if units * (units - 1) // 2 <= most_pairs:
        return all_rounds(units)
    return drawn_rounds(units, max(least_rounds, most_pairs // (units // 2)), seed)


def disjoint(pairs: Iterable[Pair]) -> list[Round]:
    """Return the pairs in rounds without a common unit, each in the first round that has room for it."""
    rounds: list[Round] = []
    busy: list[set[int]] = []
    for pair in pairs:
        at = next((at for at, units in enumerate(busy) if units.isdisjoint(pair)), len(busy))
        if at == len(busy):
            rounds.append([])
            busy.append(set())
        rounds[at].append(pair)
        busy[at].update(pair)
    return rounds
