"""Slow calls planted into a simulated network, where the truth is exact: figures are true, or doubted for the cause."""

from __future__ import annotations

import pytest

from benchmarks.steady_state import Row, rows_of, simulated

pytestmark = [pytest.mark.bed("simgrid"), pytest.mark.mpi, pytest.mark.slow]


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    return rows_of(simulated(tmp_path_factory.mktemp("simulated") / "planted"))


def test_no_figure_is_silently_wrong(rows: list[Row]) -> None:
    assert len(rows) > 20
    assert [row.line(1) for row in rows if row.verdict == "wrong"] == []


def test_what_is_steady_at_last_is_true_and_not_doubted(rows: list[Row]) -> None:
    plain = [row for row in rows if row.cases[0].plant.startswith(("none", "first", "every"))]
    assert [row.line(1) for row in plain if row.flags or abs(row.ratio - 1) > 0.02] == []


@pytest.mark.parametrize(
    ("plant", "doubts"),
    [
        ("step after 1.5 s", {"changed"}),
        ("telegraph", {"unsteady"}),
        ("drift", {"unsteady", "slower"}),
        ("step after 3000", {"slower"}),
    ],
)
def test_what_changes_is_doubted_for_its_cause(rows: list[Row], plant: str, doubts: set[str]) -> None:
    cases = [case for row in rows for case in row.cases if case.plant.startswith(plant)]
    assert cases
    assert {str(case.doubt) for case in cases} <= doubts
