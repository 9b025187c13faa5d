"""What each of several profiles measures in one plan, and by what names they call the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from groma.catalog.reporting import Reporting
from groma.catalog.values import write_value

_THEN_BARRIER, _PAIRWISE = "_then_barrier", "_pairwise"


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """The points of one profile by their places in the plan, and its own way to order and report them."""

    points: Annotated[list[int], Meta(description="places in the plan, in the profile's order")]
    report: Annotated[Reporting, Meta(description="how its samples become a figure")] = Reporting()
    order: Annotated[str, Meta(description="of its points in a launch; empty: the plan's")] = ""
    settings: Annotated[dict[str, Any], Meta(description="its other fields of document 2")] = {}
    style: Annotated[str | None, Meta(description="the layout that suits it")] = None


def call_of(operation: str) -> str:
    """Return what an operation is called where programs are compared: their barriers and pairs are part of a method.

    MPBench calls a barrier after every broadcast, and MPIBench's MPI_Sendrecv is between pairs.
    """
    return operation.removesuffix(_THEN_BARRIER).removesuffix(_PAIRWISE)


def first_ways(points: Iterable[dict[str, Any]], *, crowded: bool) -> list[dict[str, Any]]:
    """Return of every call and size the first way in which a profile measures it.

    Crowded ranks cannot keep the windows of a global clock: the first way without them is taken, if there is one.
    """
    ways: dict[tuple[str, str], dict[str, Any]] = {}
    for point in points:
        what = call_of(str(point["operation"])), write_value(point.get("bytes", ""))
        if what not in ways or (crowded and ways[what].get("sync") == "window" != point.get("sync")):
            ways[what] = point
    return list(ways.values())
