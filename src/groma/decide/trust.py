"""Whether the runs that are compared can be trusted by themselves: a verdict is no better than its figures."""

from __future__ import annotations

from collections.abc import Iterable

from groma.analysis import checks, summarise, verdict
from groma.results import Run


def distrusted(runs: Iterable[Run]) -> list[str]:
    """Return a sentence for every run of which a check failed, in the words of `groma show`."""
    verdicts = [(run.path.name, verdict(checks(run, summarise(run)))) for run in runs]
    return [f"{name}: {found.text}" for name, found in verdicts if found.state == "bad"]
