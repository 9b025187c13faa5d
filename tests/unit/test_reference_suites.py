"""The arithmetic between the figures of ALCF, COMMTEST and the JET test holds (PROGRAMS 2 to 4), within rounding.

Where a document contradicts itself, the place stands in an exception with the reason; an exception that is none fails.
"""

from __future__ import annotations

import itertools
import re
from typing import Any

import polars as pl
import pytest
from printed_numbers import Printed
from printed_tables import cells, check, one, printed

import groma
from groma.catalog.references import tables

# PROGRAMS 2: ALCF.


def test_both_slides_show_the_same_times_of_the_world() -> None:
    columns = ["system", "operation", "argument", "ranks_per_node", "printed"]
    first, second = (groma.reference(name).select(columns) for name in ("alcf_collectives", "alcf_collectives_world"))
    assert first.equals(second)


def test_no_bandwidth_exceeds_its_peak() -> None:
    for name, keys in (("alcf_node_bandwidth", ["system"]), ("alcf_bisection", ["system", "nodes"])):
        rows = groma.reference(name)
        peaks = rows.filter(quantity="peak").select(*keys, peak="value")
        both = rows.filter(quantity="bandwidth").join(peaks, on=keys)
        assert both.height == rows.filter(quantity="bandwidth").height
        assert (both["value"] <= both["peak"]).all()


def test_the_peak_across_blue_gene_q_is_that_of_the_links_cut() -> None:
    """A node's peak is 20 links of 1.8 GB/s; half a torus hangs on 2 p / longest side links, two ways each."""
    link = one("alcf_node_bandwidth", "peak", system="Blue Gene/Q Mira") * (1 / 20)
    for nodes, links_cut in ((512, 512), (8192, 2048)):
        peak = one("alcf_bisection", "peak", system="Blue Gene/Q Mira", nodes=nodes)
        assert (link * links_cut).agrees(peak)


# PROGRAMS 3: COMMTEST.

V = 2_097_152
GROUPS = [(variant, overlap) for variant in ("cache_inv", "1_iter", "10_iter") for overlap in (False, True)]


def group(variant: str, overlap: object, part: str) -> str:
    return f"commtest_{variant}{'_overlap' if overlap else ''}_{part}"


@pytest.mark.parametrize(("variant", "overlap"), GROUPS)
def test_runtime_statistics_add_up(variant: str, overlap: bool) -> None:
    name = group(variant, overlap, "runtime")
    times = printed(name, "minimum_time", by="bytes")
    messages = printed(name, "minimum_time_per_message", by="bytes")
    bandwidths = printed(name, "maximum_bandwidth", by="bytes")
    largest = printed(name, "maximum_excess", by="bytes")
    assert list(times) == [2048 << k for k in range(11)]
    for size, time in times.items():
        assert bandwidths[size].agrees(Printed(2 * V / 1e6, 2 * V / 1e6) / time), size
        assert (time * (size / V)).agrees(messages[size]), size
        for quantity in ("mean_excess", "median_excess"):
            assert printed(name, quantity, by="bytes")[size].low <= largest[size].high


@pytest.mark.parametrize(("variant", "overlap"), GROUPS)
def test_protocol_counts_agree_with_the_excesses(variant: str, overlap: bool) -> None:
    runtime, within = group(variant, overlap, "runtime"), group(variant, overlap, "within")
    largest, middle = (printed(runtime, f"{which}_excess", by="bytes") for which in ("maximum", "median"))
    for size, excess in largest.items():
        counts = {row["within_percent"]: row["value"] for row in cells(within, bytes=size)}
        assert 1 <= counts[1] <= counts[5] <= counts[25] <= 11
        for percent, count in counts.items():
            share = percent / 100
            assert count == 11 or excess.high >= share
            assert count < 11 or excess.low <= share
            assert count >= 6 or middle[size].high >= share  # the median is the sixth of eleven
            assert count < 6 or middle[size].low <= share


@pytest.mark.parametrize(("variant", "overlap"), GROUPS)
def test_five_different_protocols_are_fastest(variant: str, overlap: bool) -> None:
    fastest = groma.reference(group(variant, overlap, "fastest"))
    for (_size,), rows in fastest.group_by("bytes"):
        assert rows["place"].to_list() == [1, 2, 3, 4, 5]
        assert rows["value"].n_unique() == 5
        assert rows["value"].is_between(0, 10).all()


def test_the_peak_of_the_protocols_is_the_largest_bandwidth_of_the_summary() -> None:
    statistics = [entry.name for entry in tables() if re.match(r"commtest_\d\d_(?!iter)", entry.name)]
    assert len(statistics) == 11
    peaks = groma.reference(*statistics).filter(quantity="peak_bandwidth")
    identities: dict[Any, bool] = {}
    for variant, overlap in GROUPS:
        # The summaries with overlap count the three protocols that have none as well.
        counted = peaks.filter(
            pl.col("variant") == variant, (pl.col("overlap") == overlap) | pl.col("protocol").is_in([0, 6, 10])
        )
        assert counted.height == 11
        shown = printed(group(variant, overlap, "runtime"), "maximum_bandwidth", by="bytes").values()
        identities[variant, overlap] = max(shown, key=lambda text: text.low).agrees(float(str(counted["value"].max())))
    once = "a swap timed once: the summary is of other runs than the protocols' own statistics"
    check(identities, {(variant, overlap): once for variant, overlap in GROUPS if variant != "10_iter"})


# PROGRAMS 4: the broadcast in segments.


def test_segments_make_up_the_buffer_and_the_root_is_left_out() -> None:
    rows = groma.reference("jet_bcast_sample")
    assert (rows["segments"] * rows["bytes"] == 4096 * 80).all()
    for segments in (4**k for k in range(7)):
        times = {row["host"]: row["value"] for row in cells("jet_bcast_sample", segments=segments, quantity="time")}
        others = [value for host, value in times.items() if host != "jac-64"]
        assert [row["value"] for row in cells("jet_bcast_sample", segments=segments, quantity="maximum_time")] == [
            max(others)
        ]
        assert [row["value"] for row in cells("jet_bcast_sample", segments=segments, quantity="minimum_time")] == [
            min(others)
        ]


def test_the_clock_goes_on_by_at_least_the_slowest_process() -> None:
    clock = list(printed("jet_bcast_sample", "wtime", by="segments").values())
    slowest = list(printed("jet_bcast_sample", "maximum_time", by="segments").values())
    for (before, after), time in zip(itertools.pairwise(clock), slowest[1:], strict=True):
        assert (after.high - before.low) * 1e3 >= time.low
