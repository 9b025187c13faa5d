"""Charts as SVG that need no script and no network: what every page draws with.

An `Axis` (`axes`) places values and has ticks with room for their labels; a `Drawing` joins two axes and takes lines,
bands, rectangles, spans and marks, which are told apart by form as well as by colour. `Chart` is curves with their
legend, `Picture` a drawing with what is to be seen in it, `Rows` are named rows on one axis, `Histogram` and `HeatMap`
what their names say. Templates of pages show each of them (`report/templates/parts.html`).
"""

from groma.text.charts import axes
from groma.text.charts.axes import Axis
from groma.text.charts.curves import Chart, Curve, Key, Point, numbered
from groma.text.charts.drawing import COLOURS, Drawing, Picture, symbols
from groma.text.charts.heatmap import HeatMap
from groma.text.charts.histogram import Histogram
from groma.text.charts.rows import Row, Rows, Track

__all__ = [
    "COLOURS",
    "Axis",
    "Chart",
    "Curve",
    "Drawing",
    "HeatMap",
    "Histogram",
    "Key",
    "Picture",
    "Point",
    "Row",
    "Rows",
    "Track",
    "axes",
    "numbered",
    "symbols",
]
