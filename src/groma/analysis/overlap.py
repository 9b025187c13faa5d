"""How much of an exchange overlaps a computation, from the phases of `overlap` (docs/methods.md; the ALCF slides)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from groma.analysis.order import Interval, median_interval
from groma.analysis.rows import median


@dataclass(frozen=True)
class Phases:
    """Medians of the phases of one launch, in nanoseconds.

    `pure_ns` is the exchange alone (t4'-t1' in the ALCF slides), `compute_ns` the work alone, `post_ns` t2-t1,
    `work_ns` t3-t2 without the tests, `test_ns` the calls of MPI_Testall, `wait_ns` t4-t3.
    """

    pure_ns: float
    compute_ns: float
    post_ns: float
    work_ns: float
    test_ns: float
    wait_ns: float

    @property
    def together_ns(self) -> float:
        """The exchange with the work inside it: t4-t1."""
        return self.post_ns + self.work_ns + self.test_ns + self.wait_ns

    @property
    def overlap(self) -> float:
        """The share of the exchange or the work that was hidden behind the other, 0 to 1; see `hidden_share`."""
        return hidden_share(self.pure_ns, self.compute_ns, self.together_ns)

    @property
    def eff(self) -> float:
        """The ratio Eff as the ALCF slides print it: ((t2-t1)-(t4-t3))/(t4'-t1')."""
        return (self.post_ns - self.wait_ns) / self.pure_ns


@dataclass(frozen=True)
class OverlapFigures:
    """Medians over launches, and the interval of the headline; None if there are too few launches."""

    launches: tuple[Phases, ...]
    overlap: float
    overlap_interval: Interval | None
    eff: float
    phases: Phases


def hidden_share(pure: float, compute: float, together: float) -> float:
    """Return the share of exchange or work, whichever is longer, that was hidden: P+C-V over max(P,C), 0 at least.

    At most the shorter of the two can be hidden, whatever the noise; without work, nothing is hidden.
    """
    shorter, longer = sorted((pure, compute))
    return max(0.0, min(pure + compute - together, shorter)) / longer if longer > 0 else 0.0


def phases_of(samples_ns: Mapping[str, ArrayLike]) -> Phases:
    """Return the medians of the samples of one launch, by the names that the operation gives its phases."""
    return Phases(**{f"{name}_ns": median(np.asarray(values)) for name, values in samples_ns.items()})


def overlap_figures(launches: Sequence[Phases]) -> OverlapFigures:
    """Return the figures of one point over its launches, of which there is at least one."""
    shares = np.array([launch.overlap for launch in launches])
    names = Phases.__dataclass_fields__
    return OverlapFigures(
        launches=tuple(launches),
        overlap=median(shares),
        overlap_interval=median_interval(shares),
        eff=median([launch.eff for launch in launches]),
        phases=Phases(**{name: median([getattr(launch, name) for launch in launches]) for name in names}),
    )
