"""Campaigns of broadcasts in segments as tables of text, for the terminal and for the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from groma.analysis.order import MINIMUM_FOR_INTERVAL
from groma.analysis.transfers import Transfers, Within, transfers
from groma.report.numbers import DASH, aligned, significant
from groma.report.tables import right
from groma.sizes import format_size

if TYPE_CHECKING:
    from groma.results import Run

TRANSFER_HEADINGS = ["segments", "of", "transfers", "median µs", "90% within µs", "95% interval", "largest µs"]
NOTE = (
    "A transfer is one rank's time for the whole buffer; the root, which is done when it has sent, is left out. "
    "All have to wait for the slowest, but the largest time of a sample only grows with the number of transfers and "
    "says little about the next one: the time within which 90% of them are over stands for it. Its interval is made of "
    "order statistics of as many independent transfers as the launches are worth."
)


@dataclass(frozen=True)
class Campaign:
    """The transfers of one run, or of one variant or number of ranks of it, by the number of segments."""

    name: str
    parts: list[Transfers]
    within: list[Within]


def campaigns(runs: list[Run]) -> list[Campaign]:
    """Return every run's campaigns, named so that no two are called the same."""
    found: dict[str, list[Transfers]] = {}
    names = [run.path.name for run in runs]
    for number, run in enumerate(runs, start=1):
        parts = transfers(run)
        kinds = {(part.ranks, part.variant, part.bytes) for part in parts}
        for part in parts:
            title = run.path.name if names.count(run.path.name) == 1 else f"{run.path.name} ({number})"
            several = [f"{part.ranks} ranks"] if len({kind[0] for kind in kinds}) > 1 else []
            several += [part.variant] if part.variant else []
            several += [format_size(part.bytes)] if len({kind[2] for kind in kinds}) > 1 else []
            found.setdefault(", ".join([title, *several]), []).append(part)
    return [Campaign(name, parts, [part.within() for part in parts]) for name, parts in found.items()]


def rows(campaign: Campaign) -> list[list[str]]:
    """Return the cells of a campaign's table under TRANSFER_HEADINGS, one row a number of segments."""
    times = [part.times_ns / 1e3 for part in campaign.parts]
    columns = [
        aligned([str(part.segments) for part in campaign.parts]),
        right([format_size(part.segment_bytes) for part in campaign.parts]),
        aligned([str(values.size) for values in times]),
        aligned([significant(float(np.median(values))) for values in times]),
        aligned([significant(found.value / 1e3) for found in campaign.within]),
        [bounds(found) for found in campaign.within],
        aligned([significant(float(values.max())) for values in times]),
    ]
    return [list(row) for row in zip(*columns, strict=True)]


def interval_note(campaign: Campaign) -> str:
    """Say why intervals or upper bounds are lacking; empty where none is."""
    if any(found.low is None for found in campaign.within):
        return f"Fewer than {MINIMUM_FOR_INTERVAL} launches give no interval."
    if any(found.high is None for found in campaign.within):
        fewest = min(found.independent for found in campaign.within)
        return (
            f"No upper bound: that takes 36 independent transfers, and the fewest here are worth {fewest}; more "
            "launches or repetitions give it."
        )
    return ""


def bounds(found: Within) -> str:
    """Return the ends of the interval in microseconds; a dash where there is none."""
    if found.low is None:
        return DASH
    high = "no bound" if found.high is None else significant(found.high / 1e3)
    return f"{significant(found.low / 1e3)} {DASH} {high}"
