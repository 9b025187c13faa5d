"""OpenMetrics of a run, a comparison, a gate and a history, as Prometheus's own parsers read them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import documented
import pytest
from fakes import Groma
from planted_runs import made, monthly
from prometheus_client import Metric, parser
from prometheus_client.openmetrics import parser as openmetrics
from synthetic import Scenario

from groma.analysis import summarise
from groma.results import load_run

DASHBOARD = documented.ROOT / "examples/grafana/groma.json"
QUIET = Scenario(samples=30, operations=("pingpong", "stream", "allreduce", "barrier"), sizes=(8, 65536))


def read(text: str) -> dict[str, Metric]:
    """Return the metrics of a text, by their names; both formats of Prometheus must read the same values in it."""
    found = {metric.name: metric for metric in openmetrics.text_string_to_metric_families(text)}  # type: ignore[no-untyped-call]
    older = {metric.name: metric for metric in parser.text_string_to_metric_families(text)}
    assert {name: metric.samples for name, metric in found.items()} == {n: m.samples for n, m in older.items()}
    return found


# A limit that is kept, and one of a size that was not measured.
LIMITS = """limit = [
  {operation = "pingpong", bytes = 8, value = 0.28, lower = -0.5, upper = 0.5, unit = "us"},
  {operation = "allreduce", bytes = 16, value = 430, upper = 0.2, unit = "ns"},
]"""


@pytest.fixture
def texts(groma: Groma) -> dict[str, str]:
    """Return what each command says of two runs."""
    first = str(made(Path("a"), 1, QUIET))
    second = str(made(Path("other/b"), 2, QUIET, slower={"allreduce": 1.3}))
    monthly(Path("runs"), 16, 8, factor=1.5)
    Path("site.toml").write_text(LIMITS)
    exported = Path(groma("export", first, "--to", "openmetrics").last_line)
    assert exported.name == "figures.prom"
    return {
        "export": exported.read_text(encoding="utf-8"),
        "compare": groma("compare", first, second, "--format", "openmetrics").out,
        "gate": groma("gate", first, second, "--format", "openmetrics").out,
        "limits": groma("gate", "--limits", "site.toml", first, "--format", "openmetrics").out,
        "history": groma("history", "runs", "--format", "openmetrics").out,
    }


def test_every_sample_says_host_library_version_and_run(texts: dict[str, str]) -> None:
    runs = {"export": "a", "compare": "b", "gate": "b", "limits": "a", "history": "quick-0015"}
    for command, text in texts.items():
        samples = [sample for metric in read(text).values() for sample in metric.samples]
        assert samples, command
        for sample in samples:
            labels = sample.labels
            assert labels.items() >= {"host": "node01", "library": "MPICH"}.items(), command
            assert labels["version"] == ("5.1.0" if command == "history" else "5.0.2")
            assert labels["run"] == runs[command]


def test_the_figures_are_those_of_the_run_in_seconds_and_bytes(texts: dict[str, str]) -> None:
    found = read(texts["export"])
    points = {(one.operation, one.bytes): one for one in summarise(load_run("a"))}
    times = {_place(sample.labels): sample.value for sample in found["groma_time_seconds"].samples}
    assert times == {place: pytest.approx(point.time_ns * 1e-9) for place, point in points.items()}
    rates = {_place(sample.labels): sample.value for sample in found["groma_bandwidth_bytes_per_second"].samples}
    assert ("barrier", None) not in rates, "it moves nothing"
    stream = points["stream", 65536]
    assert stream.bandwidth_mb_s is not None
    assert rates["stream", 65536] == pytest.approx(stream.bandwidth_mb_s * 1e6)
    low, high = (found[f"groma_time_{end}_seconds"].samples[0].value for end in ("low", "high"))
    assert low <= found["groma_time_seconds"].samples[0].value <= high
    assert found["groma_gaps"].samples[0].value == 0


def test_a_verdict_is_one_of_five(texts: dict[str, str]) -> None:
    for command in ("compare", "gate"):
        samples = read(texts[command])["groma_verdict"].samples
        by_point: dict[str, list[float]] = {}
        for sample in samples:
            by_point.setdefault(sample.labels["point"], []).append(sample.value)
        assert all(sorted(values) == [0, 0, 0, 0, 1] for values in by_point.values())
        chosen = {sample.labels["point"]: sample.labels["verdict"] for sample in samples if sample.value}
        assert chosen["allreduce 64 KiB"] == "slower"
    assert len(read(texts["gate"])["groma_gate_exit_code"].samples) == 1


def test_a_history_has_the_newest_figure_of_every_series(texts: dict[str, str]) -> None:
    found = read(texts["history"])
    newest = {_place(sample.labels): sample.value for sample in found["groma_time_seconds"].samples}
    assert newest == {
        (one.operation, one.bytes): pytest.approx(one.time_ns * 1e-9) for one in summarise(load_run("runs/quick-0015"))
    }
    assert {sample.value for sample in found["groma_runs"].samples} == {16}
    assert [sample.labels["operation"] for sample in found["groma_change_ratio"].samples] == ["allreduce"] * 2
    assert all(sample.value == pytest.approx(1.5, abs=0.1) for sample in found["groma_change_ratio"].samples)


def test_the_dashboard_asks_for_metrics_and_labels_that_exist(texts: dict[str, str]) -> None:
    dashboard = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    labels: dict[str, set[str]] = {}
    for text in texts.values():
        for metric in read(text).values():
            for sample in metric.samples:
                labels.setdefault(sample.name, set()).update(sample.labels)
    asked = [target for panel in dashboard["panels"] for target in panel.get("targets", [])]
    assert len(asked) >= len(dashboard["panels"])
    for target in asked:
        names = set(re.findall(r"\bgroma_\w+", target["expr"]))
        assert names
        assert names <= set(labels), target["expr"]
        used = set(re.findall(r"(\w+)=~?\"", target["expr"])) | set(re.findall(r"{{(\w+)}}", target["legendFormat"]))
        for name in names:
            assert used <= labels[name], (target["expr"], name)
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            name, label = re.fullmatch(r"label_values\((\w+), (\w+)\)", variable["query"]).groups()  # type: ignore[union-attr]
            assert label in labels[name]


def _place(labels: dict[str, str]) -> tuple[str, int | None]:
    return labels["operation"], int(labels["bytes"]) if "bytes" in labels else None
