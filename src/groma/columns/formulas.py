"""Formulas of derived columns: of arrays, row by row. They hold for one launch and for a point over its launches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from groma.columns.column import Of

Values = NDArray[np.float64]


def over(amount: Values, time_ns: Values) -> Values:
    """Return amounts over times; NaN if there is no amount, or no time above zero."""
    known = (np.nan_to_num(amount) != 0) & (time_ns > 0)
    found: Values = np.divide(amount, time_ns, out=np.full(len(amount), np.nan), where=known)
    return found


def ratio(of_ns: Values, to_ns: Values) -> Values:
    """Return times over others; NaN if these are not above zero."""
    found: Values = np.divide(of_ns, to_ns, out=np.full(len(of_ns), np.nan), where=to_ns > 0)
    return found


def sample_ns(of: Of) -> Values:
    """Return the time between the two stamps of a sample, by the figure; NaN if samples are unknown."""
    return np.where(of["samples"] > 0, of["figure_ns"] * of["repetitions_per_sample"] * of["divisor"], np.nan)


def bandwidth(of: Of) -> Values:
    """Return bytes moved over the time of one repetition, in MB/s."""
    return over(of["bytes_moved"] * 1e3, of["figure_ns"] * of["divisor"])


def algorithm_bandwidth(of: Of) -> Values:
    """Return the size of the collective over its time, in MB/s."""
    return over(of["algorithm_bytes"] * 1e3, of["figure_ns"] * of["divisor"])


def bus_bandwidth(of: Of) -> Values:
    """Return algorithm bandwidth times the bus factor, in MB/s."""
    rates: Values = algorithm_bandwidth(of) * np.nan_to_num(of["bus_factor"])
    return rates


def message_rate(of: Of) -> Values:
    """Return messages over the time of one repetition, per second."""
    return over(of["messages"] * 1e9, of["figure_ns"] * of["divisor"])


def clock_share(of: Of) -> Values:
    """Return the possible error of two ranks' clocks as a share of a sample, if the figure depends on them.

    Among more than two ranks, both may differ from rank 0 by the bound, in opposite directions.
    """
    ranks = np.where(of["member_count"] > 2, 2.0, 1.0)
    known = (of["rests_on_clock"] > 0) & (of["sample_ns"] > 0)
    shares: Values = of["clock_bound_ns"] * ranks / np.where(known, of["sample_ns"], np.nan)
    return shares


def clock_error(of: Of) -> Values:
    """Return the larger of the errors of the global clock before and after a point."""
    return np.fmax(of["clock_before_ns"], of["clock_after_ns"])


def invalid_share(of: Of) -> Values:
    """Return invalid repetitions over all repetitions."""
    return np.where(of["invalid"] > 0, of["invalid"] / np.maximum(of["invalid"] + of["samples"], 1), 0.0)


def overlap(of: Of) -> Values:
    """Return the share of an exchange that work inside it hides: of what both take alone, what they save together."""
    return ratio(of["pure_ns"] + of["compute_ns"] - of["together_ns"], of["pure_ns"])


def overlap_osu(of: Of) -> Values:
    """Return that share, 0 at least (OSU Micro-Benchmarks 7.4)."""
    return np.maximum(overlap(of), 0)


def overlap_imb(of: Of) -> Values:
    """Return what is saved over the longer of exchange and work, from 0 to 1 (Intel MPI Benchmarks 2021, IMB-NBC)."""
    longer = np.maximum(of["pure_ns"], of["compute_ns"])
    saved = of["pure_ns"] + of["compute_ns"] - of["together_ns"]
    found: Values = np.clip(ratio(saved, longer), 0, 1)
    return found


def cpu_left(of: Of) -> Values:
    """Return the share of the exchange alone in which no MPI call had the CPU when work was inside it."""
    return 1 - ratio(of["in_calls_ns"], of["pure_ns"])
