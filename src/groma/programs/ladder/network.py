"""The next and the farthest of several hosts, by the switches between them, if the scheduler knows them.

Slurm with topology/tree lists its switches, each with all nodes below it and its level; two nodes are as far from each
other as the lowest switch that has both is high.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from groma.launch.nodelist import expand
from groma.programs.ladder.steps import FARTHEST, NEXT, SAMPLED
from groma.text.counts import counted

MOST_SAMPLED = 4
_QUESTION_S = 10.0
_SWITCH = re.compile(r"^SwitchName=\S+ Level=(\d+) .*?\bNodes=(\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Remote:
    """The other host of every step between hosts, by the name of its variant, and why steps are lacking."""

    hosts: dict[str, str]
    lacking: dict[str, str]


def remote_steps(first: str, names: Sequence[str], levels: Mapping[str, int] | None) -> Remote:
    """Return the steps from the host `first` to others of `names`.

    `levels` has for every host how high its nearest common switch with the first is; None: not known.
    """
    at = names.index(first)
    others = [*names[at + 1 :], *names[:at]]
    if not others:
        reason = "the ranks have one host; name several with --hosts, or start Groma in a job of several nodes"
        return Remote({}, dict.fromkeys((NEXT, FARTHEST), reason))
    if len(others) == 1:
        return Remote({NEXT: others[0]}, {FARTHEST: "there are two hosts: the next one is the farthest, too"})
    if levels is None:
        step = max(1, (len(others) - 1) // MOST_SAMPLED)
        sampled = others[:0:-step][:MOST_SAMPLED]
        return Remote({NEXT: others[0], **{f"{SAMPLED}{name}": name for name in sampled}}, {})
    nearest, farthest = (choose(others, key=lambda name: levels[name]) for choose in (min, max))
    if levels[nearest] == levels[farthest]:
        reason = f"all {counted(len(others), 'other host')} are as many switches away as the next one"
        return Remote({NEXT: nearest}, {FARTHEST: reason})
    return Remote({NEXT: nearest, FARTHEST: farthest}, {})


def switch_levels(first: str, names: Sequence[str]) -> dict[str, int] | None:
    """Ask Slurm how high the lowest switch is that has the first host and each of the others; None if it is silent.

    Hosts without a common switch are beyond the highest one.
    """
    try:
        answer = subprocess.run(
            ["scontrol", "show", "topology"], capture_output=True, text=True, timeout=_QUESTION_S, check=True
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    switches = [(int(level), set(expand(listed))) for level, listed in _SWITCH.findall(answer.stdout)]
    beyond = max((level for level, _ in switches), default=0) + 1
    if not any(first in below for _, below in switches):
        return None
    return {name: min((level for level, below in switches if {first, name} <= below), default=beyond) for name in names}
