"""Published figures that stand beside runs, read again from the documents where those lie beside the checkout."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from printed_tables import cells

import groma
from groma.catalog.references import tables

DOCUMENTS = Path(__file__).parents[3] / "shared" / "seeds"


def document(number: str) -> str:
    found = list(DOCUMENTS.glob(f"{number}_*.txt"))
    if not found:
        pytest.skip("the documents do not lie beside this checkout")
    return found[0].read_text().replace("\N{NO-BREAK SPACE}", " ")


def columns(name: str, row: str, value: str, keys: list[dict[str, Any]]) -> list[str]:
    """Return the words of one printed line of a table: its first word and every cell that is not blank."""
    found = [row]
    for key in keys:
        found += [cell["printed"] for cell in cells(name, **{value: row if not row.isdigit() else int(row)}, **key)]
    return found


def stands_in(words: list[str], text: str) -> bool:
    """Tell whether the words follow one another in the text."""
    return f" {' '.join(words)} " in f" {' '.join(text.split())} "


P: dict[str, Any] = {"system": "Blue Gene/P Intrepid"}
Q: dict[str, Any] = {"system": "Blue Gene/Q Mira"}


def test_alcfs_messaging_rates() -> None:
    named, source = {"receives_from": "named"}, "alcf_message_rate"
    keys = [P | named, Q | named, Q | {"receives_from": "any"}, {"system": "Eureka"}, {"system": "Magellan"}]
    rows = [columns(source, row, "ranks_per_node", keys) for row in ("1", "2", "4", "8", "16", "64")]
    assert sum(map(len, rows)) - len(rows) == groma.reference(source).height
    assert stands_in([word for row in rows for word in row], document("001"))
    by_window = "alcf_message_rate_window"
    keys = [Q | {"ranks_per_node": ranks} for ranks in (4, 64)]
    rows = [columns(by_window, str(window), "window", keys) for window in range(1, 7)]
    assert sum(map(len, rows)) - len(rows) == groma.reference(by_window).height
    assert stands_in([word for row in rows for word in row], document("001"))


@pytest.mark.parametrize(
    ("name", "rows", "keys"),
    [
        ("alcf_node_bandwidth", ("1", "2", "4", "16", "64"), [P, Q]),
        ("alcf_bisection", ("1", "4", "16"), [P, Q | {"nodes": 512}, Q | {"nodes": 8192}]),
    ],
)
def test_alcfs_bandwidths(name: str, rows: tuple[str, ...], keys: list[dict[str, Any]]) -> None:
    printed = [columns(name, row, "ranks_per_node", keys) for row in rows]
    printed.append(columns(name, "peak", "quantity", keys))
    printed[-1][0] = "Peak"
    assert sum(map(len, printed)) - len(printed) == groma.reference(name).height
    assert stands_in([word for row in printed for word in row], document("001"))


@pytest.mark.parametrize("name", ["alcf_collectives", "alcf_collectives_half"])
def test_alcfs_collectives(name: str) -> None:
    keys = [P | {"ranks_per_node": ranks} for ranks in (1, 2, 4)]
    keys += [Q | {"ranks_per_node": ranks} for ranks in (1, 4, 8, 16, 64)]
    labels = ("Barrier", "Broadcast 2", "Broadcast 1K", "Allreduce 1", "Allreduce 256")
    rows = [columns(name, label, "label", keys) for label in labels]
    assert sum(map(len, rows)) - len(rows) == groma.reference(name).height
    assert stands_in([word for row in rows for word in row], document("001"))


VARIANTS = {"cache inv.": "cache_inv", "1 iter.": "1_iter", "10 iter.": "10_iter"}
GROUPS = {"cache inv.": "cache_inv", "1 iterations": "1_iter", "10 iterations": "10_iter"}


def test_commtests_protocols() -> None:
    text = document("002").partition("Protocol Sensitivity Summary")[0]
    line = r"^(cache inv\.|1 iter\.|10 iter\.)( w/overlap)? ?([\d.]+) (-?[\d.]+) (-?[\d.]+%)$"
    read = []
    for number, part in enumerate(text.split("Data Statistics")[1:]):
        for name, overlap, *figures in re.findall(line, part, re.MULTILINE):
            read.append((number, VARIANTS[name], bool(overlap), *figures))
    names = [entry.name for entry in tables() if re.match(r"commtest_\d\d_(?!iter)", entry.name)]
    rows = groma.reference(*names).rows(named=True)
    quantities = ("peak_bandwidth", "estimated_latency", "model_error")
    known: dict[tuple[Any, ...], dict[str, str]] = {}
    for row in rows:
        known.setdefault((row["protocol"], row["variant"], row["overlap"]), {})[row["quantity"]] = row["printed"]
    assert len(read) == 57
    assert sorted(read) == sorted((*key, *(by[name] for name in quantities)) for key, by in known.items())


@pytest.mark.parametrize("part", ["runtime", "fastest"])
def test_commtests_summaries(part: str) -> None:
    """Minimum time, time a message, bandwidth and three excesses; or the five fastest, of every message size."""
    numbers = r"((?: +[\d.e+-]+){6})" if part == "runtime" else r"((?: +\d+){5})"
    quantities = ["minimum_time", "minimum_time_per_message", "maximum_bandwidth"]
    quantities += ["mean_excess", "median_excess", "maximum_excess"]
    read: dict[tuple[str, int], list[str]] = {}
    for heading, body in re.findall(r"Bytes \(([^)]+)\)\n(.*?)(?=Protocol Sens|\Z)", document("002"), re.DOTALL):
        group = re.split(r"/no overlap| with overlap", heading)[0]
        name = f"commtest_{GROUPS[group]}{'_overlap' if 'with overlap' in heading else ''}_{part}"
        for size, rest in re.findall(rf"^ +(\d+){numbers} *$", body, re.MULTILINE):
            read[name, int(size)] = rest.split()
    assert len(read) == 66
    for (name, size), printed in read.items():
        rows = list(cells(name, bytes=size))
        order = quantities if part == "runtime" else range(1, 6)
        by = {row["quantity" if part == "runtime" else "place"]: row["printed"] for row in rows}
        assert [by[one] for one in order] == printed, (name, size)


def test_jets_sample_and_its_gain() -> None:
    line = r"^([\d.]+)\t, (\d+),\t(\d+),\t([\d.]+),\t([\d.]+),\t([\d.]+),\t([\d.]+),\t([\d.]+),$"
    read = re.findall(line, document("003"), re.MULTILINE)
    assert len(read) == 7
    for wtime, segments, each, *times in read:
        rows = list(cells("jet_bcast_sample", segments=int(segments)))
        assert {row["bytes"] for row in rows} == {int(each)}
        assert [row["printed"] for row in rows] == [wtime, *times]


def test_pvm() -> None:
    text = document("000").partition("PVM Bandwidth and Latency")[2]
    read = re.findall(r"^(\w+) (\d+) ([\d.]+) ([\d.]+)$", text, re.MULTILINE)
    assert len(read) == 5
    assert [value for row in read for value in row[1:]] == [row["printed"] for row in cells("pvm")]
    assert [row[0] for row in read for _ in range(3)] == [row["system"] for row in cells("pvm")]


def test_the_comparisons_one_figure_of_a_program() -> None:
    (row,) = cells("altix_comparison_stated", program="skampi")
    said = re.search(
        r"SKaMPI report also states that the average time for the MPI_Bcast is about (\d+)", document("004")
    )
    assert said
    assert (row["printed"], row["operation"]) == (said[1], "bcast")
    assert (row["bytes"], row["processes"]) == (4 * 2**20, 8)
    assert "produced by SKaMPI for MPI_Bcast at 4MBytes on 8 CPUs" in document("004")
