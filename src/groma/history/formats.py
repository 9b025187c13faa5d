"""A history as text for people and programs."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from groma.analysis.changes.changes import LevelChange
from groma.history.timelines import Group, Timeline
from groma.history.told import certainty, change_figures, changes_table, heading, sentences, summary
from groma.text.lines import texts
from groma.text.tables import escaped, markdown_lines, table_lines

SCHEMA = 1


def written(groups: Sequence[Group], form: str) -> str:
    """Return a history as `text`, `markdown` or `json`, with a line feed at the end."""
    write = {"text": _text, "markdown": _markdown, "json": _json}[form]
    return write(groups).rstrip("\n") + "\n"


def _text(groups: Sequence[Group]) -> str:
    """Return every group with its changes, then for what they hold."""
    lines = []
    for group in groups:
        lines += [heading(group), f"  {summary(group)}"]
        if (changes := changes_table(group)).rows:
            lines += ["", *texts(table_lines(changes), indent=2), ""]
        lines += [*(f"  {sentence}" for sentence in sentences(group)), ""]
    return "\n".join([*lines, certainty(groups)])


def _markdown(groups: Sequence[Group]) -> str:
    """Return a section for every group, for an issue or a monthly report."""
    lines = []
    for group in groups:
        lines += [f"## {escaped(heading(group))}", "", escaped(summary(group)), ""]
        if (changes := changes_table(group)).rows:
            lines += [*markdown_lines(changes), ""]
        lines += [*(f"* {escaped(sentence)}" for sentence in sentences(group)), ""]
    return "\n".join([*lines, escaped(certainty(groups))])


def _json(groups: Sequence[Group]) -> str:
    """Every series with its stretches and changes, with numbers as numbers; times in ns, absent values null."""
    return json.dumps({"schema": SCHEMA, "groups": [_group(group) for group in groups]}, indent=1, ensure_ascii=False)


def _group(group: Group) -> dict[str, Any]:
    return {
        **group.machine._asdict(),
        "runs": [{"path": run.path, "created": run.created} for run in group.runs],
        "versions": [{"run": at, "before": fact.before, "after": fact.after} for at, fact in group.versions],
        "series": [_series(group, line) for line in group.timelines],
    }


def _series(group: Group, line: Timeline) -> dict[str, Any]:
    return {
        "point": line.label,
        "operation": line.operation,
        "bytes": line.size,
        "fields": line.fields,
        "runs": line.runs,
        "figures_ns": [figure.ns for figure in line.figures],
        "intervals_ns": [None if one.low_ns is None else [one.low_ns, one.high_ns] for one in line.figures],
        "deviation": line.levels.deviation if line.levels else None,
        "correlation": line.levels.likeness if line.levels else None,
        "changes": [_change(group, line, change) for change in line.changes],
    }


def _change(group: Group, line: Timeline, change: LevelChange) -> dict[str, Any]:
    before, after = change_figures(line, change)
    return {
        "run": line.runs[change.at],
        "date": group.runs[line.runs[change.at]].created,
        "earliest": group.runs[line.runs[change.earliest]].created,
        "latest": group.runs[line.runs[change.latest]].created,
        "before_ns": before,
        "after_ns": after,
        "ratio": math.exp(change.shift),
        "interval": [math.exp(change.interval.low), math.exp(change.interval.high)],
        "p": change.p,
        "facts": [fact._asdict() for fact in group.facts_changed(line, change)],
    }
