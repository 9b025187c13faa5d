"""Patterns that draw or search for their ranks: what the record names is what took part."""

from __future__ import annotations

import json
from pathlib import Path

import beds
import pytest
from engine.launches import BRIEF, launch_plan

pytestmark = pytest.mark.mpi


def test_the_slowest_partner_is_searched_once_and_named(library: beds.Library, tmp_path: Path) -> None:
    points = [{"operation": "pingpong", "pattern": "slowest", "bytes": size} for size in (8, 1024)]
    launch = launch_plan(library, 3, tmp_path, [*points, {"operation": "bcast"}])
    assert launch.result.exit_code == 0, launch.report()
    (search,) = launch.of_kind("start")[0]["searches"]
    assert (search["pattern"], search["ranks"], search["pairs"], search["scanned"]) == ("slowest", 3, 2, 2)
    times_ns = [one["one_way_ns"] for one in search["slowest"]]
    assert times_ns == sorted(times_ns, reverse=True)
    assert times_ns[-1] > 0
    members = [record["members"] for record in launch.of_kind("point")]
    assert members == [search["slowest"][0]["ranks"], search["slowest"][0]["ranks"], [0, 1, 2]]


def test_an_order_drawn_from_a_seed_is_the_same_with_every_library(library: beds.Library, tmp_path: Path) -> None:
    points = [{"operation": "message_rate", "pattern": "random=5"}, {"operation": "bcast", "pattern": "random=5"}]
    launch = launch_plan(library, 5, tmp_path, points)
    assert launch.result.exit_code == 0, launch.report()
    pairs, group = (record["members"] for record in launch.of_kind("point"))
    assert group == [4, 1, 2, 0, 3]
    assert pairs == group[:4]


def test_pairs_of_launches_with_more_ranks_are_left_to_these(library: beds.Library, tmp_path: Path) -> None:
    plan, out = tmp_path / "plan.json", tmp_path / "points.jsonl"
    plan.write_text(json.dumps({"schema": 1, "points": [{**BRIEF, "operation": "pingpong", "pattern": "slowest"}]}))
    known = "slowest/6/8@c81f71974b1c5ce5=0,3"
    done = library.run(2, "--plan", plan, "--out", out, "--nodes", tmp_path / "nodes.json", "--pairs", known)
    assert done.exit_code == 0, done.errors
    start, point, _ = (json.loads(line) for line in out.read_text().splitlines())
    assert [search["given"] for search in start["searches"]] == [False]
    assert point["members"] == [0, 1]
