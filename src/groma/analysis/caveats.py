"""Sentences on conditions that make ratios doubtful, however narrow their intervals."""

from __future__ import annotations

from groma.analysis.noise import is_disturbed
from groma.results import Run
from groma.text.checks import FOREIGN_CORES_LIMIT


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
