"""Which mixtures of two legal methods are none: judged without an engine, since runs are compared where none is."""

from __future__ import annotations

from typing import Any


def refusal(point: dict[str, Any]) -> str:
    """Return why the engine would refuse this mix of factors, or an empty string; all fields are given.

    Only what two legal methods can become when they are mixed: `tests/engine` compares it with what the engine says.
    """
    block = point["timing"] == "block"
    if point["cache"] != "warm" and block:
        return f"cache={point['cache']} needs timing=call"
    if point["sync"] == "window" and block:
        return "sync=window needs timing=call: a window is sized for one call, not for a block of them"
    if point["arrival"] != "together" and point["sync"] not in ("window", "roundtime", "auto"):
        return f"arrival={point['arrival']} needs sync=roundtime or sync=window"
    if block and point["sync"] == "none" and point["reduce"] in ("span", "post_arrival"):
        return f"reduce={point['reduce']} of blocks needs a synchronisation"
    return ""
