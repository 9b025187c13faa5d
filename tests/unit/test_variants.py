"""Environment variants: read from plans and options, launched in turns, resumed, and shown side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from edited_records import write_records
from fakes import Groma
from hypothesis import given
from hypothesis import strategies as st
from synthetic import Scenario, make_run

from groma.analysis import series, side_by_side, summarise
from groma.analysis.advice.costs import costs
from groma.analysis.compare import fewest_launches
from groma.catalog import Catalog
from groma.errors import InputError
from groma.launch.command import Setup
from groma.launch.cores import Cores
from groma.launch.engine import Engine
from groma.launch.launcher import Launcher
from groma.plan import Variant, parse_variant
from groma.plan.toml import parse_plan
from groma.programs.answers import study_of
from groma.report.page import render
from groma.report.tables import DOUBTFUL, variant_columns
from groma.results import load_run
from groma.run.schedule import turn

PLAN = """
launches = 6

[[variant]]
name = "shared"

[[variant]]
name = "tcp"
env = { FAKE_ENGINE = "slower=50", PORT = 7 }

[[points]]
operation = "pingpong"
bytes = "8:32"
"""


def launch(number: int, run: str = "out") -> dict[str, Any]:
    document: dict[str, Any] = json.loads(Path(run, "launches", f"{number:03d}", "launch.json").read_text())
    return document


def test_a_plan_names_its_variants(catalog: Catalog) -> None:
    assert parse_plan(PLAN, "p.toml", catalog).variants == (
        Variant("shared"),
        Variant("tcp", {"FAKE_ENGINE": "slower=50", "PORT": "7"}),
    )


@pytest.mark.parametrize(
    ("text", "variant"),
    [
        ("a", Variant("a")),
        ("a:", Variant("a")),
        ("a:X=1", Variant("a", {"X": "1"})),
        ("a:X=1,Y=b c", Variant("a", {"X": "1", "Y": "b c"})),
        ("tcp:OMPI_MCA_btl=tcp,self,X=", Variant("tcp", {"OMPI_MCA_btl": "tcp,self", "X": ""})),
        ("a:URL=tcp://host:1", Variant("a", {"URL": "tcp://host:1"})),
    ],
)
def test_the_command_line_names_variants_too(text: str, variant: Variant) -> None:
    assert parse_variant(text) == variant


@pytest.mark.parametrize("text", ["", ":X=1", "a:X", "a b:X=1", "a:1X=2"])
def test_a_wrong_option_is_an_error(text: str) -> None:
    with pytest.raises(InputError):
        parse_variant(text)


@given(st.lists(st.integers(1, 64), min_size=1, max_size=3, unique=True), st.integers(1, 4), st.integers(1, 5))
def test_everyone_has_one_turn_in_each_round(counts: list[int], variants: int, rounds: int) -> None:
    length = len(counts) * variants
    turns = [turn(number, counts, variants) for number in range(1, rounds * length + 1)]
    everyone = {(ranks, variant) for ranks in counts for variant in range(variants)}
    for place in range(0, len(turns), length):
        assert set(turns[place : place + length]) == everyone


def test_variants_go_forwards_and_backwards() -> None:
    assert [turn(number, [2], 2)[1] for number in range(1, 9)] == [0, 1, 1, 0, 0, 1, 1, 0]
    assert [turn(number, [2, 4], 0) for number in range(1, 5)] == [(2, 0), (4, 0), (2, 0), (4, 0)]


@pytest.mark.parametrize(
    ("family", "words"),
    [
        ("MPICH", ["-genv", "A", "1", "-genv", "OMPI_MCA_b", "2"]),
        ("Intel MPI", ["-genv", "A", "1", "-genv", "OMPI_MCA_b", "2"]),
        ("Open MPI", ["-x", "A"]),
        ("Slurm", []),
    ],
)
def test_variables_go_with_the_ranks(family: str, words: list[str]) -> None:
    setup = Setup(Engine(Path("/e"), "", abi=False, library=None), Launcher(Path("/bin/m"), family, ""), Cores(2, 2))
    env = {"A": "1", "OMPI_MCA_b": "2"}
    plain, changed = setup.command(2, []), setup.command(2, [], env)
    assert [word for word in changed.words if word not in plain.words] == [w for w in words if w not in plain.words]
    assert " ".join(words) in " ".join(changed.words)
    assert changed.environment().items() >= env.items()


@pytest.mark.parametrize("family", ["MPICH", "Slurm", ""])
def test_a_variants_variables_are_gone_in_the_next_launch(family: str) -> None:
    engine = Engine(Path("/e"), "MPICH", abi=False, library=None)
    setup = Setup(engine, Launcher(Path("/bin/m"), family, ""), Cores(2, 2))
    before = setup.command(4, []).variables
    assert "A" in setup.command(4, [], {"A": "1"}).variables
    assert setup.command(4, []).variables == before


def test_a_variant_overrules_what_groma_would_set() -> None:
    setup = Setup(
        Engine(Path("/e"), "", abi=False, library=None), Launcher(Path("/bin/m"), "Intel MPI", ""), Cores(2, 2)
    )
    command = setup.command(2, [], {"I_MPI_FABRICS": "ofi"})
    assert (command.variables["I_MPI_FABRICS"], command.own) == ("ofi", ())
    assert setup.command(2, []).own == ("I_MPI_FABRICS",)


def test_variants_take_turns_and_are_shown_side_by_side(groma: Groma) -> None:
    Path("p.toml").write_text(PLAN)
    said = groma("run", "p.toml", "-o", "out")
    assert said.code == 0
    accounts = [launch(number) for number in range(1, 13)]
    assert [account["variant"] for account in accounts[:4]] == ["shared", "tcp", "tcp", "shared"]
    assert all((account["environment"].get("PORT") == "7") == (account["variant"] == "tcp") for account in accounts)
    document = json.loads(Path("out/run.json").read_text())
    assert (document["launches"], len(document["variants"])) == (6, 2)
    assert "12 of 12 launches" in said.out
    assert "tcp / shared" in said.out
    run = load_run("out")
    curves = series(summarise(run))
    assert [curve.label for curve in curves] == ["pingpong · shared", "pingpong · tcp"]
    (both,) = side_by_side(run, curves)
    assert (both.first, list(both.ratios), both.sizes) == ("shared", ["tcp"], [8, 16, 32])
    for ratio in both.ratios["tcp"].values():
        assert ratio.comparison.ratio == pytest.approx(1.5, rel=0.01)
        assert ratio.comparison.interval is not None
        assert ratio.comparison.ratio in ratio.comparison.interval
    page = render(run)
    assert "tcp / shared" in page
    assert "FAKE_ENGINE=slower=50" in page
    assert 'id="chart-compared-1"' in page


def test_times_whose_quotient_is_not_the_ratio_are_named(groma: Groma) -> None:
    """Most launches of the first variant and fewest of the other were slow, in all but one round together."""
    Path("p.toml").write_text(PLAN.replace("launches = 6", "launches = 12"))
    assert groma("run", "p.toml", "-o", "out").code == 0
    assert "Their quotient is not the ratio" not in groma("show", "out").out
    slow = {"shared": range(1, 8), "tcp": range(1, 6)}
    turns = {"shared": 0, "tcp": 0}
    for folder in sorted(Path("out/launches").iterdir()):
        variant = json.loads((folder / "launch.json").read_text())["variant"]
        turns[variant] += 1
        if turns[variant] not in slow[variant]:
            continue
        records = [json.loads(line) for line in (folder / "points.jsonl").read_text().splitlines()]
        for record in records:
            if record["kind"] == "point" and record["point"]["bytes"] == 16:
                record["samples_ns"] = [10 * sample for sample in record["samples_ns"]]
        write_records(folder / "points.jsonl", records)
    said = " ".join(groma("show", "out").out.split())
    assert "Times are medians of all launches. Their quotient is not the ratio of tcp at 16 B, because launches" in said


def test_figures_that_rest_on_a_doubtful_clock_are_marked_side_by_side(tmp_path: Path) -> None:
    clocked = Scenario(launches=4, operations=("allreduce",), sizes=(8, 1 << 20), clocked=True, clock_bound_ns=300)
    path = make_run(tmp_path / "run", clocked)
    documents = {path / "run.json": {"variants": [{"name": "a"}, {"name": "b"}], "launches": 2}}
    documents |= {path / f"launches/{at:03d}/launch.json": {"variant": "abba"[at - 1]} for at in range(1, 5)}
    for file, change in documents.items():
        file.write_text(json.dumps(json.loads(file.read_text()) | change))
    run = load_run(path)
    (both,) = side_by_side(run, series(summarise(run)))
    cells = variant_columns(both)
    for name in ("a", "b"):
        assert [text[-1] == DOUBTFUL for text in cells[f"{name} \u00b5s"]] == [True, False]


def test_a_study_shows_variants_apart_and_by_name(groma: Groma) -> None:
    words = ("--variant", "shared", "--variant", "tcp:FAKE_ENGINE=slower=200", "--launches", "2")
    assert groma("run", "--profile", "commtest", "-n", "2", *words, "-o", "out").code == 0
    run = load_run("out")
    study = study_of(run, summarise(run))
    assert study is not None
    assert all(table.title.endswith(("\u00b7 shared", "\u00b7 tcp")) for table in study.tables)
    assert all(sentence.startswith(("shared: ", "tcp: ")) for sentence in study.sentences)
    peaks: dict[str, list[float]] = {name: [] for name in ("shared", "tcp")}
    for table in study.tables:
        if table.title.startswith("Protocols"):
            peaks[table.title.rpartition(" ")[2]] += [float(row[1]) for row in table.rows]
    assert peaks["shared"]
    assert [own / other for own, other in zip(peaks["shared"], peaks["tcp"], strict=True)] == pytest.approx(
        [3] * len(peaks["tcp"]), rel=0.01
    ), "what was planted"


def test_a_style_prints_one_variant_after_the_other(groma: Groma) -> None:
    words = ("--variant", "shared", "--variant", "tcp:FAKE_ENGINE=slower=200", "--launches", "2")
    assert groma("run", "pingpong", "--bytes", "8", "-n", "2", *words, "-o", "out").code == 0
    said = groma("show", "out", "--style", "mpptest").out
    shared, tcp = said.split("# Variant tcp")
    assert shared.startswith("# Variant shared")
    times = [next(line.split() for line in text.splitlines() if line.split()[:1] == ["0"]) for text in (shared, tcp)]
    assert float(times[1][4]) / float(times[0][4]) == pytest.approx(3, rel=0.01)


def test_advice_compares_an_anti_pattern_within_its_variant(groma: Groma) -> None:
    words = ("--variant", "shared", "--variant", "tcp:FAKE_ENGINE=slower=200", "--launches", "6")
    habits = ("pingpong", "pingpong_any_source", "--bytes", "8", "-n", "2")
    assert groma("run", *habits, *words, "-o", "out").code == 0
    run = load_run("out")
    found = costs(summarise(run))
    assert [(cost.anti_pattern.variant, cost.instead.variant) for cost in found] == [
        ("shared", "shared"),
        ("tcp", "tcp"),
    ]
    assert all(cost.comparison.ratio == pytest.approx(1, rel=0.05) for cost in found), "three would be tcp's"


def test_too_few_rounds_give_a_ratio_without_an_interval(groma: Groma) -> None:
    Path("p.toml").write_text(PLAN)
    said = groma("run", "p.toml", "--launches", "1", "-o", "out")
    assert "Fewer than 6 rounds give no interval" in said.out


def test_a_resume_makes_the_launches_that_lack_in_their_variant(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("p.toml").write_text(PLAN.replace("slower=50", "slower=50 die_after=1 in_launch=3"))
    assert groma("run", "p.toml", "--launches", "2", "-o", "out").code == 1
    document = json.loads(Path("out/run.json").read_text())
    for variant in document["variants"]:
        variant["env"].pop("FAKE_ENGINE", None)
    Path("out/run.json").write_text(json.dumps(document))
    monkeypatch.delenv("FAKE_ENGINE", raising=False)
    said = groma("run", "--resume", "out")
    assert said.code == 0, said.err
    assert [launch(number)["variant"] for number in (1, 2, 3, 4)] == ["shared", "tcp", "tcp", "shared"]
    assert Path("out/superseded/003").is_dir()


def test_a_budget_counts_the_launches_of_all_variants(groma: Groma) -> None:
    said = groma(
        "run", "noop", "--variant", "a", "--variant", "b:X=1", "--launches", "7", "--budget", "1s", "--dry-run"
    )
    assert "to fit 14 launches" in said.err
    assert "variants: a and b, launches of each: 7" in said.out
    assert sum("-genv X 1" in line for line in said.out.splitlines()) == 1


def test_two_variants_of_one_name_are_refused(groma: Groma) -> None:
    said = groma("run", "noop", "--variant", "a", "--variant", "a:X=1")
    said.refuses("two variants are called a")


def test_a_run_without_variants_shows_none(groma: Groma) -> None:
    groma("run", "pingpong", "--bytes", "8", "--launches", "1", "-o", "out")
    assert 'id="variants"' not in render(load_run("out"))
    assert launch(1)["variant"] is None


def test_launches_that_cannot_show_a_difference_are_said_before_the_first(groma: Groma) -> None:
    words = (
        "run",
        "pingpong",
        "--bytes",
        "8:512",
        "--variant",
        "base",
        "--variant",
        "tcp:X=1",
        "--dry-run",
        "--launches",
    )
    (said,) = [line for line in groma(*words, "8").out.splitlines() if "cannot show" in line]
    fewest = fewest_launches(7)
    assert fewest == 9
    assert said.startswith("# 8 launches of each variant cannot show that any of 7 ratios differs from 1")
    assert f"--launches {fewest} is" in said
    assert "cannot show" not in groma(*words, str(fewest)).out
    assert "cannot show" not in groma("run", "pingpong", "--launches", "2", "--dry-run").out
    assert "cannot show" not in groma(*words, "8", "--within", "2%").out
