"""The sizes of operations that are named without any: from one element to 1 MiB, in doublings, in a fixed time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fakes import Groma

from groma.catalog import Catalog
from groma.plan import draft_of_operations, expand
from groma.run.forecast import expected_s


def sizes(groma: Groma, *words: str) -> list[int]:
    said = groma("run", *words, "--dry-run")
    assert said.code == 0, said.err
    settings = [dict(word.split("=") for word in line.split()) for line in said.out.splitlines() if "bytes=" in line]
    return [int(one["bytes"]) for one in settings]


@pytest.mark.parametrize(
    ("words", "first"),
    [
        (("pingpong",), 1),
        (("allreduce",), 4),
        (("app/transpose",), 8),
        (("bcast", "--set", "datatype=int32,double"), 8),
        (("bcast_segmented", "--set", "segments=4,16"), 16),
        (("allreduce", "--set", "bytes_of=total", "-n", "3"), 12),
    ],
)
def test_sizes_double_from_one_element_on(words: tuple[str, ...], first: int, groma: Groma) -> None:
    found = sorted(set(sizes(groma, *words)))
    assert found == [first << step for step in range(len(found))]
    assert found[-1] <= 1 << 20 < 2 * found[-1]


def test_an_operation_that_has_a_size_or_none_keeps_it(groma: Groma) -> None:
    assert sizes(groma, "sts_async") == []
    assert "operation=barrier\n" in groma("run", "barrier", "--dry-run").out
    assert sizes(groma, "bcast", "--size", "64") == [64]
    assert sizes(groma, "bcast", "--set", "bytes=64") == [64]
    assert "stop=" not in groma("run", "bcast", "--bytes", "64", "--dry-run").out
    Path("plan.toml").write_text("[[points]]\noperation = 'bcast'\n")
    assert sizes(groma, "plan.toml") == [], "plans are as they were"


def test_what_is_asked_goes_before(groma: Groma) -> None:
    asked = groma("run", "bcast", "--set", "slot_s=0.2", "--set", "stop=ci", "--dry-run").out
    assert "stop=ci" in asked
    assert "slot_s=0.2" in asked


def test_an_operation_takes_about_twenty_seconds_and_that_is_said_before(groma: Groma, catalog: Catalog) -> None:
    for name in ("pingpong", "allreduce", "app/transpose"):
        plan = expand(draft_of_operations([name]), catalog)
        assert plan.launches == 10
        slots = [point["slot_s"] for point in plan.points]
        assert 10 <= plan.launches * sum(map(float, slots)) <= 14  # seconds of samples alone
        assert expected_s(plan, catalog) < 30
    said = groma("run", "allreduce", "-o", "out")
    assert said.code == 0, said.err
    assert said.err.startswith("10 launches of 19 points, about 25 s if every point uses its whole time slot.\n")
    assert len(json.loads(Path("out/run.json").read_text())["plan"]["points"]) == 19
