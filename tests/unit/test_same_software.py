"""How much runs differ is known by runs of the same files; a run from elsewhere, and a copy, say nothing of it."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fakes import Groma
from planted_runs import QUIET, change_document, change_points, made
from synthetic import LIBRARY, Scenario

from groma.analysis import otherruns
from groma.analysis.compare import Sample, compare_runs, judge
from groma.decide import Compared, Side, compare_sides
from groma.history.store import opened
from groma.results import load_run
from groma.results.documents import Build
from groma.results.run import Run

PLAN = replace(QUIET, operations=("pingpong", "allreduce"), launch_effect=0.004, launches=8)


def runs_of(folder: Path, *, library: str | None, slower: float, numbers: range = range(1, 4)) -> list[Path]:
    scenario = replace(PLAN, library=library)
    return [
        made(folder / f"{library}-{slower}-{number}", round(100 * slower) + number, scenario, {"pingpong": slower})
        for number in numbers
    ]


def in_states(run: Path, *lines_ns: float, fast: float = 1.0) -> None:
    """Let a cache line take so long around points, by turns, and all take `fast` times as long."""

    def change(record: dict[str, Any]) -> None:
        record["line_ns"] = [lines_ns[record["index"] % len(lines_ns)]] * 2
        record["samples_ns"] = [round(fast * sample) for sample in record["samples_ns"]]

    change_points(run, change)


def compared(*runs: Path) -> Compared:
    one, other = (Side(run.name, [load_run(run)]) for run in runs)
    return compare_sides(one, other)


def verdicts(found: Compared, operation: str = "pingpong") -> set[tuple[str, str]]:
    return {(row.verdict, row.basis) for row in found.rows if row.first.operation == operation}


def test_of_two_builds_all_pairs_across_differ_and_none_within(tmp_path: Path) -> None:
    old, new = (runs_of(tmp_path, library=name, slower=ratio) for name, ratio in (("first", 1.0), ("second", 3.0)))
    for pair in itertools.product(old, new):
        found = compared(*pair)
        assert verdicts(found) == {("slower", "runs")}
        assert {("library", "MPI library's file", f"{LIBRARY} (first, 5.0.2)", f"{LIBRARY} (second, 5.0.2)")} == {
            (one.kind, one.name, one.first, one.second) for one in found.differences if one.kind == "library"
        }
    for pair in (*itertools.combinations(old, 2), *itertools.combinations(new, 2)):
        found = compared(*pair)
        assert {verdict for verdict, _ in verdicts(found)} <= {"same", "not decided"}
        assert {basis for _, basis in verdicts(found)} == {"runs"}


def test_runs_of_unknown_files_are_no_history_and_their_difference_is_no_spread(tmp_path: Path) -> None:
    old, new = (runs_of(tmp_path, library=None, slower=ratio) for ratio in (1.0, 1.2))
    for pair in itertools.product(old, new):
        found = compared(*pair)
        assert verdicts(found) == {("slower", "these runs")}
        assert any("The files that measured" in sentence for sentence in found.sentences)
    assert otherruns.other_runs_of(load_run(old[0])).names == ()


@pytest.mark.parametrize(
    ("build", "known"),
    [
        (Build("e", "l", "/l"), True),
        (Build("e", "", "", {"/lib/libc.so.6": "c"}), True),
        (Build("e", "", ""), False),
        (Build("", "l", "/l"), False),
        (Build("e", "l", "/l", {"/preloaded.so": ""}), False),
    ],
)
def test_files_are_known_by_all_their_checksums(build: Build, known: bool) -> None:
    assert (build.contents is not None) == known


def test_files_elsewhere_with_the_same_contents_are_the_same() -> None:
    one, other = (Build("e", "l", f"{at}/l", {f"{at}/libfabric.so.1": "f"}) for at in ("/one", "/other"))
    assert one.contents == other.contents
    assert one.contents != Build("e", "l", "/l", {"/one/libfabric.so.1": "g"}).contents


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The names of the runs that a history reads, once for each reading."""
    read: list[str] = []

    def load(path: Path) -> Run:
        read.append(path.name)
        return load_run(path)

    monkeypatch.setattr(otherruns, "load_run", load)
    yield read
    otherruns._figures_at.cache_clear()  # another test reads its own


def test_runs_beside_are_read_once_whatever_the_states_and_the_points(tmp_path: Path, loads: list[str]) -> None:
    beside = runs_of(tmp_path, library="first", slower=1.0, numbers=range(1, 23))
    runs_of(tmp_path, library="second", slower=1.0)
    for run in beside:
        in_states(run, 30.0, 100.0, 300.0)
    found = compared(*beside[-2:])
    assert found.states is not None
    assert "the machine was in several states" in found.states.words
    assert sorted(loads) == sorted(run.name for run in beside[:-2]), "20 runs, once each; none of the other build"


def test_copies_of_a_run_are_one(groma: Groma) -> None:
    first, second, _ = runs_of(Path("runs"), library="first", slower=1.0)
    for number in range(8):
        shutil.copytree(first, f"runs/copy-{number}")
    assert otherruns.other_runs_of(load_run(second)).names == (first.name, f"{first.name[:-1]}3")
    assert len(otherruns.other_runs_of(load_run(first)).names) == 2
    groma("compare", str(first), "runs/copy-1").refuses(f"{first} ({first.name}) and runs/copy-1 (copy-1) are one run")
    groma("baseline", "set", "base", str(first), "runs/copy-1").refuses("are one run and its copy; name each run once")
    assert groma("baseline", "set", "base", str(first)).code == 0
    groma("gate", "base", str(first)).refuses("are one run and its copy; name another")
    groma("compare", "base", "runs/copy-1").refuses("are one run and its copy; name two")
    said = groma("history", "runs", "--format", "json")
    assert "runs/copy-1 is a copy of " in said.err + said.out
    assert groma("history", "runs").out.count("3 runs") >= 1
    with opened() as store:
        assert len(store.runs([str(Path("runs").resolve())])) == 11


def test_a_baseline_of_two_builds_is_refused_and_names_the_file(groma: Groma) -> None:
    (old, *_), (new, *_) = (runs_of(Path("runs"), library=name, slower=1.0) for name in ("first", "second"))
    groma("baseline", "set", "base", str(old), str(new)).refuses(
        f"other builds measured {new} than {old} (MPI library's file); name runs of one build"
    )


def test_a_store_of_before_reads_its_runs_again(groma: Groma) -> None:
    runs_of(Path("runs"), library="first", slower=1.0)
    assert groma("history", "runs").code == 0
    with opened() as store:
        connection = store._connection  # makes it one of the first version
        with connection:
            connection.executescript("ALTER TABLE runs DROP COLUMN identity; PRAGMA user_version = 1;")
    assert groma("history", "runs").code == 0
    with opened() as store:
        assert {bool(run.identity) for run in store.runs([str(Path("runs").resolve())]).values()} == {True}


def test_runs_of_one_software_alone_are_rarely_called_different() -> None:
    """Three runs, two of which are compared: what these differ by is spread too."""
    random, alarms = np.random.default_rng(3), 0
    for spread in (0.0, 0.02, 0.1):
        for _ in range(200):
            levels = random.normal(0, spread, 3)
            one, other, earlier = (level + random.normal(0, 0.01, 10) for level in levels)
            found, basis = compare_runs(Sample([one], [[earlier]]), Sample([other]), same_software=True)
            assert basis == "runs"
            alarms += judge([found])[0].verdict in ("slower", "faster")
    assert alarms <= 3 * 200 * 0.05


def test_the_same_machine_in_another_state_is_no_verdict(tmp_path: Path) -> None:
    """Equal runs, of which some had their CPUs far from each other: no pair is called slower or faster."""
    runs = [made(tmp_path / str(seed) / "run", seed, PLAN) for seed in range(1, 7)]
    for at, run in enumerate(runs):
        line_ns = 37.0 if at in (2, 4) else 190.0
        fast = 0.7 if at in (2, 4) else 1.0
        in_states(run, line_ns, fast=fast)
    for at, pair in enumerate(itertools.pairwise(runs)):
        found = compared(*pair)
        if at == 0:
            assert {row.verdict for row in found.rows} <= {"same", "not decided"}
            continue
        assert {row.words for row in found.rows} == {"cannot tell: the machine was in another state"}
        assert {row.interval for row in found.rows} == {None}
        ranges = {"37 to 37 ns in run", "190 to 190 ns in run"}
        assert found.states is not None
        assert all(one in found.states.words for one in ranges)


def test_other_cpus_are_another_state_and_still_compared(tmp_path: Path) -> None:
    one, other = (made(tmp_path / str(seed) / "run", seed, replace(PLAN, pinned=seed == 2)) for seed in (1, 2))
    for run, line_ns in ((one, 37.0), (other, 190.0)):
        in_states(run, line_ns)
    found = compared(one, other)
    assert "cannot tell" not in {row.verdict for row in found.rows}
    assert found.states is not None
    assert "host:CPUs of the ranks differ" in found.states.words


def test_an_older_run_is_known_by_what_it_states(tmp_path: Path) -> None:
    scenario = Scenario(launches=1, operations=("barrier",))
    one, other = (load_run(made(tmp_path / name, seed, scenario)).meta for name, seed in (("a", 1), ("b", 2)))
    assert one.identity != other.identity
    shutil.copytree(tmp_path / "a", tmp_path / "c")
    assert load_run(tmp_path / "c").meta.identity == one.identity
    change_document(tmp_path / "c", id="0123456789abcdef")
    assert load_run(tmp_path / "c").meta.identity == "0123456789abcdef"
