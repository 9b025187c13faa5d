"""What many ranks cost: the set-up of the plan of `groma quick` on simulated ranks, and what that says of many more.

The engine is built with SimGrid's SMPI (tools/build-simulated-engine). Each rank is one of 16 on its host.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import altair as alt
import polars as pl
import vl_convert

from groma.sizes import format_size
from simulation.scale import RANKS_PER_HOST, Cost, costs, grows_as_it_should, rounds
from simulation.simulator import missing

_RANKS = "16,64,256"
_PAPER = (10_000, 100_000)


@dataclass(frozen=True)
class Quantity:
    """Something that a launch takes: its value, how it is written, and whether it grows by rounds, ranks or not."""

    name: str
    of: Callable[[Cost], float]
    text: Callable[[float], str]
    growth: str = "O(1)"

    def on_paper(self, costs: Sequence[Cost], ranks: int) -> float:
        """Return its value at so many ranks, from the fewest and the most that were measured.

        What does not grow is what it was at the most ranks.
        """
        several = [cost for cost in costs if cost.rounds]
        first, last = several[0], several[-1]
        if self.growth == "O(1)":
            return self.of(last)
        size = rounds if self.growth == "O(log p)" else int
        slope = (self.of(last) - self.of(first)) / (size(last.ranks) - size(first.ranks))
        return self.of(last) + slope * (size(ranks) - size(last.ranks))


_SECONDS, _WHOLE, _SIZE = "{:.2f} s".format, "{:.0f}".format, format_size
QUANTITIES = (
    Quantity("set-up, simulated", lambda cost: cost.setup_s, _SECONDS, "O(log p)"),
    Quantity("of it clock", lambda cost: cost.clock_s, _SECONDS, "O(log p)"),
    Quantity("clock messages, busiest rank", lambda cost: cost.clock_messages, _WHOLE, "O(log p)"),
    Quantity("memory a rank", lambda cost: cost.resident_bytes_per_rank, lambda size: format_size(round(size))),
    Quantity("longest point record", lambda cost: cost.longest_record_bytes, lambda size: format_size(round(size))),
    Quantity("start record", lambda cost: cost.start_bytes, lambda size: format_size(round(size))),
    Quantity("nodes.json", lambda cost: cost.nodes_bytes, lambda size: format_size(round(size)), "O(p)"),
)


def main() -> int:
    """Print the page, or write it with a plot; exit code 1 where something grows faster than it should."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", default=_RANKS, metavar="P,...", help="numbers of simulated ranks, rising")
    parser.add_argument("--write", type=Path, help="file for the page; the plot stands beside it")
    options = parser.parse_args()
    if reason := missing():
        parser.error(reason)
    asked = [int(ranks) for ranks in options.ranks.split(",")]
    if len({rounds(ranks) for ranks in asked} - {0, 1}) < 2:
        parser.error(f"--ranks {options.ranks} shows no growth over hosts of {RANKS_PER_HOST} ranks; try {_RANKS}")
    found = costs(asked)
    if options.write:
        options.write.write_text(page(found), encoding="utf-8")
        _draw(found, options.write.with_suffix(".svg"))
    else:
        print(page(found))
    return 0 if grows_as_it_should(found) else 1


def page(costs: Sequence[Cost]) -> str:
    """Return the Markdown of what was measured and what follows from it."""
    head = [f"{one.name}" for one in QUANTITIES] + ["simulator, CPU time"]
    measured = [
        [str(cost.ranks), *(one.text(one.of(cost)) for one in QUANTITIES), f"{cost.cpu_s:.0f} s"] for cost in costs
    ]
    paper = [[one.name, one.growth, *(one.text(one.on_paper(costs, ranks)) for ranks in _PAPER)] for one in QUANTITIES]
    return _PAGE.format(
        ranks=",".join(str(cost.ranks) for cost in costs),
        points=costs[0].points,
        measured=_table(["ranks", *head], measured),
        paper=_table(["what", "growth", *(f"{ranks} ranks" for ranks in _PAPER)], paper),
        verdict="all of it holds here" if grows_as_it_should(costs) else "**not all of it holds here**",
    )


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["--:"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _draw(costs: Sequence[Cost], path: Path) -> None:
    """Write every quantity against the ranks, relative to the fewest, as an SVG picture."""
    several = [cost for cost in costs if cost.rounds]
    first = several[0]
    series = {one.name: one.of for one in QUANTITIES} | {"simulator, CPU time": lambda cost: cost.cpu_s}
    rows = [
        {"ranks": cost.ranks, "cost": name, "ratio": of(cost) / of(first)}
        for cost in several
        for name, of in series.items()
    ]
    chart = (
        alt.Chart(pl.DataFrame(rows), width=480, height=260)
        .mark_line(point=True)
        .encode(
            x=alt.X("ranks:Q", scale=alt.Scale(type="log", base=2), title="simulated ranks"),
            y=alt.Y("ratio:Q", scale=alt.Scale(type="log"), title=f"cost, relative to {first.ranks} ranks"),
            color=alt.Color("cost:N", title=None),
        )
    )
    path.write_text(vl_convert.vegalite_to_svg(chart.to_dict()), encoding="utf-8")


_PAGE = """# What many ranks cost, measured

Written by `make scale-ranks RANKS={ranks}`: the set-up of the operations of `groma quick` on simulated
ranks, 16 on each host, and {points} points with the shortest message of each operation but alltoall and message_rate,
which take minutes to simulate. Ranks of a host share its clock.
Messages between hosts take 2 us. Each point has 3 single calls.

{measured}

![cost against ranks](rank-scale.svg)

Set-up is the time from the start of the ranks to that of the first point, in simulated seconds: what a launch takes
before it measures. Computation takes no simulated time. Memory is the largest resident size of the simulation over its
ranks, with the simulator's part. The CPU time is the simulator's own, with all points: its
MPI_Comm_split sends a message from each rank to one, and waits for all of them. 4096 ranks need 15 GB.
The start record of real ranks has the noise of each, as [ranks.md](ranks.md) counts.

## On paper

From the fewest on several hosts and the most ranks above, by the growth that each has. Rounds are those of a tree over
the hosts.

{paper}

Set-up and clock are to grow with the rounds of a tree over the hosts, point records not at all:
{verdict}.
"""


if __name__ == "__main__":
    sys.exit(main())
