"""Which points the engine of this installation refuses; none where there is no engine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from beds import libraries

from groma.errors import LaunchError
from groma.launch.checking import refusals
from groma.launch.command import Setup
from groma.launch.engine import Engine
from groma.launch.launcher import Launcher


def refused_by_engine(points: Sequence[dict[str, Any]]) -> set[int]:
    """Return the places of the points that two ranks cannot measure."""
    engine = Engine(libraries()["embedded"].engine, family="", abi=False, library=None)
    try:
        return {one.index for one in refusals(Setup(engine, Launcher(Path(), "", "")), points, (2,))}
    except LaunchError:
        return set()
