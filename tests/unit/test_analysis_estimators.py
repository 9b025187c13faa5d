"""Estimators and outlier rules on samples whose figures can be worked out by hand, and from a plan to the table."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from fakes import Groma
from synthetic import Scenario, make_run

from groma.analysis import series, summarise
from groma.analysis.estimators import estimate
from groma.catalog.reporting import Reporting, read_reporting
from groma.errors import InputError
from groma.report.tables import reporting_note
from groma.results import load_run
from groma.tables import load

# 20 values in time order: ten parts of two, whose means are 5.5, 10, 4, ...
TIMES = np.array([5, 6, 10, 10, 3, 5, 7, 7, 7, 7, 8, 8, 9, 9, 7, 8, 6, 8, 100, 10], dtype=np.float64)


@pytest.mark.parametrize(
    ("estimator", "outliers", "value", "dropped"),
    [
        ("median", "keep", 7.5, 0),
        ("mean", "keep", TIMES.mean(), 0),
        ("min", "keep", 3, 0),
        ("min_of_means", "keep", 4, 0),
        ("trimmed_mean", "keep", np.sort(TIMES)[2:18].mean(), 0),
        ("mode", "keep", 7, 0),
        ("p25", "keep", np.quantile(TIMES, 0.25), 0),
        ("p99.9", "keep", np.quantile(TIMES, 0.999), 0),
        ("mean", "trim_quarters", np.sort(TIMES)[5:15].mean(), 10),
        ("mean", "factor_of_mean", TIMES[TIMES < 100].mean(), 1),
        ("mean", "tukey", TIMES[(TIMES > 3) & (TIMES < 100)].mean(), 2),  # quartiles 6.75 and 9
        ("min", "trim_quarters", np.sort(TIMES)[5], 10),
    ],
)
def test_the_figure_and_what_was_left_out(estimator: str, outliers: str, value: float, dropped: int) -> None:
    found = estimate(TIMES, Reporting(estimator, outliers))
    assert found.value == pytest.approx(value)
    assert found.dropped == dropped


def test_a_block_is_a_mean_already() -> None:
    assert estimate(TIMES, Reporting("min_of_means"), blocks=True).value == 3


def test_the_factor_is_the_plans() -> None:
    assert estimate(TIMES, Reporting("mean", "factor_of_mean", 20.0)).dropped == 0


def test_no_samples_give_no_figure() -> None:
    with pytest.raises(ValueError, match="no samples"):
        estimate([], Reporting())


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ({"estimator": "meen"}, "did you mean 'mean'"),
        ({"estimator": "p100"}, "estimator cannot be 'p100'"),
        ({"outliers": "drop"}, "use keep, trim_quarters"),
        ({"outlier_factor": 1}, "a number above 1, not '1'"),
        ({"outlier_factor": "many"}, "not 'many'"),
    ],
)
def test_a_wrong_word_says_what_would_be_right(written: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_reporting(written)


def test_every_choice_is_said_in_a_sentence() -> None:
    assert Reporting().sentence() == "A launch's figure is the median of the samples."
    assert "95 % quantile" in Reporting("p95").sentence()
    assert "above 3 times the mean" in Reporting("mean", "factor_of_mean", 3.0).sentence()


def test_a_run_is_reported_as_its_plan_says_and_keeps_every_sample(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", Scenario(launches=6, samples=40, operations=("bcast",), sizes=(8, 1024)))
    document = json.loads((path / "run.json").read_text())
    report = {"estimator": "mean", "outliers": "trim_quarters", "outlier_factor": 5.0}
    (path / "run.json").write_text(json.dumps(document | {"report": report}))
    run = load_run(path)
    summary = summarise(run)[0]
    samples = [next(point.samples_ns for point in launch.points if point.index == 0) for launch in run.launches]
    means = [np.sort(own)[10:30].mean() for own in samples]
    assert summary.time_ns == pytest.approx(np.median(means))
    assert summary.launch_times_ns == pytest.approx(means)
    assert (summary.value("samples"), summary.value("dropped")) == (240, 120)
    assert reporting_note(series([summary])[0]).endswith("120 of 240 samples were discarded.")
    row = load(path).filter(pl.col("launch") == 1, pl.col("index") == 0)
    assert row["figure_ns"].item() == pytest.approx(means[0])
    assert row["median_ns"].item() == np.median(samples[0])


def test_a_plan_names_its_estimator_and_the_command_line_another(groma: Groma, tmp_path: Path) -> None:
    plan = tmp_path / "mine.toml"
    plan.write_text('[report]\nestimator = "mean"\noutliers = "tukey"\n\n[[points]]\noperation = "barrier"\n')
    assert groma("run", str(plan), "--launches", "1", "-o", "one").code == 0
    assert groma("run", str(plan), "--launches", "1", "-o", "two", "--set", "estimator=p95").code == 0
    first, second = (json.loads((tmp_path / name / "run.json").read_text())["report"] for name in ("one", "two"))
    assert first == {"estimator": "mean", "outliers": "tukey", "outlier_factor": 5.0}
    assert second == {"estimator": "p95", "outliers": "tukey", "outlier_factor": 5.0}


def test_a_wrong_report_table_is_named_with_its_line(groma: Groma, tmp_path: Path) -> None:
    plan = tmp_path / "mine.toml"
    plan.write_text('[[points]]\noperation = "barrier"\n\n[report]\nestimator = "best"\n')
    said = groma("run", str(plan))
    said.refuses("mine.toml, line 4: estimator cannot be 'best'")
