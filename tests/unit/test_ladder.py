"""A placement ladder from the command to its table: launched step by step, verified, and refused if it cannot be."""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from campaigns import document
from cpu_trees import Machine, cpu_tree
from fakes import Groma

from groma.analysis import checks, summarise
from groma.machine.facts import cpu_places
from groma.plan import Variant
from groma.programs.ladder.study import study
from groma.programs.study import Study
from groma.report.page import render
from groma.results import load_run
from groma.text.numbers import DASH

MACHINE = Machine(cores=16, sockets=2, numa_nodes=4, caches=8, threads=2)
LADDER = ("run", "--profile", "ladder", "-o", "out", "--launches", "1")
WITHIN = ["same core", "same last-level cache", "same NUMA node", "same socket", "same node"]


class Made:
    """A made machine: its files, the CPUs that this process may use, and what the engine says of them."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        root = cpu_tree(folder / "root", MACHINE)
        self.said = folder / "places.json"
        self.places = {str(place.cpu): asdict(place) for place in cpu_places(root)}
        for place in self.places.values():
            del place["cpu"]
        monkeypatch.setattr("groma.programs.ladder.offered.cpu_places", lambda _: cpu_places(root))
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(MACHINE.cores * MACHINE.threads)))
        monkeypatch.setenv("FAKE_PLACES", str(self.said))
        self.say()

    def say(self, **members: Any) -> None:  # noqa: ANN401 - any member of a rank's place
        """Let the engine say of every CPU where it is, but for these members."""
        self.said.write_text(json.dumps({cpu: place | members for cpu, place in self.places.items()}))


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    return Made(tmp_path, monkeypatch)


def ladder_of(path: str = "out") -> Study:
    run = load_run(path)
    return study(run, summarise(run))


def rows_of(said: Study) -> dict[str, list[str]]:
    """Return the cells of every step, by its name."""
    return {name: cells for name, *cells in said.tables[0].rows}


def slower_between_sockets(name: str, **members: str) -> Variant:
    return Variant(name, {"FAKE_ENGINE": "slower=100"} if name == "same-node" else {}, **members)


def test_a_chart_has_every_step_that_was_measured_and_verified() -> None:
    run = load_run(Path(__file__).parents[1] / "recorded" / "ladder")
    found = study(run, summarise(run))
    assert [title for title, _, _ in found.rows] == ["Latency by step", "Bandwidth by step"]
    (_, _, latency), (_, _, bandwidth) = found.rows
    for rows, column in ((latency, 1), (bandwidth, 4)):
        by_step = rows_of(found)
        assert [row.name for row in rows.rows] == ["same last-level cache", "next node"]
        assert [row.told.split()[0] for row in rows.rows] == [by_step[row.name][column] for row in rows.rows]
        assert all(float(re.findall(r"\((\S+) to", row.told)[0]) > 0 for row in rows.rows)


@pytest.mark.usefixtures("made")
def test_every_step_is_launched_on_its_cpus_and_verified(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("groma.programs.ladder.offered.Variant", slower_between_sockets)
    said = groma(*LADDER, "--launches", "6")
    assert said.code == 0, said.err
    rows = rows_of(ladder_of())
    assert [step for step, row in rows.items() if row[0].startswith("CPUs")] == WITHIN
    assert [rows[step][0] for step in WITHIN] == [f"CPUs 0 and {cpu}" for cpu in (16, 1, 2, 4, 8)]
    assert rows["same core"][2:4] == ["1", DASH]
    assert rows["next node"] == ["not here", *[DASH] * 7]
    assert float(rows["same socket"][2]) == pytest.approx(1, rel=0.02)
    latency, bandwidth = float(rows["same node"][2]), float(rows["same node"][5])
    assert latency == pytest.approx(2, rel=0.02)
    assert bandwidth == pytest.approx(0.5, rel=0.02)
    for ratio, interval in ((latency, rows["same node"][3]), (bandwidth, rows["same node"][6])):
        low, high = map(float, interval.split(" to "))
        assert low <= ratio <= high
    assert "5 steps of the ladder were measured, each verified by where its ranks were." in said.out
    assert "Next node, farthest node: the ranks have one host; name several with --hosts" in " ".join(said.out.split())
    assert document()["lacking"].keys() == {"next-node", "farthest-node"}
    html = render(load_run("out"))
    assert html.index("Placement ladder") < html.index("Latency by step") < html.index('id="figures"')
    assert "CPUs 0 and 16" in groma("show", "out", "--style", "ladder").out


@pytest.mark.parametrize(
    ("members", "doubt"),
    [
        ({"socket": 0}, "the ranks were on CPUs 0 and 8, which is the step same socket."),
        ({"numa_node": 0, "socket": 0}, "the ranks were on CPUs 0 and 8, which is the step same NUMA node."),
    ],
)
def test_a_step_whose_ranks_were_elsewhere_has_no_figures(
    groma: Groma, made: Made, members: dict[str, int], doubt: str
) -> None:
    made.say(**members)
    assert groma(*LADDER).code == 0
    said = ladder_of()
    assert rows_of(said)["same node"] == ["not verified", *[DASH] * 7]
    refused = [sentence for sentence in said.sentences if sentence.startswith("No figures for same node: in launch ")]
    assert refused[0].endswith(doubt)
    assert rows_of(said)["same core"][0] == "CPUs 0 and 16"


@pytest.mark.parametrize(
    ("nodes", "doubt"),
    [
        ({"allowed_cpus": "0-1", "core": None}, "rank 0 was free to move between the CPUs 0-1"),
        ({"node": 1}, "the ranks were on two hosts"),
    ],
)
def test_ranks_that_were_not_kept_in_their_places_have_no_figures(
    groma: Groma, made: Made, nodes: dict[str, Any], doubt: str
) -> None:
    del made
    assert groma(*LADDER).code == 0
    file = Path("out/launches/001/nodes.json")
    text = json.loads(file.read_text())
    text["ranks"][0] |= nodes
    text["nodes"] *= 2
    file.write_text(json.dumps(text))
    assert f"No figures for same core: in launch 1 {doubt}." in ladder_of().sentences


def test_between_hosts_the_ranks_are_on_two_of_them(groma: Groma, made: Made) -> None:
    del made
    said = groma(*LADDER, "--hosts", "n1,n2,n3,n4")
    assert said.code == 0, said.err
    run = load_run("out")
    rows = rows_of(study(run, summarise(run)))
    assert rows["next node"][0] == "n1 and n2"
    assert rows["farthest node"][0] in ("n1 and n3", "n1 and n4")
    notes = ladder_of().tables[0].notes
    assert "Farthest node: the slowest of 2 that were sampled, by latency." in notes
    assert rows["same core"][0] == "not here"
    placement = next(check for check in checks(run, summarise(run)) if check.name == "placement")
    assert placement.state == "good"
    assert "<dt>next-node</dt><dd>ranks on n1:1,n2:1</dd>" in render(run)
    assert [one["hosts"] for one in document()["variants"]] == ["n1:1,n2:1", "n1:1,n4:1", "n1:1,n3:1"]


def test_a_resumed_ladder_goes_on_with_its_own_steps(groma: Groma, made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    del made
    monkeypatch.setenv("FAKE_ENGINE", "die_after=1 in_launch=4")
    assert groma(*LADDER).code == 1
    monkeypatch.delenv("FAKE_ENGINE")
    before = document()
    assert groma("run", "--resume", "out").code == 0
    assert document()["lacking"] == before["lacking"]
    assert [row[0][:4] for row in rows_of(ladder_of()).values()][:5] == ["CPUs"] * 5


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-n", "4"), "the profile ladder measures 2 ranks; leave out -n"),
        (("--placement", "0+1"), "the profile ladder has variants of its own; leave out list"),
    ],
)
def test_what_a_ladder_cannot_have_is_refused(groma: Groma, made: Made, words: tuple[str, ...], message: str) -> None:
    del made
    said = groma(*LADDER, *words)
    assert (said.code, said.err.strip()) == (2, f"groma: {message}")


def test_where_no_step_exists_it_says_why(groma: Groma, made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    del made
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3})
    said = groma(*LADDER)
    assert said.code == 2
    assert "the profile ladder has nothing to measure here: no same-core: this process may use 1 of 32 CPUs" in said.err
    listed = groma("list", "ladder")
    assert listed.code == 0
    assert "this process may use 1 of 32 CPUs" in " ".join(listed.out.split())


@pytest.mark.usefixtures("made")
def test_the_commands_of_all_steps_are_shown_before(groma: Groma) -> None:
    said = groma(*LADDER, "--dry-run")
    assert said.code == 0
    commands = [line for line in said.out.splitlines() if " -n 2 " in line]
    assert [line.split("user:")[1].split()[0] for line in commands] == ["0,16", "0,1", "0,2", "0,4", "0,8"]
    assert "# no next-node: the ranks have one host" in said.out
    assert not Path("out").exists()
