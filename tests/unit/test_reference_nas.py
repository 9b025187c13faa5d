"""The arithmetic between the figures of LBW, ATA and STS holds (PROGRAMS 1), within the rounding of the print.

Where a document contradicts itself, the place stands in an exception with the reason; an exception that is none fails.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
from printed_numbers import Printed
from printed_tables import cells, check, one, printed

from groma.catalog.references import table


def test_the_latency_is_that_of_forty_bytes() -> None:
    pairs = {
        "lomax": ("lomax_lbw", "lomax_lbw_sizes", {}),
        "ranma": ("ranma_lbw", "ranma_lbw_sizes", {}),
        "vabcluster": ("vabcluster_lbw", "vabcluster_lbw_sizes", {}),
        "appro": ("appro_lbw", "appro_lbw_sizes", {"where": "internode"}),
        "altix": ("altix_lbw", "altix_sizes", {}),
        "chapman": ("chapman_lbw", "chapman_sizes", {}),
        "ibm default": ("ibm01_lbw_intranode", "ibm01_lbw_sizes", {"interconnect": "default"}),
        "ibm shmem": ("ibm01_lbw_intranode", "ibm01_lbw_sizes", {"interconnect": "shmem"}),
        "ibm sa": ("ibm01_lbw_internode", "ibm01_lbw_sizes", {"interconnect": "sa"}),
    }
    identities: dict[Any, bool] = {}
    for system, (headline, sizes, keys) in pairs.items():
        more = {"test": "lbw"} if sizes in ("altix_sizes", "chapman_sizes") else {}
        small = one(sizes, "bandwidth", bytes=40, **keys, **more)
        identities[system] = (small * one(headline, "latency", **keys)).agrees(40)
    check(
        identities,
        {
            "vabcluster": "0.864 MB/s is 46.3 us, 46.2 is printed: the best of another set of runs",
            "altix": "19.1 MB/s is 2.1 us, 1.5 is printed: the best of another set of runs, which varied greatly",
        },
    )


@pytest.mark.parametrize("system", ["altix", "chapman"])
def test_an_alltoall_moves_a_block_for_every_process(system: str) -> None:
    times = printed(f"{system}_ata_latency", "total_time", by="processes")
    bandwidths = printed(f"{system}_ata", "bandwidth", by="processes")
    assert times.keys() == bandwidths.keys()
    block_mb = 100_000 / 1e6
    identities: dict[Any, bool] = {
        processes: bandwidths[processes].agrees(Printed(block, block) / (time * 1e-3))
        for processes, time in times.items()
        for block in [processes * block_mb]
    }
    check(identities, {})


@pytest.mark.parametrize("system", ["altix", "chapman"])
def test_the_overhead_of_an_alltoall_is_latency_over_time(system: str) -> None:
    name = f"{system}_ata_latency"
    by = {quantity: printed(name, quantity, by="processes") for quantity in ("total_time", "latency", "overhead")}
    identities: dict[Any, bool] = {
        processes: (latency / by["total_time"][processes] * 100).agrees(by["overhead"][processes])
        for processes, latency in by["latency"].items()
    }
    check(identities, {})


def test_the_full_output_of_one_run_adds_up() -> None:
    by = {row["quantity"]: Printed.of(row["printed"]) for row in cells("lomax_sts_384_output")}
    exact = {name: float(row["printed"]) for row in cells("lomax_sts_384_output") for name in [row["quantity"]]}
    p, m, passes = (exact[name] for name in ("processes_used", "messages_per_process", "passes"))
    identities: dict[Any, bool] = {
        "mean_message": (by["buffer_per_process"] * (1 / m)).agrees(by["mean_message"]),
        "bytes_transferred": (by["buffer_per_process"] * p * passes * 1e-6).agrees(by["bytes_transferred"]),
        "bandwidth_total": (by["bytes_transferred"] / by["total_time"]).agrees(by["bandwidth_total"]),
        "bandwidth": (by["bandwidth_total"] * (1 / p)).agrees(by["bandwidth"]),
        "time_per_pass": (by["total_time"] * (1e3 / passes)).agrees(by["time_per_pass"]),
        "bytes_per_process": (by["buffer_per_process"] * 1e-6).agrees(by["bytes_per_process_and_pass"]),
        "bandwidth of a pass": (by["bandwidth"] * by["time_per_pass"] * 1e3).agrees(by["buffer_per_process"]),
    }
    check(identities, {"bytes_transferred": "9 millionths more than processes, passes and the mean buffer give"})


STS = ("lomax_sts", "ibm01_sts_default", "ibm01_sts_shmem", "ibm01_sts_sa", "ranma_sts", "altix_sts", "chapman_sts")


def test_a_pass_moves_six_messages_of_uniform_length_a_process() -> None:
    """Bandwidth x time = bytes of a pass and process; lengths are uniform in 1..262144, a new map for every run."""
    identities: dict[Any, bool] = {}
    for name, sides in itertools.product(STS, ("single", "double")):
        messages = 6 if sides == "single" else 12
        times = printed(name, "time_per_pass", by="processes", sides=sides)
        for processes, bandwidth in printed(name, "bandwidth", by="processes", sides=sides).items():
            moved = bandwidth * times[processes] * 1e3
            mean = messages * 131072.5
            deviation = messages * 262144 / math.sqrt(12 * messages * processes)
            within = Printed(mean - 4 * deviation, mean + 4 * deviation)
            identities[name, sides, processes] = moved.agrees(within)
    beyond = "4.5 standard deviations above: the best bandwidth and the best time may be of different runs"
    check(identities, {("chapman_sts", "single", 24): beyond})


@pytest.mark.parametrize(
    ("runs", "best"), [("altix_ata_128_runs", 128), ("altix_sts_96_runs", 96), ("altix_lbw_runs", None)]
)
def test_the_best_of_the_runs_is_reported(runs: str, best: int | None) -> None:
    largest = max(float(row["printed"]) for row in cells(runs))
    places: dict[int, tuple[str, dict[str, Any]]] = {
        128: ("altix_ata", {"processes": 128}),
        96: ("altix_sts", {"processes": 96, "sides": "single"}),
    }
    name, keys = places.get(best or 0, ("altix_lbw", {}))
    assert one(name, "bandwidth", **keys).agrees(largest)


def test_memory_efficiency_is_the_share_of_a_single_runs_bandwidth() -> None:
    identities: dict[Any, bool] = {}
    for name in ("ranma_load", "lomax_load"):
        bandwidths = printed(name, "bandwidth", by="runs")
        for runs, efficiency in printed(name, "memory_efficiency", by="runs").items():
            identities[name, runs] = (bandwidths[runs] / bandwidths[1] * 100).agrees(efficiency)
        assert all(row["processes"] == 2 * row["runs"] for row in cells(name))
    check(
        identities,
        {
            ("ranma_load", 2): "739.5 of 840.7 is 88.0 %, 79.6 is printed",
            ("lomax_load", 4): "247.6 of 237.8 is 104.1 %, 104.0 is printed",
        },
    )


def test_the_summaries_repeat_the_tables() -> None:
    tables_of: dict[str, tuple[str, dict[str, Any]]] = {
        "Lomax": ("lomax", {}),
        "IBM01": ("ibm01", {}),
        "Ranma": ("ranma", {}),
        "Vabcluster": ("vabcluster", {}),
        "Appro": ("appro", {}),
        "Altix": ("altix", {}),
        "Chapman": ("chapman", {}),
    }
    identities: dict[Any, bool] = {}
    for summary, kind in (("summary_lbw", "lbw"), ("summary_ata", "ata"), ("summary_sts", "sts")):
        for row in cells(summary):
            system = row["system"]
            name, keys = f"{tables_of[system][0]}_{kind}", {k: row[k] for k in ("processes", "sides") if row.get(k)}
            if system == "IBM01":
                name += "_sa" if kind == "sts" else "_intranode"
                keys |= {} if kind == "sts" else {"interconnect": "shmem"}
            if system == "Appro" and kind == "lbw":
                keys["where"] = "internode"
            same = [cell["printed"] for cell in cells(name, quantity=row["quantity"], **keys)]
            values = [float(str(text)) for text in same]
            identities[summary, system, row["quantity"]] = values == [row["value"]]
    check(
        identities,
        {
            ("summary_lbw", "Ranma", "bandwidth"): "915.4, where its own table prints 915.1",
            ("summary_sts", "Ranma", "bandwidth"): "its table ends at 8 processes, which is the row shown",
            ("summary_sts", "Ranma", "time_per_pass"): "as above",
        },
    )
    assert [row["value"] for row in cells("summary_sts", system="Ranma")] == [
        row["value"] for row in cells("ranma_sts", processes=8, sides="single")
    ]


def test_the_ibms_alltoall_between_nodes_is_a_copy_of_the_one_within() -> None:
    """The document's own fault: what makes these six figures useless, stated in the index."""
    within = printed("ibm01_ata_intranode", "bandwidth", by="processes", interconnect="default")
    between = printed("ibm01_ata_internode", "bandwidth", by="processes")
    assert {processes: between[processes] for processes in within} == within
    assert {between[processes] for processes in (16, 24, 32)} == {within[8]}
    assert "cannot be right" in table("ibm01_ata_internode").note
