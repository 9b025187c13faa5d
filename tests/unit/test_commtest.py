"""COMMTEST's figures of swaps: on the published numbers, and recomputed from records by hand."""

from __future__ import annotations

import polars as pl
import pytest

import groma
from groma.programs.commtest.swaps import bandwidth_mb_s, latency_us, model_error, sensitivity

BYTES = 2 * 1024 * 1024
VARIANTS = ("cache_inv", "1_iter", "10_iter")
GROUPS = [(variant, overlap) for variant in VARIANTS for overlap in ("", "_overlap")]


def printed(name: str) -> pl.DataFrame:
    table: pl.DataFrame = groma.reference(f"commtest_{name}")
    return table


def values(name: str, quantity: str) -> dict[int, float]:
    """Return a quantity of one of the published summaries, by message size."""
    table = printed(f"{name}_runtime").filter(pl.col("quantity") == quantity)
    return dict(zip(table["bytes"].to_list(), table["value"].to_list(), strict=True))


def protocol(name: str, variant: str, overlap: bool, quantity: str) -> float:
    """Return what the COMMTEST page says of one protocol in one variant."""
    table = printed(name)
    chosen = table.filter(
        (pl.col("variant") == variant)
        & (pl.col("overlap").cast(pl.String).str.to_lowercase() == str(overlap).lower())
        & (pl.col("quantity") == quantity)
    )
    return float(chosen["value"].item())


@pytest.mark.parametrize(("variant", "overlap"), GROUPS)
def test_bandwidth_counts_both_directions_and_messages_share_a_swaps_time(variant: str, overlap: str) -> None:
    least = values(variant + overlap, "minimum_time")
    assert len(least) == 11
    for size, time in least.items():
        line = sensitivity({0: time}, BYTES, BYTES // size)
        assert line.bandwidth_mb_s == pytest.approx(values(variant + overlap, "maximum_bandwidth")[size], rel=1e-4)
        assert line.per_message_s == pytest.approx(
            values(variant + overlap, "minimum_time_per_message")[size], rel=1e-4
        )


# Protocol 4 is the first at 4096 B in each summary, so that its T_512 is printed, and the sixth of eleven at 2048 B, so
# that its excess over the minimum is the printed median.
READY = [("cache_inv", False), ("1_iter", False), ("10_iter", False)]


@pytest.mark.parametrize(("variant", "overlap"), READY)
def test_the_latency_is_that_of_one_direction(variant: str, overlap: bool) -> None:
    least = values(variant, "minimum_time")
    median = values(variant, "median_excess")[2048]
    printed_us = protocol("04_rsend", variant, overlap, "estimated_latency")
    times = {512: least[4096], 1024: least[2048] * (1 + median)}
    # The median is printed to 0.01 of T_1024, and that divided by 1024.
    assert latency_us(times) == pytest.approx(printed_us, abs=0.005 * least[2048] / 1024 * 1e6 + 0.01)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_model_has_one_latency_for_every_message_beyond_the_peak(variant: str) -> None:
    """Protocol 0 is the fastest at 2048 B, where its negative latency errs most: its T_1024 is printed."""
    peak = protocol("00_simple", variant, False, "peak_bandwidth")
    latency = protocol("00_simple", variant, False, "estimated_latency")
    most = values(variant, "minimum_time")[2048]
    least = 2 * BYTES / peak / 1e6
    fewer = most - 512 * 2 * latency / 1e6
    assert latency_us({512: fewer, 1024: most}) == pytest.approx(latency)
    error = model_error({1: least, 512: fewer, 1024: most})
    assert error is not None
    assert 100 * error == pytest.approx(protocol("00_simple", variant, False, "model_error"), abs=0.06)


def test_the_model_error_of_ready_sends_is_at_32_kib_as_printed() -> None:
    """Protocol 4 is the first at 32768 B, where the model errs most."""
    peak = protocol("04_rsend", "cache_inv", False, "peak_bandwidth")
    latency = protocol("04_rsend", "cache_inv", False, "estimated_latency")
    least = values("cache_inv", "minimum_time")
    fewer = least[4096]
    times = {1: 2 * BYTES / peak / 1e6, 64: least[32768], 512: fewer, 1024: fewer + 512 * 2 * latency / 1e6}
    error = model_error(times)
    assert error is not None
    assert 100 * error == pytest.approx(protocol("04_rsend", "cache_inv", False, "model_error"), abs=0.06)


@pytest.mark.parametrize("variant", ["10_iter"])
def test_the_peak_is_the_largest_bandwidth_over_message_sizes(variant: str) -> None:
    best = max(values(variant, "maximum_bandwidth").values())
    peaks = [protocol(f"{n:02}_{name}", variant, False, "peak_bandwidth") for n, name in enumerate(NAMES)]
    assert max(peaks) == best


NAMES = (
    "simple", "isend", "irecv", "isend_irecv", "rsend", "irsend", "synchronous", "issend", "irecv_ssend",
    "issend_irecv", "ssend",
)  # fmt: skip


@pytest.mark.parametrize(("variant", "overlap"), GROUPS)
def test_the_summaries_agree_with_each_other_as_ours_do(variant: str, overlap: str) -> None:
    """Times that agree with a printed line give its counts: the published excesses bound how many lie within X %."""
    name = variant + overlap
    within = printed(f"{name}_within").filter(pl.col("quantity") == "protocols")
    fastest = printed(f"{name}_fastest")
    for size in values(name, "minimum_time"):
        counts = dict(within.filter(pl.col("bytes") == size).select("within_percent", "value").iter_rows())
        largest, median = (values(name, quantity)[size] for quantity in ("maximum_excess", "median_excess"))
        for percent, count in counts.items():
            if largest < percent / 100 - 0.005:
                assert count == 11
            if median < percent / 100 - 0.005:
                assert count >= 6
            if median > percent / 100 + 0.005:
                assert count <= 5
        places = fastest.filter(pl.col("bytes") == size).sort("place")["value"].to_list()
        assert len(set(places)) == 5


def test_a_line_of_every_table_worked_out_by_hand() -> None:
    line = sensitivity({0: 2.0, 1: 2.02, 4: 2.1, 5: 2.5, 7: 2.6, 10: 4.0}, 1_000_000, 8)
    assert line.minimum_s == 2.0
    assert line.per_message_s == 0.25
    assert line.bandwidth_mb_s == 1.0
    assert line.mean_excess == pytest.approx(0.26833, abs=1e-5)
    assert line.median_excess == pytest.approx(0.15)
    assert line.maximum_excess == 1.0
    assert line.fastest == (0, 1, 4, 5, 7)
    assert line.within == (2, 3, 4)
    assert bandwidth_mb_s(BYTES, 0.030594) == pytest.approx(137.10, abs=0.005)


def test_equally_fast_protocols_are_listed_by_number() -> None:
    assert sensitivity({3: 1.0, 2: 1.0, 1: 1.0}, 8, 1).fastest == (1, 2, 3)


def test_one_number_of_messages_has_no_latency() -> None:
    assert latency_us({1: 1.0}) is None
    assert model_error({1: 1.0}) is None
