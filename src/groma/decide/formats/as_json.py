"""JSON: everything, with numbers as numbers; times in nanoseconds, absent values null."""

from __future__ import annotations

import json
from typing import Any

from groma.analysis.compare import Between
from groma.decide.comparing import Compared, Row
from groma.decide.gating import Gate

SCHEMA = 1


def written(compared: Compared, gate: Gate | None = None) -> str:
    """Return one object; `gate` is null if nothing was to be decided."""
    document = {
        "schema": SCHEMA,
        "baseline": compared.names[0],
        "candidate": compared.names[1],
        "margin": compared.margin,
        "gate": None if gate is None else _gate(gate),
        "points": [_point(row) for row in compared.rows],
        "not_compared": [
            {"operation": left.operation, "bytes": list(left.sizes), "reason": left.reason}
            for left in compared.left_out
        ],
        "differences": [
            {
                "kind": difference.kind,
                "what": difference.name,
                "baseline": difference.first,
                "candidate": difference.second,
            }
            for difference in compared.differences
        ],
        "sentences": compared.sentences,
    }
    return json.dumps(document, indent=1, ensure_ascii=False)


def _gate(gate: Gate) -> dict[str, Any]:
    """Return how a gate ended; launches and seconds are null if it measured nothing."""
    effort = gate.effort
    return {
        "exit_code": int(gate.code),
        "sentence": gate.sentence,
        "launches": effort and effort.launches,
        "seconds": effort and round(effort.seconds, 1),
    }


def _point(row: Row) -> dict[str, Any]:
    judged = row.judged
    shift = judged.comparison.shift
    return {
        "point": row.label,
        "operation": row.first.operation,
        "bytes": row.first.bytes,
        "ranks": row.first.ranks,
        "baseline_ns": row.times_ns[0],
        "candidate_ns": row.times_ns[1],
        "launches": judged.comparison.launches,
        "runs": [shift.counts[1], shift.counts[0]] if isinstance(shift, Between) else [1, 1],
        "ratio": row.ratio,
        "interval": [row.interval.low, row.interval.high] if row.interval else None,
        "joint_interval": [judged.joint_interval.low, judged.joint_interval.high] if judged.joint_interval else None,
        "p": judged.p,
        "verdict": row.verdict,
        "holds_for": row.basis,
        "further": row.further,
        "unit": "run" if row.further is None else shift.unit,
    }
