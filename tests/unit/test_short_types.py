"""A library that fails in numbers of 16 bits is refused before a run; what its header lacks is left to the launches."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from unit.test_launch_command import ABI, INTEL

from groma.errors import InputError
from groma.launch.command import Setup
from groma.machine import short_types
from groma.machine.probe import Tried
from groma.plan import Plan
from groma.results.records import Failure, Point

PLAN = cast(Plan, SimpleNamespace(points=[{"operation": "scan", "datatype": "float16"}, {"operation": "barrier"}]))
MEASURED = cast(Any, Point)(**dict.fromkeys(Point.__struct_fields__))
LACKING = Failure(1, 0, "lacking", "datatype=float16 of pingpong needs MPIX_C_FLOAT16")


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ([MEASURED, MEASURED], ""),
        ([LACKING, LACKING], ""),
        ([MEASURED], "fails in sums of it (Invalid datatype)"),
        ([], "fails in messages of it (Invalid datatype)"),
    ],
)
def test_what_a_library_fails_in_is_one_sentence(
    records: list[Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[dict[str, Any]] = []

    def launched(_setup: Setup, ranks: int, plan: dict[str, Any], _env: dict[str, str]) -> Tried:
        tried.append(plan)
        assert ranks == 2
        return Tried(records, None, 1, "Invalid datatype", "")

    monkeypatch.setattr(short_types, "launched", launched)
    ways: list[tuple[Setup, dict[str, str]]] = [(Setup(ABI, INTEL), {})]
    if said:
        with pytest.raises(InputError, match="datatype=float16 can't be measured") as refused:
            short_types.refuse_unable(ways, PLAN)
        assert said in str(refused.value)
    else:
        short_types.refuse_unable(ways, PLAN)
    (plan,) = tried
    assert {point["datatype"] for point in plan["points"]} == {"float16"}


def test_other_types_start_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(short_types, "launched", None)
    plan = cast(Plan, SimpleNamespace(points=[{"operation": "scan", "datatype": "float"}]))
    short_types.refuse_unable([(Setup(ABI, INTEL), {})], plan)
