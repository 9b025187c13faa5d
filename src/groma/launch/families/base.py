"""What a family of launchers is: how it is recognised, and how it is told what to start and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

    from groma.launch.cores import Cores
    from groma.plan.placement import Placement, Way

# With more ranks than cores MPICH spins in its progress loop while the rank it waits for is not running
# (4 ranks on 2 cores: 8 ms per small allreduce instead of 7 us).
THROTTLE = {
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "1",
}


@dataclass(frozen=True)
class Asked:
    """What one launch asks of its launcher: ranks of an engine on equal hosts; `arguments` are a person's own."""

    ranks: int
    engine_family: str
    cores: Cores
    nodes: int
    placement: Placement
    arguments: tuple[str, ...]

    @property
    def by_hand(self) -> bool:
        """True where the person gave a list, or arguments of their own: Groma adds no placement to them."""
        return bool(self.placement.places or self.arguments)

    @property
    def oversubscribed(self) -> bool:
        """True where there are more ranks than allowed processors; never of placement given by hand."""
        return not self.by_hand and self.ranks > self.cores.cpus * self.nodes

    @property
    def unit(self) -> str:
        """The unit each rank gets to itself: `core`, `hwthread`, or `none` when there are too few."""
        if self.ranks <= self.cores.cores * self.nodes:
            return "core"
        return "none" if self.oversubscribed else "hwthread"


class Family:
    """A family of launchers; without a name it stands for launchers that Groma does not know.

    `says` finds the version, its first group, in what `--version` prints, and `called` recognises by its name a program
    that does not say. `programs` are looked for on PATH. `libraries` match the names of its MPI library's files.
    `starts` are the engines, by family, whose ranks find each other; None: any. `ways` has for each placement the
    options, in which {} stands for the hosts or CPUs of a list.
    """

    name: ClassVar[str] = ""
    says: ClassVar[re.Pattern[str] | None] = None
    called: ClassVar[tuple[str, ...]] = ()
    programs: ClassVar[tuple[str, ...]] = ()
    libraries: ClassVar[tuple[str, ...]] = ()
    starts: ClassVar[frozenset[str] | None] = None
    ways: ClassVar[Mapping[Way, tuple[str, ...]]] = {}

    def fits(self, engine_family: str) -> bool:
        """Tell whether the ranks of such an engine would find each other; True where that is not known."""
        return not engine_family or self.starts is None or engine_family in self.starts

    def words(self, asked: Asked) -> tuple[list[str], dict[str, str]]:
        """Return the options for so many ranks and their binding, and variables that they need."""
        throttled = asked.oversubscribed and asked.engine_family == "MPICH"
        return ["-n", str(asked.ranks)], THROTTLE if throttled else {}

    def listed(self, placement: Placement, ranks: int) -> str:
        """Return hosts or CPUs as the launcher's option takes them; raises InputError for an order it cannot keep."""
        return ",".join(placement.of_ranks(ranks))

    def placing_variables(self, placement: Placement, ranks: int) -> dict[str, str]:
        """Return variables that tell the launcher a placement, where options do not."""
        del placement, ranks
        return {}

    def passing_on(self, env: Mapping[str, str]) -> list[str]:
        """Return what makes the launcher set these variables for its ranks on other hosts too."""
        del env
        return []
