"""What ReproMPI's mpibenchmark prints: a line for every call, or the statistics of a summary, in seconds."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from statistics import median

from groma.programs.printed import Importer, Line, Output, date, is_number

_FACT = re.compile(r"#@(\w+)=(.*)")
_STARTED = re.compile(r"# Benchmark started at (.+)")
_BARRIERS = {"MPI_Barrier": "barrier", "BBarrier": "dissemination"}
_REDUCTIONS = {"MPI_SUM": "sum", "MPI_MAX": "max", "MPI_BAND": "band"}
_DATATYPES = {
    "MPI_BYTE": "byte",
    "MPI_CHAR": "char",
    "MPI_INT": "int32",
    "MPI_FLOAT": "float",
    "MPI_DOUBLE": "double",
}


def _read(text: str) -> Output:
    facts, headings, lines = dict[str, str](), list[str](), list[Line]()
    calls: dict[tuple[str, int], list[float]] = {}
    for line in text.splitlines():
        words = line.split()
        if found := _FACT.match(line):
            facts[found[1]] = found[2].strip()
        elif words[:1] == ["test"]:
            headings = words
        elif headings and len(words) == len(headings) and all(map(is_number, words[1:])):
            row = dict(zip(headings[1:], map(float, words[1:]), strict=True))
            size = _size(words[0], row, facts)
            if "runtime_sec" in row:
                calls.setdefault((words[0], size), []).append(1e6 * row["runtime_sec"])
            else:
                lines += _summary(words[0], size, row)
    lines += [
        Line(name, size, median(times), repetitions=len(times), samples_us=tuple(times))
        for (name, size), times in calls.items()
    ]
    ranks = int(facts["nprocs"]) if facts.get("nprocs", "").isdigit() else None
    started = _STARTED.search(text)
    stated = [replace(line, ranks=ranks, settings=_settings(line.test, facts)) for line in lines]
    return Output(stated, ranks=ranks, measured=date(started[1]) if started else "", facts=facts)


def _size(test: str, row: dict[str, float], facts: dict[str, str]) -> int:
    extent = facts.get("datatype_extent_bytes", "1")
    return 0 if test == "MPI_Barrier" else int(row["count"]) * (int(extent) if extent.isdigit() else 1)


def _summary(test: str, size: int, row: dict[str, float]) -> list[Line]:
    """Return the line of a summary with a median; another statistic alone is no figure of this method."""
    figures = {name.removesuffix("_sec"): 1e6 * row[name] for name in row if name.endswith("_sec")}
    shown = figures.pop("median", None)
    made = int(row.get("valid_nrep", 0)) or None
    return [] if shown is None else [Line(test, size, shown, figures, repetitions=made)]


def _settings(test: str, facts: dict[str, str]) -> dict[str, object]:
    """Return what the output states of the method: its start, its clock's window, elements and reduction."""
    found: dict[str, object] = {}
    sync = facts.get("sync", "MPI_Barrier")
    found["sync"] = _BARRIERS.get(sync, "window")
    if found["sync"] == "window":
        found["reduce"] = "span"
    if test != "MPI_Barrier" and facts.get("datatype") in _DATATYPES:
        found["datatype"] = _DATATYPES[facts["datatype"]]
    if "educe" in test and facts.get("operation") in _REDUCTIONS:
        found["reduction"] = _REDUCTIONS[facts["operation"]]
    return found


IMPORTER = Importer.of(
    Path(__file__).parent, lambda text: "#@reproMPIcommitSHA1" in text or "runtime_sec" in text, _read
)
