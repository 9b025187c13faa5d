"""As HPC Challenge sums up: one line for each figure, `Name=value`, in its order; times in us, bandwidths in GB/s."""

from __future__ import annotations

from groma.programs.hpcc.figures import figures, measured
from groma.programs.sheet import Sheet, Style

_LINES = (
    *("MaxPingPongLatency_usec", "RandomlyOrderedRingLatency_usec", "MinPingPongBandwidth_GBytes"),
    *("NaturallyOrderedRingBandwidth_GBytes", "RandomlyOrderedRingBandwidth_GBytes", "MinPingPongLatency_usec"),
    *("AvgPingPongLatency_usec", "MaxPingPongBandwidth_GBytes", "AvgPingPongBandwidth_GBytes"),
    "NaturallyOrderedRingLatency_usec",
)


def _write(sheet: Sheet) -> None:
    found = figures(measured(sheet.run))
    for curve in sheet.curves if found else []:
        sheet.write_departures(sheet.departures(curve))
    sheet.write(*(f"{name}={found[name].value:g}" for name in _LINES if name in found))


STYLE = Style(program="HPC Challenge", write=_write, profile="hpcc")
