"""Numbers and settings as records may hold them: a damaged file is refused where it is read, with line and field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec

SCHEMA = 1
_NUMERIC = {"integer": (int,), "size": (int,), "number": (int, float)}

Count = Annotated[int, msgspec.Meta(ge=0, le=2**31)]
Launches = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
Positive = Annotated[int, msgspec.Meta(ge=1, le=2**31)]
Whole = Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]
Nanoseconds = Annotated[int, msgspec.Meta(ge=-(2**62), le=2**62)]
Real = Annotated[float, msgspec.Meta(ge=-1e18, le=1e18)]
Time = Annotated[float, msgspec.Meta(ge=0, le=1e18)]
Pair = Annotated[list[Count], msgspec.Meta(min_length=2, max_length=2)]  # of ranks
# Minimum, quartiles and maximum.
FiveNumbers = Annotated[list[Whole], msgspec.Meta(min_length=5, max_length=5)]
# CPUs as the kernel lists them, such as 0-3,8; empty if they are not known.
CpuList = Annotated[str, msgspec.Meta(pattern=r"^(\d{1,6}(-\d{1,6})?(,\d{1,6}(-\d{1,6})?)*)?$")]
# Of a member that only older engines wrote.
OLDER = msgspec.Meta(extra={"older": True})
# A point's fields, by their names in the catalogue.
if TYPE_CHECKING:
    Settings = dict[str, Any]
else:
    Settings = dict[str, str | Whole | bool | Real | None]


def cpu_list(text: str) -> list[int]:
    """Return the CPUs of a kernel list such as `0-3,8`."""
    cpus: list[int] = []
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        cpus += range(int(first), int(last or first) + 1)
    return cpus


def check_settings(point: dict[str, Any], numeric: dict[str, str]) -> None:
    """Raise `msgspec.ValidationError` if a point names no operation, or a number's field holds something else.

    `numeric` has the types of the fields that are numbers in the catalogue, by their names.
    """
    if not isinstance(point.get("operation"), str):
        raise msgspec.ValidationError("Expected the name of an operation - at `$.point.operation`")
    for name in numeric.keys() & point.keys():
        value = point[name]
        if isinstance(value, bool) or not isinstance(value, _NUMERIC[numeric[name]]) or value < 0:
            raise msgspec.ValidationError(f"Expected a number that is not negative - at `$.point.{name}`")
