"""The verbs: wrong input is one sentence and exit code 2 with nothing run; output that fails is never exit code 0."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from fakes import Groma, refused

from groma.cli.main import VERBS, groma_command
from groma.cli.options import read_duration, read_rank_counts
from groma.errors import InputError

COMMAND = "from groma.cli import main; main()"


@refused(
    ("rnu", "there is no command 'rnu'; did you mean 'run'"),
    ("run", "nothing to measure"),
    ("run allredcue", "did you mean 'allreduce'"),
    ("run bcast --bytes 8X", "bytes: '8X' is not a size"),
    ("run bcast --bytes 1M:8", "is empty"),
    ("run bcast --bytes=", "is not a size"),
    ("run bcast_segmented --bytes 8 --set segments=3", "segments=3"),
    ("run allreduce --bytes 6", "is not a multiple of the 4 bytes of float"),
    ("run swap/simple --set swap_order=simple", "can hang"),
    ("run swap/synchronous --set swap_overlap=true", "has nothing to overlap"),
    ("run swap/ready --bytes 10 --set swap_messages=4", "swap_messages=4"),
    ("run pingpong -n 1", "pingpong needs at least 2 ranks"),
    ("run bcast --set root_rank=2", "are 0 to 1"),
    ("run bcast --set ranks=3", "ranks=3 of bcast is more than the 2 launched"),
    ("run bcast --set rot=random", "did you mean 'root'"),
    ("run bcast --set root=randm", "did you mean 'random'"),
    ("run bcast --set sync=windows", "did you mean 'window'"),
    ("run bcast --set root", "write --set field=value"),
    ("run bcast --set operation=reduce", "name the operations instead"),
    ("run barrier --bytes 8", "barrier would not use bytes"),
    ("run bcast --budget soon", "is not a time"),
    ("run bcast --within close", "is not a share"),
    ("run bcast --within 200%", "is not a share"),
    ("run bcast -n two", "is not a number of ranks"),
    ("run bcast --launches 0", "--launches"),
    ("run bcast --lunches 3", "--lunches"),
    ("run quick", "write groma run --profile quick"),
    ("run --profile quik", "did you mean 'quick'"),
    ("run --profile osu scan", "the profile osu does not measure scan; it measures pingpong, pingpong_persistent"),
    ("run --profile quick plan.toml", "leave out the plan file"),
    ("run plan.toml bcast", "not both"),
    ("run plan.toml", "plan.toml, line 2: there is no operation 'bcst'; did you mean 'bcast'"),
    ("run none.toml", "cannot be read"),
    ("run bcast --launcher nowhere/mpiexec", "there is no launcher"),
    ("run bcast -o plan.toml", "already exists"),
    ("run bcast -o plan.toml/run", "cannot be written"),
    ("list bcst", "did you mean 'bcast'"),
    ("export out", "--to"),
)
def test_wrong_input_runs_nothing(groma: Groma, arguments: str, says: str) -> None:
    Path("plan.toml").write_text("[[points]]\noperation = 'bcst'\n")
    said = groma(*arguments.split())
    said.refuses(says)
    assert said.err.startswith("groma: ")
    assert said.err.count("\n") == 1
    assert not Path("runs").exists()


@pytest.mark.parametrize("verb", ["show", "report", "export --to csv"])
def test_a_run_that_is_not_there(groma: Groma, verb: str) -> None:
    said = groma(*verb.split(), "nowhere")
    said.refuses("nowhere")
    assert said.err.count("\n") == 1


@pytest.mark.parametrize("name", ["PMI_SIZE", "OMPI_COMM_WORLD_SIZE"])
def test_groma_under_a_launcher_explains_itself(groma: Groma, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "4")
    said = groma("run", "bcast")
    said.refuses("4 copies of it run; start it without mpiexec")
    monkeypatch.setenv(name, "1")
    assert groma("run", "bcast", "--dry-run").code == 0


def test_a_dry_run_prints_the_exact_commands_and_starts_nothing(groma: Groma, fakes: Path) -> None:
    said = groma("run", "bcast", "--bytes", "8:32", "--launches", "2", "-n", "2", "-o", "out", "--dry-run")
    assert said.code == 0
    lines = said.out.splitlines()
    assert lines[0] == "# points: 3, ranks: 2, launches of each: 2"
    assert lines[1] == "# expected: 2 launches of 3 points, about 6 s if every point needs its whole time slot"
    assert lines[2] == "# each command 2 times, in turns; launches/001 counts the launches"
    folder, engine = fakes / "out" / "launches" / "001", os.environ["GROMA_ENGINE"]
    assert lines[3].startswith(f"{os.environ['GROMA_MPIEXEC']} -n 2 ")
    assert lines[3].endswith(
        f"{engine} --plan {folder}/plan.json --out {folder}/points.jsonl --nodes {folder}/nodes.json"
    )
    assert lines[4:] == ["operation=bcast bytes=8", "operation=bcast bytes=16", "operation=bcast bytes=32"]
    assert not (fakes / "out").exists()


def test_a_file_named_like_an_operation_is_not_a_plan(groma: Groma) -> None:
    Path("bcast").write_text("not TOML")
    assert groma("run", "bcast", "--dry-run").code == 0


def test_the_command_line_overrides_the_plan(groma: Groma) -> None:
    Path("plan.toml").write_text("launches = 9\n[[points]]\noperation = 'bcast'\nbytes = '8:1K'\nwarmups = 3\n")
    said = groma("run", "plan.toml", "--bytes", "64", "--set", "datatype=byte,double", "--launches", "1", "--dry-run")
    assert said.out.splitlines()[0] == "# points: 2, ranks: 2, launches of each: 1"
    assert said.out.splitlines()[3:] == [
        "operation=bcast bytes=64 datatype=byte warmups=3",
        "operation=bcast bytes=64 datatype=double warmups=3",
    ]


def test_a_budget_shortens_slots_and_says_so(groma: Groma) -> None:
    said = groma("run", "bcast", "--bytes", "8:64", "--budget", "20", "--dry-run")
    assert "Each point gets at most 0.14 s per launch" in said.err
    assert "slot_s=0.14" in said.out
    said = groma("run", "bcast", "--budget", "20", "--set", "slot_s=3", "--dry-run")
    assert "slot_s=3" in said.out
    assert said.err == ""


def test_bare_groma_prints_its_help(groma: Groma) -> None:
    said = groma()
    assert said.code == 0
    assert said.out == groma("--help").out
    assert "quick" in said.out


def test_more_ranks_than_cpus_and_the_time_are_said_before_the_first_launch(
    groma: Groma, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0, 1})
    crowd = "4 ranks on 2 CPUs: they share CPUs"
    dry = groma("run", "bcast", "-n", "4", "--dry-run").out.splitlines()
    assert dry[1].startswith("# expected: 10 launches of 21 points, about ")
    assert dry[2].startswith(f"# {crowd}")
    said = groma("run", "barrier", "-n", "4", "--launches", "1", "-o", "out")
    expected, doubt, *_ = said.err.splitlines()
    assert expected.startswith("1 launch of 1 point, about 2 s if every point needs its whole time slot")
    assert doubt.startswith(crowd)
    assert "time slot" not in groma("run", "barrier", "--launches", "1", "-o", "short").err
    long = groma("run", "barrier", "--launches", "3", "--set", "stop=time", "--set", "slot_s=9", "-o", "long")
    assert long.err.startswith("3 launches of 1 point, about ")
    assert "every point uses its whole time slot" in long.err
    assert long.err.splitlines()[1:] == ["By 1 launch so far: almost done."], "what launches take is known better then"
    assert crowd in groma("list", "nas").out
    assert (
        "12 launches of 29 points; how long their repetitions take is known after the first launch"
        in groma("list", "nas").out
    )
    assert "take turns" not in groma("list", "quick").out


def test_several_operations_give_a_run_a_telling_name(groma: Groma) -> None:
    assert "runs/allreduce-bcast-" in groma("run", "allreduce", "bcast", "--dry-run").out
    several = ("pingpong", "stream", "message_rate", "allreduce", "bcast", "alltoall", "barrier")
    assert "runs/pingpong-stream-message_rate-allreduce-and-3-more-" in groma("run", *several, "--dry-run").out
    assert "runs/halo-sendrecv-" in groma("run", "halo/sendrecv", "--dry-run").out


def test_runs_are_listed_and_the_newest_is_shown(groma: Groma) -> None:
    assert groma("show").code == 2
    assert "There is no run under runs/" in groma("runs").err
    first = Path(groma("run", "barrier", "--launches", "1").last_line)
    document = json.loads((first / "run.json").read_text())
    (first / "run.json").write_text(json.dumps(document | {"created": "2026-01-02T03:04:05+00:00"}))
    newest = Path(groma("run", "bcast", "barrier", "--launches", "2").last_line)
    lines = groma("runs").out.splitlines()
    assert [line.split()[0] for line in lines] == ["run", first.name, newest.name]
    assert "2026-01-02 03:04" in lines[1]
    rows = json.loads(groma("runs", "--json").out)
    assert [(row["run"], row["launches"], row["state"]) for row in rows] == [
        (first.name, 1, "complete"),
        (newest.name, 2, "complete"),
    ]
    assert rows[1]["figure"].startswith("Bcast")
    assert groma("show").out.startswith(newest.name)
    assert groma("runs", "nowhere").code == 2


def test_a_pipe_gets_whole_lines_without_padding(groma: Groma) -> None:
    """What a terminal of 80 columns wraps, or leaves out, is there on one line each."""
    groma("run", "pingpong", "--bytes", "8,64", "--launches", "2", "-o", "out")
    for arguments in (["show", "out"], ["list"], ["list", "quick"]):
        text = groma(*arguments).out
        assert "\x1b" not in text
        assert [line for line in text.splitlines() if line != line.rstrip()] == []
        assert "Not shown in" not in text
    assert "min-max  within  across" in groma("show", "out").out


HEAVY = ("altair", "vl_convert", "polars", "scipy", "jinja2")


@pytest.mark.one_case
@pytest.mark.parametrize(
    ("arguments", "none_of"),
    [
        (["--help"], (*HEAVY, "numpy", "importlib.metadata", "rich", "groma.plan")),
        (["--version"], (*HEAVY, "numpy", "rich", "groma.plan")),
        (["list"], (*HEAVY, "numpy", "rich")),
        (["list", "bcast"], (*HEAVY, "numpy")),
        (["run", "bcast", "--dry-run"], (*HEAVY, "numpy")),
        (["run", "bcast", "pingpong", "--launches", "2", "-o", "out"], HEAVY),
        (["show", "out"], HEAVY),
    ],
)
def test_what_prints_text_imports_nothing_that_draws(
    groma: Groma, arguments: list[str], none_of: tuple[str, ...]
) -> None:
    if arguments[0] == "show":
        groma("run", "bcast", "pingpong", "--launches", "2", "-o", "out")
    code = f"import sys, atexit; atexit.register(lambda: print(*sys.modules, file=open('modules', 'w'))); {COMMAND}"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    imported = Path("modules").read_text().split()
    assert "groma.cli.main" in imported
    assert [name for name in none_of if name in imported] == []


@pytest.mark.parametrize(("verb", "said"), VERBS.items())
def test_the_list_of_verbs_says_how_the_help_of_each_begins(verb: str, said: str) -> None:
    command = groma_command.get_command(click.Context(groma_command), verb)
    assert command is not None
    assert str(command.help).startswith(said.rstrip("."))


def test_quick_ends_with_the_path_of_its_report(groma: Groma) -> None:
    said = groma("quick", "--launches", "1")
    path = Path(said.last_line)
    assert (path.name, path.parent.parent) == ("report.html", Path("runs"))
    assert path.parent.name.startswith("quick-")
    assert path.is_file()
    assert "noise" in said.err
    assert said.code == 0
    assert (path.parent / "run.json").is_file()
    path.unlink()
    assert groma("report", str(path.parent)).last_line == str(path)
    assert path.is_file()


def test_quick_that_cannot_start_mpi_leaves_nothing(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "refuse=1")
    said = groma("quick")
    assert said.code == 1
    assert "MPI does not start 2 ranks here" in said.err
    assert list(Path("runs").iterdir()) == []


@pytest.mark.parametrize("kind", ["parquet", "csv", "json"])
def test_export_says_where_the_table_is(groma: Groma, kind: str) -> None:
    assert groma("run", "barrier", "--launches", "1", "-o", "out").code == 0
    said = groma("export", "out", "--to", kind)
    assert said.code == 0
    assert said.last_line == f"out/points.{kind}"
    assert Path(said.last_line).stat().st_size > 0


@pytest.mark.one_case
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("arguments", ["list", "show out", "--help", "check"])
def test_a_full_disk_on_the_standard_output_is_never_success(groma: Groma, arguments: str) -> None:
    assert groma("run", "barrier", "--launches", "1", "-o", "out").code == 0
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", COMMAND, *arguments.split()],
            env=environment, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_closed_pipe_is_not_success_and_not_a_traceback(groma: Groma) -> None:
    del groma
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", COMMAND, "list"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        messages = process.stderr.read()
    assert process.returncode == 1
    assert messages == ""


@pytest.mark.parametrize(("text", "seconds"), [("90", 90), ("90s", 90), ("5m", 300), ("1.5 min", 90), ("2h", 7200)])
def test_durations(text: str, seconds: float) -> None:
    assert read_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "-3", "5x", "m"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(InputError, match="is not a time"):
        read_duration(text)


def test_rank_counts_are_distinct_and_ascending() -> None:
    assert read_rank_counts("4, 2,4") == (2, 4)
    for text in ("0", "2,", "-2", "2:4"):
        with pytest.raises(InputError, match="is not a number of ranks"):
            read_rank_counts(text)
