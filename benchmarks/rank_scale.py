"""What many ranks cost: the set-up of the plan of `groma quick` on simulated ranks, and what that says of many more.

The engine is built with SimGrid's SMPI (tools/build-simulated-engine). Each rank is one of 16 on its host.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from benchmarks.chart import curves
from benchmarks.page import Page, Study, written
from groma.text.charts.axes import counts, levels
from groma.text.sizes import format_size
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
        """Return its value at a number of ranks, from the fewest and the most that were measured.

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


@click.command(help=__doc__)
@click.option("--ranks", default=_RANKS, show_default=True, metavar="P,...", help="Numbers of simulated ranks, rising.")
@written
def main(ranks: str, docs: Path | None) -> None:
    """Print the page, or write it; exit code 1 if something grows faster than it should."""
    if reason := missing():
        raise click.ClickException(reason)
    asked = [int(word) for word in ranks.split(",")]
    if len({rounds(count) for count in asked} - {0, 1}) < 2:
        raise click.UsageError(f"--ranks {ranks} shows no growth over hosts of {RANKS_PER_HOST} ranks; try {_RANKS}")
    found = costs(asked)
    STUDY.publish([found], docs)
    sys.exit(0 if grows_as_it_should(found) else 1)


def page(costs: Sequence[Cost]) -> Page:
    """Return docs/rank-scale.md."""
    several = [cost for cost in costs if cost.rounds]
    first, last = several[0], several[-1]
    return Page(
        chart=_chart(several),
        headings=["what", "growth", *(f"{ranks} ranks" for ranks in (first.ranks, last.ranks, *_PAPER))],
        rows=[
            [
                *(one.name, one.growth, one.text(one.of(first)), one.text(one.of(last))),
                *(one.text(one.on_paper(costs, ranks)) for ranks in _PAPER),
            ]
            for one in QUANTITIES
        ],
        words=vars(last)
        | {"first": first.ranks, "grows": "" if grows_as_it_should(costs) else "not ", "per_host": RANKS_PER_HOST}
        | {"asked": ",".join(str(cost.ranks) for cost in costs)},
    )


def _chart(costs: Sequence[Cost]) -> str:
    series = {one.name: one.of for one in QUANTITIES} | {"simulator, CPU time": lambda cost: cost.cpu_s}
    lines = {name: [(cost.ranks, of(cost) / of(costs[0])) for cost in costs] for name, of in series.items()}
    ratios = [ratio for line in lines.values() for _, ratio in line]
    x = counts("simulated ranks", [cost.ranks for cost in costs])
    y = levels(f"cost, relative to {costs[0].ranks} ranks", ratios)
    return curves(lines, x, y, "Every cost against the ranks")


STUDY = Study("rank-scale", {"rank-scale": Cost}, page)


if __name__ == "__main__":
    main()
