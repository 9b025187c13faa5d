"""How long a run takes, said before it is over: by its first launch, with stages that are sure, and by earlier runs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from fakes import Groma

STAGED = ("run", "--launches", "2", "-n", "4", "--profile")
UNITS = {"s": 1, "min": 60, "h": 3600}


def seconds(text: str) -> float:
    """Return a duration as it is printed, such as `about 3 min`, in seconds."""
    said = re.search(r"about ([\d.]+) (s|min|h)\b", text)
    assert said, text
    return float(said[1]) * UNITS[said[2]]


def taken_s(path: str, launches: set[str]) -> float:
    """Return what the points of these launches said that they took."""
    files = [file for file in Path(path).rglob("points.jsonl") if str(file.relative_to(path).parent) in launches]
    records = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return 1e-9 * sum(int(record["elapsed_ns"]) for record in records if record["kind"] == "point")


@pytest.mark.parametrize(("profile", "stages"), [("pairs", ["screen"]), ("hpcc", ["pairs", "rings"])])
def test_after_the_first_launch_all_stages_that_are_sure_are_foreseen(
    groma: Groma, monkeypatch: pytest.MonkeyPatch, profile: str, stages: list[str]
) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "takes=500")
    said = groma(*STAGED, profile, "-o", "out")
    assert said.code == 0
    later = {"launches/002", *(f"{stage}/launches/{number}" for stage in stages for number in ("001", "002"))}
    (line,) = re.findall(r"By 1 launch so far: .*", said.err)[:1]
    actual = taken_s("out", later)
    assert actual > 60
    assert actual / 1.5 <= seconds(line) <= actual * 1.5
    for stage in stages:
        (line,) = re.findall(
            rf"(?s)Stage {stage}: .*?(2 launches of \d+ points, [^\n]* by the launches so far)", said.err
        )
        actual = taken_s("out", {f"{stage}/launches/{number}" for number in ("001", "002")})
        assert actual / 1.5 <= seconds(line) <= actual * 1.5


def test_before_the_first_launch_an_earlier_run_of_the_same_plan_tells(groma: Groma) -> None:
    plan = ("run", "--profile", "hpcc", "-n", "4", "--launches", "2")
    assert "how long their repetitions take is known after the first launch" in groma(*plan, "--dry-run").out
    assert groma(*plan).code == 0
    (run,) = Path("runs").iterdir()
    for file in run.rglob("launch.json"):
        account = json.loads(file.read_text())
        account |= {"started": "2026-01-01T00:00:00+00:00", "finished": "2026-01-01T00:00:07+00:00"}
        file.write_text(json.dumps(account))
    said = groma(*plan[:-1], "4", "--dry-run").out  # three folders with launches of 7 s each
    assert f"# expected: 4 launches of 6 points, about 85 s as {run} took with its stages" in said
    assert "# expected: 2 launches of 6 points; how long" in groma(*plan, "--set", "rings=5", "--dry-run").out
    assert "as runs/" not in groma("run", "--profile", "hpcc", "-n", "2", "--launches", "2", "--dry-run").out
