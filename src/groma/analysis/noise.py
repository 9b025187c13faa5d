"""Time that the system took from the ranks: the share of the time observed, and the longest interruption."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from groma.results import Launch
    from groma.results.instruments import Noise


@dataclass(frozen=True)
class Lost:
    """CPU time lost to interruptions: a share of the time observed, the longest at once, and how long was observed."""

    share: float
    longest_ns: float
    observed_ns: float


def observations(launch: Launch) -> list[Noise]:
    """Return what every rank of a launch saw, before the first point and after the last."""
    return [*(launch.start.noise if launch.start else []), *(launch.end.noise if launch.end else [])]


def lost(noise: Iterable[Noise]) -> Lost | None:
    """Put observations together: total time lost over total time observed; None where nothing was observed."""
    nonempty = [observation for observation in noise if observation.observed_ns > 0]
    if not nonempty:
        return None
    observed = sum(observation.observed_ns for observation in nonempty)
    share = sum(observation.lost_share * observation.observed_ns for observation in nonempty) / observed
    return Lost(share, max(observation.longest_ns for observation in nonempty), observed)
