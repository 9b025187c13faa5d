"""The Ramble application's figures of merit in what Groma writes, and the Benchpark experiment on it.

Neither program is on a registry: stand-ins record what their directives were given, as the two call them.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import beds
import pytest

from groma.cli.main import main

PLACE = beds.ROOT / "packaging"
Calls = dict[str, list[tuple[tuple[Any, ...], dict[str, Any]]]]


def directives(calls: Calls, *names: str) -> dict[str, Any]:
    def recorder(name: str) -> Callable[..., None]:
        return lambda *words, **options: calls.setdefault(name, []).append((words, options))

    return {name: recorder(name) for name in names}


def loaded(path: Path, monkeypatch: pytest.MonkeyPatch, **modules: dict[str, Any]) -> ModuleType:
    """Import a file whose own imports are these modules."""
    for name, members in modules.items():
        module = ModuleType(name.replace("__", "."))
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def application(monkeypatch: pytest.MonkeyPatch) -> Calls:
    calls: Calls = {}
    names = ("tags", "software_spec", "required_package", "executable", "workload", "workload_variable")
    found = directives(calls, *names, "figure_of_merit_context", "figure_of_merit", "success_criteria")
    parts = {"ramble": {}, "ramble__appkit": {"ExecutableApplication": object, **found}}
    loaded(PLACE / "ramble" / "applications" / "groma" / "application.py", monkeypatch, **parts)
    return calls


def merits(calls: Calls, lines: list[str]) -> dict[str, dict[str, tuple[float, str]]]:
    """Return what Ramble would find: by context, value and unit of every figure of merit."""
    (((_,), context),) = calls["figure_of_merit_context"]
    found: dict[str, dict[str, tuple[float, str]]] = {}
    for line in lines:
        at = re.match(context["regex"], line)
        for (name,), merit in calls["figure_of_merit"]:
            if (match := re.match(merit["fom_regex"], line)) and at:
                place = found.setdefault(context["output_format"].format(**at.groupdict()), {})
                place[name] = (float(match[merit["group_name"]]), merit["units"])
    return found


def test_the_patterns_find_every_figure_of_a_recorded_run(
    application: Calls, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "figures.csv"
    with pytest.raises(SystemExit) as ended:
        main(["export", str(beds.ROOT / "tests" / "recorded" / "osu"), "--to", "csv", "--points", "-o", str(file)])
    assert ended.value.code == 0, capsys.readouterr().err
    lines = file.read_text().splitlines()
    found = merits(application, lines)
    rows = [line.split(",") for line in lines[1:]]
    assert {f"{row[0]} {row[1]} B" for row in rows} == set(found)
    column = lines[0].split(",").index
    for row in rows:
        (name, unit) = {"µs": ("Time", "us"), "MB/s": ("Bandwidth", "MB/s"), "1/s": ("Rate", "1/s")}[
            row[column("unit")]
        ]
        values = found[f"{row[0]} {row[1]} B"]
        assert values[name] == (float(row[column("figure")]), unit)
        assert values[f"{name}, lower end of the interval"][0] <= values[name][0]
    assert {name for values in found.values() for name in values} >= {"Time", "Bandwidth"}


def test_only_a_complete_run_succeeds(application: Calls) -> None:
    ((_, criteria),) = application["success_criteria"]
    document = (beds.ROOT / "tests" / "recorded" / "osu" / "run.json").read_text().splitlines()
    assert any(re.match(criteria["match"], line) for line in document)
    assert not any(re.match(criteria["match"], line.replace("complete", "partial")) for line in document)


def test_regular_expressions_have_no_braces_which_ramble_expands(application: Calls) -> None:
    texts = [options["fom_regex"] for _, options in application["figure_of_merit"]]
    assert not [text for text in texts if set("{}") & set(text)]


def test_the_experiment_sets_what_every_experiment_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: Calls = {}
    experiment = loaded(
        PLACE / "benchpark" / "experiments" / "groma" / "experiment.py",
        monkeypatch,
        benchpark={},
        benchpark__directives=directives(calls, "variant"),
        benchpark__experiment={"Experiment": type("Experiment", (), {})},
        benchpark__mpi={"MpiOnlyExperiment": type("MpiOnlyExperiment", (), {})},
    )
    made = type("Made", (experiment.Groma,), directives(calls, "x"))()
    given = {words[0]: options["default"] for words, options in calls["variant"]}
    made.name, made.spec = "groma", SimpleNamespace(variants={name: [value] for name, value in given.items()})
    for name, recorder in directives(
        calls, "add_experiment_variable", "set_required_variables", "add_package_spec"
    ).items():
        setattr(made, name, recorder)
    made.compute_applications_section()
    made.compute_package_section()
    assert "what" not in {words[0] for words, _ in calls["add_experiment_variable"]}  # the workload's own
    ((_, required),) = calls["set_required_variables"]
    assert set(required) == {"n_resources", "process_problem_size", "total_problem_size"}
    assert calls["add_package_spec"] == [(("groma", ["py-groma"]), {})]
