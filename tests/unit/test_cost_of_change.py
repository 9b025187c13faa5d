"""What a text style, a scheduler and a verb cost, made in a copy of the front end; figures are in test_columns.py."""

from __future__ import annotations

from pathlib import Path

from changed_copy import SourceChange

RECORDED = Path(__file__).parents[1] / "recorded" / "two-launches"

STYLE = SourceChange(
    added={
        "programs/plain/__init__.py": '''"""Medians alone."""

from groma.programs import Program

PROGRAM = Program(__name__, style=".style:STYLE", prints="Medians alone.")
''',
        "programs/plain/style.py": '''"""A line for each point."""

from groma.programs.sheet import Style


def _write(sheet):
    for curve in sheet.curves:
        sheet.write(*(f"{curve.operation.name} {point.bytes} {point.time_ns:.0f} ns" for point in curve.points))


STYLE = Style(program="a plain program", write=_write, profile="pmb", comments=False)
''',
    }
)

SCHEDULER = SourceChange(
    added={
        "launch/schedulers/queue.sh": """{% extends "script.sh" %}
{% set prefix, submit, tells_tasks = "#Q", "qput THIS-FILE", true %}
{% block directives %}
#Q name={{ name }} nodes={{ nodes }} tasks={{ ranks }} minutes={{ minutes }}
{% endblock %}
"""
    },
    replaced=[
        ("launch/allocation.py", "(_slurm, _pbs, _lsf, _flux)", "(_slurm, _pbs, _lsf, _flux, _queue)"),
        (
            "launch/allocation.py",
            "def _slurm(",
            """def _queue(env: Mapping[str, str]) -> Allocation | None:
    if "Q_HOSTS" not in env:
        return None
    nodes = tuple(Host(name) for name in env["Q_HOSTS"].split())
    return Allocation("queue", "7", nodes, tasks=2 * len(nodes))


def _slurm(""",
        ),
    ],
)

VERB = SourceChange(
    added={
        "cli/count.py": '''"""`groma count`: how many launches a run has."""

import click

from groma.cli.options import run_argument
from groma.text.console import out


@click.command()
@run_argument
def count(directory):
    """Print how many launches a run has."""
    from groma.results import load_run

    out().print(len(load_run(directory).launches))
    return 0
'''
    },
    replaced=[("cli/main.py", '"Look": {\n', '"Look": {\n        "count": "Print how many launches a run has.",\n')],
)


def test_a_text_style_is_one_folder(tmp_path: Path) -> None:
    shown = STYLE.python(tmp_path, "-m", "groma", "show", str(RECORDED), "--style", "plain")
    lines = [line.split() for line in shown.splitlines() if line.endswith(" ns")]
    assert {line[0] for line in lines} > {"pingpong"}
    assert all(int(line[2]) > 0 for line in lines)


def test_a_scheduler_is_a_template_and_the_reader_of_its_job(tmp_path: Path) -> None:
    script = tmp_path / "job.sh"
    options = ["--nodes", "2", "--ppn", "3", "--time", "1h", "--script", str(script)]
    SCHEDULER.python(tmp_path, "-m", "groma", "batch", "--scheduler", "queue", *options, "pingpong")
    assert "nodes=2 tasks=6 minutes=60" in script.read_text(encoding="utf-8")
    asked = "from groma.launch.allocation import allocation; print(allocation().tasks)"
    assert SCHEDULER.python(tmp_path, "-c", asked, Q_HOSTS="a b") == "4\n"


def test_a_verb_is_a_module_and_a_line(tmp_path: Path) -> None:
    assert "count      Print how many launches a run has." in VERB.python(tmp_path, "-m", "groma", "--help")
    assert VERB.python(tmp_path, "-m", "groma", "count", str(RECORDED)) == "2\n"
