"""Placements of the ranks: read from options and plans, said to each launcher in its words, and judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from edited_records import write_records
from fakes import Groma, refused
from synthetic import Scenario, make_run

from groma.analysis import summarise
from groma.analysis.advice.placement import rank_placements
from groma.analysis.advice.text import placement_sentences, placements_table
from groma.catalog import Catalog
from groma.errors import InputError
from groma.launch.command import Setup
from groma.launch.cores import Cores
from groma.launch.engine import Engine
from groma.launch.launcher import Launcher
from groma.plan import Variant, parse_placements
from groma.plan.placement import Placement, read_placement
from groma.plan.toml import parse_plan
from groma.results import load_run

ENGINE = Engine(Path("/e"), "", abi=False, library=None)


def words(family: str, placement: str, ranks: int = 4, given: str = "") -> list[str]:
    setup = Setup(ENGINE, Launcher(Path("/bin/m"), family, "1.0", tuple(given.split())), Cores(4, 4))
    return list(setup.command(ranks, [], placement=placement).words[1:-1])


@pytest.mark.parametrize(
    ("text", "placement"),
    [
        ("by-slot", Placement("by-slot")),
        ("by-node", Placement("by-node")),
        ("node1+node2+node1", Placement("hosts", ("node1", "node2", "node1"))),
        ("0+02+1", Placement("cpus", ("0", "2", "1"))),
        ("", Placement("as launched")),
    ],
)
def test_a_placement_is_a_way_or_a_list(text: str, placement: Placement) -> None:
    assert read_placement(text) == placement


@pytest.mark.parametrize("text", ["by-nod", "node1", "0", "node1+", "+", "a b+c", "-x+y", "a=b+c"])
def test_what_is_neither_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(InputError, match="write by-slot, by-node, or a list"):
        read_placement(text)


def test_a_list_goes_on_from_its_start() -> None:
    assert read_placement("a+a+b").of_ranks(5) == ["a", "a", "b", "a", "a"]
    assert read_placement("a+a+b").of_ranks(2) == ["a", "a"]


def test_options_name_variants() -> None:
    assert parse_placements(["by-slot, by-node", "wide=0+2", "1+3"]) == (
        Variant("by-slot", {}, "by-slot"),
        Variant("by-node", {}, "by-node"),
        Variant("wide", {}, "0+2"),
        Variant("list", {}, "1+3"),
    )


def test_a_plan_gives_a_variant_its_placement(catalog: Catalog) -> None:
    text = "[[variant]]\nname = 'tcp'\nenv = {A = 1}\nplacement = 'by-node'\n[[points]]\noperation = 'noop'"
    assert parse_plan(text, "p.toml", catalog).variants == (Variant("tcp", {"A": "1"}, "by-node"),)
    for wrong in ("'by-nod'", "3"):
        with pytest.raises(InputError, match=r"line 1.*placement"):
            parse_plan(text.replace("'by-node'", wrong), "p.toml", catalog)


def test_intels_launcher_is_told_cpus_by_variables() -> None:
    setup = Setup(ENGINE, Launcher(Path("/bin/m"), "Intel MPI", "1.0"), Cores(4, 4))
    variables = setup.command(2, [], placement="3+1").variables
    assert variables == {"I_MPI_FABRICS": "shm", "I_MPI_PIN": "1", "I_MPI_PIN_PROCESSOR_LIST": "3,1"}
    assert "I_MPI_FABRICS" not in setup.command(2, [], placement="a+b").variables


@pytest.mark.parametrize(("family", "placement"), [("Slurm", "a+b"), ("", "by-node"), ("", "0+1")])
def test_a_launcher_without_a_way_is_refused(family: str, placement: str) -> None:
    with pytest.raises(InputError, match=r"has no option known to Groma to place ranks .*; use the launcher of"):
        words(family, placement)


@pytest.mark.parametrize(
    ("family", "placement", "says"),
    [
        ("MPICH", "a+b+a", "treats a host that a list names again as another one"),
        ("Open MPI", "1+0", "for 4 ranks, 1\\+0\\+1\\+0 is not"),
        ("Open MPI", "0+1", "in ascending order, each once"),
    ],
)
def test_an_order_that_a_launcher_cannot_keep_is_refused(family: str, placement: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        words(family, placement)


@pytest.mark.parametrize(
    ("placement", "given"),
    [
        ("by-node", "--host a:2,b:2 --map-by slot"),
        ("by-slot", "-ppn 2"),
        ("a+b", "--host a,b"),
        ("0+1", "--bind-to none"),
    ],
)
def test_two_places_for_a_rank_are_refused(placement: str, given: str) -> None:
    with pytest.raises(InputError, match="leave one out"):
        words("Open MPI", placement, given=given)


def test_a_launcher_with_hosts_of_its_own_is_told_how_to_fill_them() -> None:
    assert words("Open MPI", "by-node", given="--host a:2,b:2")[-4:] == ["--map-by", "node", "--host", "a:2,b:2"]


def test_ranks_that_share_a_cpu_of_a_list_let_each_other_run() -> None:
    setup = Setup(ENGINE, Launcher(Path("/bin/m"), "MPICH", "1.0"), Cores(4, 4))
    assert not setup.command(2, [], placement="0+1").variables
    assert "MPIR_CVAR_CH4_PROGRESS_THROTTLE" in setup.command(3, [], placement="0+1").variables


def test_placements_take_turns_as_variants_do(groma: Groma) -> None:
    said = groma("run", "pingpong", "--bytes", "8", "--placement", "by-slot,by-node", "--launches", "2", "-o", "out")
    assert said.code == 0, said.err
    launches = [json.loads(Path("out", "launches", f"{at:03d}", "launch.json").read_text()) for at in range(1, 5)]
    assert [one["variant"] for one in launches] == ["by-slot", "by-node", "by-node", "by-slot"]
    assert [("-ppn" in one["command"]) for one in launches] == [False, True, True, False]
    document = json.loads(Path("out/run.json").read_text())
    assert [variant["placement"] for variant in document["variants"]] == ["by-slot", "by-node"]
    assert "by-node / by-slot" in said.out
    judged = groma("advice", "out")
    assert judged.code == 0
    assert "by-node put all 2 ranks in the same places as by-slot" in judged.out


@refused(
    (("--placement", "by-nod"), "'by-nod' is not a placement"),
    (("--placement", "by-slot,by-slot"), "two variants are called by-slot"),
    (("--placement", "0+1,1+0"), "two variants are called list"),
    (("--placement", "by-slot,,by-node"), "a placement is missing"),
    (("--placement", "by-slot", "--variant", "a"), "both name variants"),
    (("--placement", "a+b", "--launcher", "mpiexec -hosts a"), "leave one out"),
)
def test_a_wrong_placement_is_one_sentence(groma: Groma, arguments: tuple[str, ...], says: str) -> None:
    said = groma("run", "noop", *arguments, "-o", "out")
    said.refuses(says)
    assert len(said.err.strip().splitlines()) == 1
    assert not Path("out").exists()


def placed(path: Path, factor: float, *, apart: bool = True) -> Path:
    """Return a run of two placements in turns, the second of them slower by a factor."""
    run = make_run(path / "run", Scenario(launches=20, operations=("allreduce",), sizes=(8, 1024), outliers=0.0))
    variants: list[dict[str, Any]] = [{"name": name, "env": {}, "placement": name} for name in ("by-slot", "by-node")]
    documents: dict[Path, dict[str, Any]] = {run / "run.json": {"variants": variants, "launches": 10}}
    for at in range(1, 21):
        name = ("by-slot", "by-node", "by-node", "by-slot")[(at - 1) % 4]
        folder = run / f"launches/{at:03d}"
        documents[folder / "launch.json"] = {"variant": name}
        if name == "by-node":
            records = [json.loads(line) for line in (folder / "points.jsonl").read_text().splitlines()]
            for record in records:
                if record["kind"] == "point":
                    record["samples_ns"] = [round(factor * time) for time in record["samples_ns"]]
            write_records(folder / "points.jsonl", records)
            if apart:
                nodes = json.loads((folder / "nodes.json").read_text())
                nodes["ranks"] = [rank | {"allowed_cpus": "7"} for rank in nodes["ranks"]]
                (folder / "nodes.json").write_text(json.dumps(nodes))
    for file, change in documents.items():
        file.write_text(json.dumps(json.loads(file.read_text()) | change))
    return run


def test_a_planted_cost_of_a_placement_comes_back(tmp_path: Path) -> None:
    run = load_run(placed(tmp_path, 1.5))
    found = rank_placements(run, summarise(run))
    assert [(best.point.variant, best.worst_point.variant) for best in found.best] == 2 * [("by-slot", "by-node")]
    for best in found.best:
        assert best.worst.ratio == pytest.approx(1.5, rel=0.03)
        assert best.worst.interval is not None
        assert 1.5 in best.worst.interval
    assert [row[1:4] for row in placements_table("", found.best).rows] == 2 * [("by-slot", "\u2013", "by-node")]
    first, second = placement_sentences(found)
    assert first == "by-slot: best, or tied with the best, in 2 of 2 figures."
    assert second.startswith("by-node: best, or tied with the best, in 0 of 2 figures; costs up to 1.")


def test_placements_that_do_the_same_are_as_good(tmp_path: Path) -> None:
    run = load_run(placed(tmp_path, 1.0))
    found = rank_placements(run, summarise(run))
    assert [len(best.alike) for best in found.best] == [1, 1]
    assert all("in 2 of 2 figures." in sentence for sentence in placement_sentences(found))


def test_placements_that_are_no_others_are_not_compared(tmp_path: Path) -> None:
    run = load_run(placed(tmp_path, 1.5, apart=False))
    found = rank_placements(run, summarise(run))
    assert found.best == []
    (sentence,) = placement_sentences(found)
    assert sentence == "by-node put all 2 ranks in the same places as by-slot: the two are not compared."
