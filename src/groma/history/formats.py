"""A history as text for people and programs."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from groma.analysis.changes.changes import LevelChange
from groma.history.timelines import Group, Timeline, library_of
from groma.history.told import certainty, change_figures, changes_table, heading, sentences, summary
from groma.text import openmetrics
from groma.text.lines import texts
from groma.text.openmetrics import Gauge
from groma.text.tables import escaped, markdown_lines, table_lines

SCHEMA = 1


def written(groups: Sequence[Group], form: str) -> str:
    """Return a history as `text`, `markdown`, `json` or `openmetrics`, with a line feed at the end."""
    write = {"text": _text, "markdown": _markdown, "json": _json, "openmetrics": _openmetrics}[form]
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


def _openmetrics(groups: Sequence[Group]) -> str:
    """Return the newest figure of every series, the level that it belongs to, and the last change."""
    newest = [(group, line, _labels(group, line)) for group in groups for line in group.timelines]
    changed = [(group, line, labels) for group, line, labels in newest if line.changes]
    ns = 1e-9
    dates = [(labels, group.runs[line.runs[line.changes[-1].at]].unix_s) for group, line, labels in changed]
    ratios = [(labels, math.exp(line.changes[-1].shift)) for _, line, labels in changed]
    levels = [(labels, line.stretches()[-1][2] * ns if line.levels else None) for _, line, labels in newest]
    times = [(labels, line.figures[-1].ns * ns) for _, line, labels in newest]
    counts = [(labels, len(line.changes)) for _, line, labels in newest]
    runs = [(labels, len(line.runs)) for _, line, labels in newest]
    return openmetrics.written(
        [
            Gauge("groma_time_seconds", "Time in the newest run.", times),
            Gauge("groma_level_seconds", "Mean time of the runs since the last change.", levels),
            Gauge("groma_runs", "Runs in the history.", runs),
            Gauge("groma_changes", "Changes in the history.", counts),
            Gauge("groma_change_timestamp_seconds", "First run after the last change.", dates),
            Gauge("groma_change_ratio", "Time after the last change over that before it.", ratios),
        ]
    )


def _labels(group: Group, line: Timeline) -> dict[str, str]:
    plan, host, _, _, library = group.machine
    run = group.runs[line.runs[-1]]
    return {
        "point": line.label,
        "operation": line.operation,
        "variant": line.variant,
        "plan": plan,
        "bytes": "" if line.size is None else str(line.size),
        "ranks": str(line.fields.get("number of ranks", "")),
        "host": host or run.host,
        "library": library,
        "run": PurePath(run.path).name,
        "version": library_of(run, line.variant).removeprefix(library).strip(),
    }
