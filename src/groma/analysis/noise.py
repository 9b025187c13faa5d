"""Time that the system took from the ranks: the share of the time observed, and sentences on what it means."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from groma.analysis.grouping import grouped
from groma.results import Launch, Run
from groma.results.instruments import Noise
from groma.results.spans import these_launches
from groma.text.checks import FOREIGN_CORES_LIMIT


@dataclass(frozen=True)
class Lost:
    """CPU time lost to interruptions: a share of the time observed, and the longest at once.

    `most` is the share of the rank that lost the most.
    """

    share: float
    most: float
    longest_ns: float


def observations(launch: Launch) -> list[Noise]:
    """Return the interruptions that every rank of a launch saw, before the first point and after the last."""
    return [*(launch.start.noise if launch.start else []), *(launch.end.noise if launch.end else [])]


def is_disturbed(launch: Launch) -> bool:
    """Return whether other processes took more than `FOREIGN_CORES_LIMIT` of a core while the launch ran."""
    return launch.foreign_cores is not None and launch.foreign_cores > FOREIGN_CORES_LIMIT


def lost(noise: Iterable[Noise]) -> Lost | None:
    """Put observations together: total time lost over total time observed; None if nothing was observed."""
    nonempty = [observation for observation in noise if observation.observed_ns > 0]
    if not nonempty:
        return None
    most = max(map(_share, grouped(nonempty, lambda observation: observation.rank).values()))
    return Lost(_share(nonempty), most, max(observation.longest_ns for observation in nonempty))


def _share(noise: list[Noise]) -> float:
    observed = sum(observation.observed_ns for observation in noise)
    return sum(observation.lost_share * observation.observed_ns for observation in noise) / observed


def caveats(runs: list[Run]) -> list[str]:
    """Return a sentence for ranks that had to share CPUs, and for launches that other processes disturbed."""
    launches = [launch for run in runs for launch in run.launches]
    sentences = []
    if any(launch.start is not None and launch.start.oversubscribed for launch in launches):
        sentences.append(
            "More ranks than CPUs: times and ratios measure the scheduler as much as the library. Use fewer ranks (-n) "
            "or more CPUs."
        )
    disturbed = sum(map(is_disturbed, launches))
    if disturbed:
        of_all = f"{disturbed} of {len(launches)} launches"
        sentences.append(f"Other processes took more than {FOREIGN_CORES_LIMIT:g} of a core in {of_all}.")
    return sentences


def disturbed_sentence(run: Run) -> str:
    """Name the launches that other processes disturbed, and the variants that they are of; empty if none was."""
    disturbed = grouped(filter(is_disturbed, run.launches), lambda launch: launch.variant)
    listed = [
        these_launches(launch.number for launch in launches) + (f" ({variant})" if variant else "")
        for variant, launches in disturbed.items()
    ]
    return f"Disturbed by other processes: {'; '.join(listed)}." if listed else ""
