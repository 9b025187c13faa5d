"""A run of an operation of one's own is described and judged by the catalogue of the engine that measured it."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from fakes import Groma

from groma.analysis import summarise
from groma.analysis.grouping import meaning
from groma.analysis.series import series
from groma.catalog import Catalog, packaged
from groma.errors import RunError
from groma.results import load_run

VALIDATION = "every element is the sum over all ranks"


@pytest.fixture
def own(catalog: Catalog, fakes: Path, monkeypatch: pytest.MonkeyPatch) -> Catalog:
    """The catalogue of an engine that has one operation beyond the packaged ones, with a parameter of its own."""
    allreduce = catalog.operation("allreduce")
    operation = msgspec.structs.replace(
        allreduce, name="my_sum", validation=VALIDATION, time="per sum", uses=(*allreduce.uses, "depth")
    )
    field = msgspec.structs.replace(catalog.field("segments"), name="depth", help="Levels of the tree.", default=1)
    made = msgspec.structs.replace(
        catalog, operations=(*catalog.operations, operation), fields=(*catalog.fields, field)
    )
    (fakes / "own.json").write_bytes(msgspec.json.encode(made))
    monkeypatch.setenv("FAKE_DESCRIBE", str(fakes / "own.json"))
    return made


def measured(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure the operation of one's own, and read with no engine but Groma's own from then on."""
    done = groma("run", "my_sum", "allreduce", "--bytes", "8,1K", "--launches", "2", "-o", "out")
    assert done.code == 0, done.err
    monkeypatch.delenv("FAKE_DESCRIBE")
    monkeypatch.delenv("GROMA_ENGINE")


def test_a_run_keeps_the_catalogue_that_measured_it(groma: Groma) -> None:
    assert groma("run", "barrier", "--launches", "1", "-o", "out").code == 0
    assert msgspec.json.decode(Path("out/catalog.json").read_bytes(), type=Catalog) == packaged()
    assert load_run("out").catalog == packaged()


def test_an_operation_of_ones_own_is_described_by_its_own_words(
    own: Catalog, groma: Groma, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured(groma, monkeypatch)
    run = load_run("out")
    assert run.catalog == own
    curves = series(summarise(run))
    assert [curve.operation.name for curve in curves] == ["my_sum", "allreduce"]
    assert curves[0].operation.time == "per sum"
    assert [point.bytes for point in curves[0].points] == [8, 1024]
    assert {meaning(launch.points[0].point).family for launch in run.launches} == {"collective"}


def test_its_parameters_matter_to_no_other_operation(
    own: Catalog, groma: Groma, monkeypatch: pytest.MonkeyPatch
) -> None:
    del own
    measured(groma, monkeypatch)
    own_curve, other = series(summarise(load_run("out")))
    assert "depth" in meaning(own_curve.points[0].point).uses
    assert "depth" not in meaning(other.points[0].point).uses


def test_its_report_says_that_what_was_received_was_checked(
    own: Catalog, groma: Groma, monkeypatch: pytest.MonkeyPatch
) -> None:
    del own
    measured(groma, monkeypatch)
    page = groma("report", "out")
    assert page.code == 0, page.err
    text = Path("out/report.html").read_text()
    assert "Received data were checked and correct in" in text
    assert "receives data" not in text
    assert VALIDATION[1:] in text


def test_an_older_run_is_read_by_the_packaged_catalogue(
    own: Catalog, groma: Groma, monkeypatch: pytest.MonkeyPatch
) -> None:
    del own
    measured(groma, monkeypatch)
    Path("out/catalog.json").unlink()
    run = load_run("out")
    assert run.catalog == packaged()
    assert meaning(run.launches[0].points[0].point).family == "own"
    assert groma("show", "out").code == 0


def test_a_damaged_catalogue_is_named(groma: Groma) -> None:
    assert groma("run", "barrier", "--launches", "1", "-o", "out").code == 0
    Path("out/catalog.json").write_text(json.dumps({"schema": 2}))
    with pytest.raises(RunError, match=r"catalog\.json"):
        load_run("out")
