"""The store of runs and baselines, damaged in any way: read, or refused in one sentence with exit code 2."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planted_runs import MONTHLY, change_document, made, monthly

from groma.decide.baselines import baseline
from groma.decide.comparing import compare_sides
from groma.decide.formats import written as written_comparison
from groma.errors import InputError
from groma.history.formats import written
from groma.history.page import render
from groma.history.reading import forget, groups_of
from groma.history.store import FILE, opened, place

COLUMNS = {
    "runs": ("path", "folder", "stamp", "state", "created", "unix_s", "plan", "host", "facts", "problem"),
    "points": ("name",),
    "figures": ("run", "point", "ns", "low_ns", "high_ns", "explained"),
}
NAME: dict[str, Any] = {"operation": "bcast", "size": 8, "variant": "", "library": "", "fields": {}}
FIELDS: tuple[Any, ...] = (None, [], {"root": [1, {}]}, {"ranks": None})
VALUES: tuple[Any, ...] = (
    *(
        None,
        "",
        "x",
        b"\xff\x00",
        b"1",
        -1,
        0,
        1,
        2**62,
        -1e300,
        1e-300,
        1e300,
        float("inf"),
        "9" * 400,
        "\ud7ff\x1b[31m",
    ),
    *("[" * 5000, "{}", '{"": [["machine", "CPU"]]}', '{"": [["x", "CPU", "y"]]}', '{"": 1}', "[]", "null", '"'),
    *(json.dumps(NAME | {"size": size}) for size in (None, -1, 1.5, 2**80, "8")),
    *(json.dumps(NAME | {"fields": fields}) for fields in FIELDS),
    *(json.dumps(NAME | {"operation": None}), "2026-01-02", "0001-01-01T00:00:00", "9999-12-31T23:59:59+00:00"),
    *("2026-13-99", "12026-01-01T00:00:00+00:00"),
)


@contextlib.contextmanager
def done_or_refused() -> Iterator[None]:
    try:
        yield
    except InputError as error:
        assert error.exit_code == 2  # noqa: PT017 - either is right, but no other refusal
        assert str(error).strip()  # noqa: PT017
        assert "\n" not in str(error)  # noqa: PT017


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stores") / "runs"
    monthly(path, 8, 5)
    return path


@pytest.fixture(scope="module")
def stored(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store of these runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GROMA_CONFIG", str(tmp_path_factory.mktemp("whole")))
        with opened() as store:
            assert groups_of(store, [runs])[0]
        return place()


@pytest.fixture
def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GROMA_CONFIG", str(tmp_path))
    return tmp_path


def use(runs: Path) -> None:
    """Read the history in every form, and leave one run out of it."""
    with done_or_refused(), opened() as store:
        groups, _ = groups_of(store, [runs])
        for form in ("text", "markdown", "json"):
            written(groups, form)
        render(groups)
        forget(store, runs / "quick-0000")


@given(whole=st.binary(max_size=300) | st.binary(max_size=300).map(lambda some: b"SQLite format 3\0" + some))
def test_any_bytes_in_place_of_the_store(configured: Path, runs: Path, whole: bytes) -> None:
    (configured / FILE).write_bytes(whole)
    use(runs)


@pytest.mark.slow
@given(share=st.floats(0, 1, exclude_max=True), part=st.none() | st.binary(min_size=1, max_size=64))
def test_a_store_with_a_part_that_is_cut_or_overwritten(
    configured: Path, runs: Path, stored: Path, share: float, part: bytes | None
) -> None:
    content = stored.read_bytes()
    at = int(share * len(content))
    rest = b"" if part is None else part + content[at + len(part) :]
    (configured / FILE).write_bytes(content[:at] + rest)
    use(runs)


@pytest.mark.slow
@given(
    named=st.sampled_from([(table, column) for table, columns in COLUMNS.items() for column in columns]),
    value=st.sampled_from(VALUES),
)
def test_a_store_with_any_value_in_any_column(
    configured: Path, runs: Path, stored: Path, named: tuple[str, str], value: object
) -> None:
    shutil.copy(stored, configured / FILE)
    table, column = named
    with contextlib.closing(sqlite3.connect(configured / FILE)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = 1")
        where = "rowid = 1" if table != "figures" else "run = 1 AND point = 1"
        with contextlib.suppress(sqlite3.IntegrityError, UnicodeEncodeError):  # not even SQLite stores it there
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (value,))  # noqa: S608 - constants
    use(runs)


@pytest.mark.parametrize(
    "words",
    [
        "DROP TABLE points",
        "DROP TABLE runs; CREATE TABLE runs (id INTEGER)",
        "DROP TABLE figures; CREATE VIEW figures AS SELECT * FROM figures",
        "DROP TABLE figures; CREATE TABLE figures (run, point, ns, low_ns, high_ns, explained)",
        "CREATE TRIGGER endless AFTER DELETE ON runs BEGIN SELECT raise(ABORT, 'no'); END",
        "DELETE FROM points",
    ],
)
def test_a_store_of_another_form(configured: Path, runs: Path, stored: Path, words: str) -> None:
    shutil.copy(stored, configured / FILE)
    with contextlib.closing(sqlite3.connect(configured / FILE)) as connection:
        connection.executescript(words)
    use(runs)


def test_a_store_whose_table_s_text_is_no_text(configured: Path, stored: Path) -> None:
    (configured / FILE).write_bytes(stored.read_bytes().replace(b"NOT NULL", b"N\x80T NULL"))
    with pytest.raises(InputError, match="is no store of runs"), opened() as store:
        store.stamps()


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two runs as a baseline has them."""
    path = tmp_path_factory.mktemp("kept")
    for seed in (1, 2):
        change_document(made(path / f"00{seed}-run", seed, MONTHLY), every_s=60.0)
    return path


FILES = ("run.json", "launches/002/launch.json", "launches/002/nodes.json", "launches/002/points.jsonl")


@pytest.mark.slow
@given(
    name=st.sampled_from(FILES),
    how=st.sampled_from(("cut", "overwritten", "random", "a folder", "a member")),
    share=st.floats(0, 1, exclude_max=True),
    part=st.binary(min_size=1, max_size=64),
    value=st.sampled_from([value for value in VALUES if not isinstance(value, bytes)]),
)
def test_a_baseline_with_a_damaged_file(
    configured: Path, kept: Path, *, name: str, how: str, share: float, part: bytes, value: object
) -> None:
    target = configured / "baselines" / "spring"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(kept, target)
    file = target / "001-run" / name
    content = file.read_bytes()
    at = int(share * len(content))
    if how == "a folder":
        file.unlink()
        file.mkdir()
    elif how == "a member":
        first, _, rest = content.partition(b"\n")
        document = json.loads(first if file.suffix == ".jsonl" else content)
        member = sorted(document)[int(share * len(document))]
        changed = json.dumps(document | {member: value}).encode()
        file.write_bytes(changed + b"\n" + rest if file.suffix == ".jsonl" else changed)
    else:
        rest = b"" if how == "cut" else content[at + len(part) :]
        file.write_bytes(part if how == "random" else content[:at] + (b"" if how == "cut" else part) + rest)
    with done_or_refused():
        spring = baseline("spring")
        for form in ("text", "json"):
            written_comparison(compare_sides(spring, spring), form)
