"""The question of `groma explain`: the methods of two profiles, and the combinations that an engine measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from groma.catalog import Catalog
from groma.catalog.values import read_value
from groma.errors import InputError, LaunchError
from groma.explain.factors import Judge, MethodPair, Setting, pair_methods
from groma.launch.checking import refusals
from groma.launch.command import Setup, find_setup
from groma.launch.engine import find_engine
from groma.plan import read_profile
from groma.text.sizes import parse_size

EFFORT = {"stop": "time", "slot_s": 0.1, "max_repetitions": 5000, "warmups": 10}


def pair_of_profiles(
    between: tuple[str, str],
    operation: str,
    size: str,
    settings: list[tuple[str, str]],
    catalog: Catalog,
    *,
    crowded: bool,
) -> MethodPair:
    """Return the methods of two profiles and how they differ; both make as much effort, and get the same settings."""
    drafts = (read_profile(between[0], catalog), read_profile(between[1], catalog))
    effort: dict[str, Any] = dict(EFFORT)
    for name, text in settings:
        value = read_value(catalog, catalog.field(name), text)
        if name in EFFORT:
            effort[name] = value
        for draft in drafts:
            draft.override(name, value)
    uses = catalog.operation(operation).uses
    message_bytes = parse_size(size) if "bytes" in uses else None
    return pair_methods(drafts, operation, message_bytes, effort, catalog, crowded=crowded)


def judge_of(setup: Setup, ranks: int) -> Judge:
    """Return the judge that asks the engine which points it refuses; raises InputError if it refuses a method."""

    def judge(points: Sequence[Setting]) -> set[int]:
        refused = {refusal.index: refusal.message for refusal in refusals(setup, points, (ranks,))}
        for end in {0, len(points) - 1} & refused.keys():
            raise InputError(refused[end])
        return set(refused)

    return judge


def judge_of_runs(ranks: int) -> Judge:
    """Return the same for runs that exist; if no engine starts, combinations that were not measured count as legal.

    What the two runs measured could be measured.
    """

    def judge(points: Sequence[Setting]) -> set[int]:
        try:
            setup = find_setup(find_engine(), None)
            refused = {refusal.index for refusal in refusals(setup, points, (ranks,))}
        except LaunchError:
            return set()
        return refused - {0, len(points) - 1}

    return judge
