"""What the OSU Micro-Benchmarks 5 to 7 print: a title, then lines of a size and figures under headings.

They say neither the library nor, but for pairs, how many ranks took part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from groma.programs.printed import Importer, Line, Output, is_number, step_of

COLLECTIVES = {
    "bcast": "Broadcast",
    "reduce": "Reduce",
    "allreduce": "Allreduce",
    "reduce_scatter": "Reduce_scatter",
    "reduce_scatter_block": "Reduce_scatter_block",
    "allgather": "Allgather",
    "allgatherv": "Allgatherv",
    "gather": "Gather",
    "gatherv": "Gatherv",
    "scatter": "Scatter",
    "scatterv": "Scatterv",
    "alltoall": "All-to-All Personalized Exchange",
    "alltoallv": "All-to-Allv Personalized Exchange",
    "barrier": "Barrier",
}
_TITLES = {
    "Latency": "osu_latency",
    "Multi Latency": "osu_multi_lat",
    "Bandwidth": "osu_bw",
    "Bi-Directional Bandwidth": "osu_bibw",
    "Multiple Bandwidth / Message Rate": "osu_mbw_mr",
    **{f"{title} Latency": f"osu_{name}" for name, title in COLLECTIVES.items()},
}
_TITLE = re.compile(r"# OSU MPI (.+?) Test\s*(?:v([\w.]+))?\s*$")
_PAIRS = re.compile(r"# \[ pairs: (\d+) \] \[ window size: (\d+) \]")
_DATATYPE = re.compile(r"# Datatype: MPI_(\w+)\.")
_TWO_RANKS = ("osu_latency", "osu_bw", "osu_bibw")
_DATATYPES = {"CHAR": "char", "INT": "int32", "FLOAT": "float"}


def _read(text: str) -> Output:
    parts = re.split(r"^(?=# OSU MPI )", text, flags=re.MULTILINE)[1:]
    version = next((found[2] for part in parts if (found := _TITLE.match(part.splitlines()[0])) and found[2]), "")
    return Output([line for part in parts for line in _lines(part.splitlines())], version)


def _lines(text: list[str]) -> Iterator[Line]:
    """Yield the lines below one title; of a test that is not known, under its title."""
    titled = _TITLE.match(text[0])
    name = _TITLES.get(titled[1], titled[1]) if titled else ""
    settings: dict[str, object] = {}
    ranks, headings = (2 if name in _TWO_RANKS else None), list[str]()
    for line in text[1:]:
        words = line.split()
        if found := _PAIRS.match(line):
            ranks, settings["window"] = 2 * int(found[1]), int(found[2])
        elif (found := _DATATYPE.match(line)) and found[1] in _DATATYPES:
            settings["datatype"] = _DATATYPES[found[1]]
        elif line.startswith(("# Size", "# Avg")):
            headings = re.split(r"\s{2,}", line.removeprefix("#").strip())
        elif words and all(map(is_number, words)) and headings:
            numbers = list(map(float, words))
            size = int(numbers.pop(0)) if headings[0] == "Size" else 0
            further = dict(zip([one for one in headings if one != "Size"][1:], numbers[1:], strict=False))
            made = int(further.pop("Iterations", 0)) or None
            step = step_of(words[len(words) - len(numbers)])
            yield Line(name, size, numbers[0], further, ranks, made, settings=dict(settings), step=step)


IMPORTER = Importer.of(Path(__file__).parent, lambda text: "# OSU MPI " in text, _read)
