"""Which message sizes a run adds to those asked for, as plans, run.json and reports state it."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from groma.catalog.words import suggestion
from groma.errors import InputError
from groma.text.sizes import parse_size

METHODS = ("off", "mpptest", "log")
FIELDS = ("refine", "refine_tolerance", "refine_min_spacing", "refine_max_added", "find_switches")


class Addition(msgspec.Struct, frozen=True):
    """One size that was added: the point's index in the plan, for which rank count, to what end and why."""

    index: Annotated[int, Meta(description="place in the plan's points")]
    ranks: Annotated[int, Meta(description="rank count that it is for")]
    purpose: Annotated[Literal["refine", "switch"], Meta(description="what the size is for")]
    reason: Annotated[str, Meta(description="why")]


class Refinement(msgspec.Struct):
    """How sizes are refined, and what that added.

    `tolerance` is a share of the time, `min_spacing` is in bytes, `max_added` counts per curve (and per switch).
    """

    method: Annotated[Literal["off", "mpptest", "log"], Meta(description="how sizes are added")] = "off"
    tolerance: Annotated[float, Meta(description="relative deviation above which sizes are added")] = 0.02
    min_spacing: Annotated[int, Meta(description="smallest distance between two sizes, in bytes")] = 64
    max_added: Annotated[int, Meta(description="largest number of sizes added to a curve, and to a switch")] = 32
    find_switches: Annotated[bool, Meta(description="whether changes of protocol are searched for")] = False
    added: Annotated[list[Addition], Meta(description="sizes that were added")] = []

    @property
    def active(self) -> bool:
        """True if this run may add sizes."""
        return self.method != "off" or self.find_switches


def set_refinement(refinement: Refinement, name: str, value: object) -> None:
    """Set one of `FIELDS`, from a command line or a TOML file; raises InputError with what would be valid."""
    if name == "refine":
        refinement.method = _method(value)
    elif name == "refine_tolerance":
        refinement.tolerance = _tolerance(value)
    elif name == "refine_min_spacing":
        refinement.min_spacing = _count(name, parse_size(value) if isinstance(value, str) else value)
    elif name == "refine_max_added":
        refinement.max_added = _count(name, value)
    elif isinstance(value, bool):
        refinement.find_switches = value
    else:
        raise InputError(f"{name} is either true or false, not {value!r}")


def _method(value: object) -> Literal["off", "mpptest", "log"]:
    for method in METHODS:
        if value == method:
            return method  # type: ignore[return-value]
    raise InputError(f"refine cannot be {value!r}{suggestion(str(value), METHODS)}; use off, mpptest or log")


def _tolerance(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
        raise InputError(f"refine_tolerance needs a share of the time between 0 and 1, such as 0.02, not {value!r}")
    return float(value)


def _count(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InputError(f"{name} needs a whole number of at least 1, not {value!r}")
    return value
