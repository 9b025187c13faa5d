"""A run as other programs print theirs: one module per program, which is found by its name in `STYLES`.

A module has a `STYLE` and a docstring that says where its layout is known and where it is a reconstruction. A new one
needs its module, its line here, and a recorded run in tests/golden/test_styles.py.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from groma.catalog import suggestion
from groma.errors import InputError

if TYPE_CHECKING:
    from groma.styles.sheet import Style

STYLES = {
    "osu": "As the OSU Micro-Benchmarks 7: latency, bandwidth, message rate and collectives, a table each.",
    "skampi": "As SKaMPI 5: size, time, standard error and repetitions, and when the ranks were done.",
}


def require_style(name: str) -> None:
    """Raise InputError, with the nearest one, where there is no style of that name."""
    if name not in STYLES:
        hint = suggestion(name, STYLES) or f"; there are {', '.join(STYLES)}"
        raise InputError(f"there is no style '{name}'{hint}")


def read_style(name: str) -> Style:
    """Return the style of that name; raises as `require_style`."""
    require_style(name)
    style: Style = importlib.import_module(f"groma.styles.{name}").STYLE
    return style
