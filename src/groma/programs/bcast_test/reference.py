"""The sample that the JET page published of its broadcast test, as transfers beside those of a run."""

from __future__ import annotations

import numpy as np

from groma.catalog.references import reference, systems
from groma.programs.bcast_test.transfers import Transfers

_TABLE = "jet_bcast_sample"


def reference_systems() -> list[str]:
    """Return the systems whose broadcasts in segments were published."""
    return systems(_TABLE)


def published(system: str) -> list[Transfers]:
    """Return the system's transfers, one launch of one repetition, by the number of segments.

    The root is the process that stands first, as in the program's output.
    """
    times = reference(_TABLE, system=system, quantity="time")
    root = times[0]["host"]
    samples = []
    for segments in sorted({row["segments"] for row in times}):
        rows = [row for row in times if row["segments"] == segments]
        others_times = np.array([[row["value"] * 1e6] for row in rows if row["host"] != root])
        samples.append(Transfers(segments * rows[0]["bytes"], segments, len(rows), None, {1: others_times}))
    return samples
