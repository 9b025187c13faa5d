"""One launch of the engine from a plan, and what it recorded."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from beds import HANG_S, Library, Result

from groma.catalog import packaged

BRIEF: dict[str, Any] = {"stop": "reps", "repetitions": 3, "warmups": 1, "block": 2}


@dataclass(frozen=True)
class Launch:
    """How the launch ended, and its records in the order written."""

    result: Result
    records: list[dict[str, Any]]

    def of_kind(self, kind: str) -> list[dict[str, Any]]:
        """Return the records of one kind."""
        return [record for record in self.records if record["kind"] == kind]

    def report(self) -> str:
        """Return what the engine said, for a failing test."""
        return f"exit {self.result.exit_code}\n{self.result.output}\n{self.result.errors}"


def launch_plan(
    library: Library,
    ranks: int,
    folder: Path,
    points: Sequence[Mapping[str, Any]],
    *,
    settings: Mapping[str, Any] | None = None,
    preload: Path | None = None,
    variables: Mapping[str, str] | None = None,
    order: str = "sequential",
    before: Sequence[str] = (),
) -> Launch:
    """Measure `points`, each over BRIEF, in their order.

    `settings` are fields of the plan; `preload` stands before the library's calls on every rank, and `before` are words
    before the launcher.
    """
    plan, out = folder / "plan.json", folder / "points.jsonl"
    limit_s = HANG_S + len(points) / 10  # of thousands on few processors, each is short
    document = {"schema": 1, "order": order, "seed": 1, **(settings or {})}
    plan.write_text(json.dumps(document | {"points": [{**BRIEF, **p} for p in points]}))
    words: list[str | Path] = ["--plan", plan, "--out", out, "--nodes", folder / "nodes.json"]
    if {point["operation"] for point in points} & {one.name for one in packaged().operations if one.after_init}:
        words += ["--first-messages", "yes"]
    if preload:
        # Only the ranks get the fault, not their launcher: `env` is started instead of the engine.
        engine, words = "env", [f"LD_PRELOAD={library.preloads(preload)}", library.engine, *words]
        result = library.run(ranks, *words, engine=engine, variables=variables, before=before, timeout_s=limit_s)
    else:
        result = library.run(ranks, *words, variables=variables, before=before, timeout_s=limit_s)
    lines = out.read_text().splitlines() if out.exists() else []
    return Launch(result, [json.loads(line) for line in lines])
