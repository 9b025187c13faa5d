"""The run directory: always a new one, documents whole or not at all, nothing lost."""

from __future__ import annotations

import errno
import json
import os
import socket
from pathlib import Path

import msgspec
import pytest

from groma.errors import InputError, OutputError, RunError
from groma.results.documents import LibraryDocument, PlanDocument, RunDocument
from groma.run.directory import RunDirectory, owner_is_alive, this_process


def document(**values: object) -> RunDocument:
    base = RunDocument(
        name="x", profile=None, groma="0", created="2026-01-02T03:04:05+00:00", finished=None, state="running",
        command=["groma"], host=socket.gethostname(), seed=1, launches=1, rank_counts=[2], budget_s=None,
        plan=PlanDocument(order="shuffled", points=[{"operation": "noop"}]), library=LibraryDocument("", "", "", ""),
        machine={}, owner=this_process(),
    )  # fmt: skip
    return msgspec.structs.replace(base, **values)


def test_two_runs_of_one_second_get_two_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    paths = {RunDirectory.create("x").path for _ in range(3)}
    assert len(paths) == 3
    assert all(path.parent == Path("runs") and path.name.startswith("x-") for path in paths)


def test_a_directory_with_something_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("a result")
    with pytest.raises(InputError, match="already exists"):
        RunDirectory.create("x", tmp_path)


def test_only_its_owner_reads_a_new_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o755)
    made = [RunDirectory.create("x"), RunDirectory.create("x", tmp_path / "new")]
    assert [one.path.stat().st_mode & 0o777 for one in made] == [0o700, 0o700]
    assert RunDirectory.create("x", tmp_path / "open").path.stat().st_mode & 0o777 == 0o755


def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="choose another with -o"):
        RunDirectory.create("x", tmp_path / "file" / "run")


def test_a_document_is_replaced_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = RunDirectory(tmp_path)
    directory.write(document())
    assert directory.read() == document(owner=directory.read().owner)

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match=r"No space left on device.*free some space"):
        directory.write(document(state="complete"))
    assert directory.read().state == "running"
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_the_schema_comes_first(tmp_path: Path) -> None:
    RunDirectory(tmp_path).write(document())
    assert next(iter(json.loads((tmp_path / "run.json").read_text()))) == "schema"


@pytest.mark.parametrize("text", [None, "", "{}", "[]"])
def test_what_is_no_run_is_said(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "run.json").write_text(text)
    with pytest.raises(InputError if text is None else RunError, match=r"run\.json"):
        RunDirectory(tmp_path).read()


def test_a_launch_set_aside_is_kept(tmp_path: Path) -> None:
    directory = RunDirectory(tmp_path)
    for content in ("first", "second"):
        (directory.make_launch(4) / "points.jsonl").write_text(content)
        directory.set_aside(4)
    assert directory.launch_numbers() == []
    kept = sorted(path.read_text() for path in (tmp_path / "superseded").glob("*/points.jsonl"))
    assert kept == ["first", "second"]


def test_only_what_was_never_measured_is_removed(tmp_path: Path) -> None:
    directory = RunDirectory.create("x", tmp_path / "run")
    directory.write(document())
    (directory.make_launch(1) / "stderr").write_text("refused")
    directory.remove_unmeasured()
    assert list(tmp_path.iterdir()) == []


def test_a_living_owner_is_told_from_a_dead_one() -> None:
    owner = this_process()
    assert owner_is_alive(document(owner=owner)) is True
    assert owner_is_alive(document(owner=msgspec.structs.replace(owner, start_ticks=owner.start_ticks + 1))) is False
    assert owner_is_alive(document(owner=msgspec.structs.replace(owner, boot="another"))) is False
    assert owner_is_alive(document(state="complete")) is False
    assert owner_is_alive(document(host="another-host")) is None
    assert owner_is_alive(document(owner=None)) is False


def test_what_is_written_before_a_launch_waits_for_no_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synchronised: list[int] = []
    monkeypatch.setattr(os, "fsync", synchronised.append)
    RunDirectory(tmp_path).write_json(tmp_path / "plan.json", {"schema": 1}, durable=False)
    assert json.loads((tmp_path / "plan.json").read_text()) == {"schema": 1}
    assert synchronised == []
    RunDirectory(tmp_path).write_json(tmp_path / "launch.json", {"schema": 1})
    assert len(synchronised) == 1
