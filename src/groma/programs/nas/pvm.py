"""LBW over PVM, the last table of the NAS page: what `lbw-pvm --out` recorded for a run, as the row of that table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from groma.programs.nas.reference import cells
from groma.results import Run
from groma.results.launched import read_records
from groma.results.records import Point, Record, Start
from groma.text.numbers import DASH, significant
from groma.text.tables import Table

FILE = "pvm.jsonl"  # in the run directory
OPERATION = "lbw_pvm"
_QUANTITIES = ("clock_rate", "bandwidth", "latency")
_GIGAHERTZ = re.compile(r"@\s*([\d.]+)\s*GHz")


@dataclass(frozen=True)
class _Way:
    """How messages went: `sync` or `async`, through the daemons or from task to task (`direct`)."""

    style: str
    route: str

    def words(self, host: str) -> str:
        """Return the row's name: the host, then what differs from LBW's default."""
        departures = [self.style] * (self.style != "sync") + [self.route] * (self.route != "daemons")
        return ", ".join([host, *departures])


def tables(run: Run, systems: Sequence[str], latency_bytes: int, bandwidth_bytes: int) -> list[Table]:
    """Return the table of LBW over PVM: a row for each way recorded beside the run, then those of other systems."""
    recorded, _ = read_records(run.path / FILE)
    rows = [
        [
            way.words(run.meta.host),
            _clock_rate(run),
            significant(bandwidth_bytes * 1e3 / times[bandwidth_bytes]) if bandwidth_bytes in times else DASH,
            significant(times[latency_bytes] / 1e3) if latency_bytes in times else DASH,
        ]
        for way, times in _shortest_ns(recorded).items()
    ]
    rows += cells(systems, "pvm", _QUANTITIES)
    versions = dict.fromkeys(record.library.version for record in recorded if isinstance(record, Start))
    notes = [f"{run.meta.host}: PVM {', '.join(versions)}, two processes, the best of all runs in {FILE}."]
    headings = ["system", "clock rate, MHz", "bandwidth, MB/s per process", "latency, \u00b5s"]
    return [Table("LBW over PVM", headings, rows, notes if versions else [])]


def _shortest_ns(recorded: Sequence[Record]) -> dict[_Way, dict[int, float]]:
    """Return the shortest time of a message in one direction, in nanoseconds, by way and by message size."""
    shortest: dict[_Way, dict[int, float]] = {}
    for record in recorded:
        if isinstance(record, Point) and record.point.get("operation") == OPERATION and record.samples_ns.size:
            way = _Way(str(record.point.get("style")), str(record.point.get("route")))
            one_way_ns = float(record.samples_ns.min()) / record.repetitions_per_sample / record.divisor
            times = shortest.setdefault(way, {})
            times[record.message_bytes] = min(one_way_ns, times.get(record.message_bytes, one_way_ns))
    return shortest


def _clock_rate(run: Run) -> str:
    """Return the MHz that the processor's name gives, as the table of the NAS page does; a dash if it gives none."""
    models = [node.cpu_model for launch in run.launches if launch.nodes for node in launch.nodes.nodes]
    matches = [match for model in models if (match := _GIGAHERTZ.search(model))]
    return f"{float(matches[0][1]) * 1e3:.0f}" if matches else DASH
