"""PRRTE's prterun, with which Open MPI 5 starts its ranks."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from groma.launch.families.base import Family

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groma.launch.families.base import LaunchRequest


class Prrte(Family):
    """Where its help files are not installed, `--version` fails: then its name says what it is."""

    name = "PRRTE"
    says = re.compile(r"\(PRRTE\)\s*(\S+)")
    called = ("prterun",)
    programs = ("prterun",)
    starts = frozenset({"Open MPI"})
    lists = frozenset({"host", "H"})

    def words(self, request: LaunchRequest) -> tuple[list[str], dict[str, str]]:
        """Bind each rank to a core or hardware thread, or to none if ranks share one."""
        words = ["-n", str(request.ranks)] + (["--allow-run-as-root"] if os.geteuid() == 0 else [])
        if request.by_hand:
            return words, {}
        mapping = {"core": [], "hwthread": ["--map-by", ":hwtcpus"], "none": ["--map-by", ":oversubscribe"]}
        return [*words, *mapping[request.unit], "--bind-to", request.unit], {}

    def host_words(self, request: LaunchRequest) -> list[str]:
        """Return each host with its number of ranks, which it fills one after the other."""
        return ["--host", request.listed_shares()]

    def passing_on(self, env: Mapping[str, str]) -> list[str]:
        """Return an option with the name of each variable."""
        return [word for name in env for word in ("-x", name)]


FAMILY = Prrte()
