"""Whether points fit their numbers of ranks: checked before anything is started.

The engine checks all of it again, on what really ran; here it saves a campaign whose last launch would be refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.errors import InputError
from groma.sizes import format_size

if TYPE_CHECKING:
    from groma.catalog import Catalog
    from groma.plan.expand import Plan

# Bytes of one element of each datatype the engine offers; a datatype it adds is judged by the engine alone.
_ELEMENT_BYTES = {"byte": 1, "char": 1, "int32": 4, "int64": 8, "float": 4, "double": 8}


def check_ranks(plan: Plan, catalog: Catalog) -> None:
    """Raise InputError for the first point that cannot be measured on one of the plan's rank counts."""
    for asked in plan.points:
        point = catalog.resolve(asked)
        _whole_elements(point, catalog)
        _equal_segments(point, catalog)
        _legal_swap(point, catalog)
        for ranks in [] if point.get("optional") else plan.rank_counts:
            _enough_ranks(point, ranks, catalog)


def _whole_elements(point: dict[str, Any], catalog: Catalog) -> None:
    uses = catalog.operation(point["operation"]).uses
    element = _ELEMENT_BYTES.get(str(point.get("datatype")), 1)
    if "bytes" in uses and isinstance(point.get("bytes"), int) and point["bytes"] % element:
        raise InputError(
            f"{point['operation']} at {format_size(point['bytes'])} is not a whole number of {point['datatype']} "
            f"elements of {element} bytes; use a multiple of {element} or --set datatype=byte"
        )


def _equal_segments(point: dict[str, Any], catalog: Catalog) -> None:
    if "segments" not in catalog.operation(point["operation"]).uses:
        return
    elements = int(point["bytes"]) // _ELEMENT_BYTES.get(str(point["datatype"]), 1)
    if elements % int(point["segments"]):
        raise InputError(
            f"{point['operation']} cannot send {elements} elements in {point['segments']} equal segments; "
            f"use a divisor of {elements}, or other bytes"
        )


def _legal_swap(point: dict[str, Any], catalog: Catalog) -> None:
    name = point["operation"]
    swap = catalog.operation(name).swap
    if swap is None:
        return
    elements = point["bytes"] // _ELEMENT_BYTES.get(str(point["datatype"]), 1)
    if point["bytes_of"] == "each" and elements % point["swap_messages"]:
        raise InputError(
            f"{name} at {format_size(point['bytes'])} cannot be cut into {point['swap_messages']} equal messages of "
            f"whole elements; use a divisor of {elements} for swap_messages"
        )
    if point["swap_order"] != "ordered" and not swap.alike:
        raise InputError(
            f"swap_order={point['swap_order']} of {name} can hang: both ranks of a pair would be in a send that may "
            "wait for the other's receive; use swap_order=ordered"
        )
    if point["swap_overlap"] and not swap.overlaps:
        raise InputError(
            f"swap_overlap=true of {name} has nothing to overlap: its sends and its receives both block; leave it out"
        )


def _enough_ranks(point: dict[str, Any], launched: int, catalog: Catalog) -> None:
    operation = catalog.operation(point["operation"])
    asked = point.get("ranks") or launched
    if asked > launched:
        raise InputError(
            f"{operation.name} asks for {asked} ranks, but a launch has {launched}; use -n {asked} or more"
        )
    if asked < operation.min_ranks:
        raise InputError(
            f"{operation.name} needs at least {operation.min_ranks} ranks, not {asked}; use -n {operation.min_ranks}"
        )
    root = point.get("root_rank")
    if "root" in operation.uses and isinstance(root, int) and root >= asked:
        raise InputError(
            f"root_rank = {root} is not one of the {asked} ranks of {operation.name}; use 0 to {asked - 1}"
        )


def refusal(point: dict[str, Any]) -> str:
    """Return why the engine would refuse this mix of factors, or an empty string; all fields are given.

    As engine/groma/launch/validate.cpp, for what two legal methods can become when they are mixed; and windows of
    blocks, which the engine lets a person try, but which leave no valid sample.
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
