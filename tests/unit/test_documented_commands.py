"""Every command of the README and of the guide does what the page says of it: a command without a check fails here.

Commands run as they stand there, on the fake engine where a real one would measure for minutes; `runs/...` and `RUN`
are a run of that kind. What needs MPI itself is measured on the embedded library.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import documented
import polars as pl
import pytest
from fakes import MPIEXEC, Groma, Said
from typed_clusters import a_job_is_written, a_template_is_filled, files_are_staged, ranks_go_to_named_hosts
from typed_commands import (
    Place,
    an_engine_is_configured,
    make_target,
    on_the_launchers_library,
    the_engine_alone,
    the_engine_that_is_named,
    the_environment_is_entered,
    the_example_is_built,
    the_variable_is_the_front_ends,
)
from typed_decisions import (
    a_bisection,
    a_history_is_a_page,
    a_history_is_told,
    a_run_to_be_kept,
    baselines_are_listed,
    the_gate_ends_well,
    the_last_stretch_is_kept,
    the_run_is_kept,
    three_runs_are_kept,
    two_runs_are_compared,
    variants_are_compared,
)
from typed_hand_on import a_bundle_is_shown, a_point_becomes_a_program, a_run_is_bundled, outputs_are_imported
from typed_libraries import (
    an_engine_is_added,
    libraries_are_listed,
    three_libraries_take_turns,
    two_builds_take_turns,
)
from typed_verdicts import methods_are_explained, the_steps_here, the_verdict_alone, what_distance_costs, who_is_slow

from groma.analysis import summarise
from groma.results import load_run

RECORDED = Path(__file__).parents[1] / "recorded"


def table_of(said: Said, operation: str) -> list[str]:
    """Return the lines of one operation's table."""
    lines = said.out.splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith(f"{operation}  "))
    return lines[start : start + 22]


def check_machine(place: Place) -> None:
    said = place.type()
    assert said.code == 0
    for finding in ("libraries", "cores", "governor", "clock source", "placement"):
        assert finding in said.out
    assert "This machine can measure" in said.err


def list_everything(place: Place) -> None:
    said = place.type()
    for heading in ("Operations", "Patterns", "Fields", "Profiles"):
        assert f"{heading}\n" in said.out


def two_operations_on_four_ranks(place: Place) -> None:
    said = place.type("--launches", "1")
    _, document = place.document(said)
    assert document["rank_counts"] == [4]
    for operation in ("allreduce", "bcast"):
        sizes = [line.strip().partition("  ")[0] for line in table_of(said, operation)]
        assert {"8 B", "16 B", "1 KiB", "512 KiB", "1 MiB"} <= set(sizes)


def both_timings_within_a_budget(place: Place) -> None:
    _, document = place.document(place.type())
    assert document["budget_s"] == 300
    points = document["plan"]["points"]  # type: ignore[index]
    assert [point["timing"] for point in points] == ["call", "block"]


def the_guides_plan_without_starting_it(place: Place) -> None:
    plan, report, *_ = (text for language, text in documented.other_blocks() if language == "toml")
    Path("plan.toml").write_text(plan + report)
    said = place.type()
    assert said.code == 0
    assert "operation=allreduce bytes=65536 datatype=double sync=dissemination slot_s=0.2" in said.out
    assert f"{MPIEXEC} -n 4" in said.out
    assert not Path("runs").exists()


def variants_differ(place: Place) -> None:
    """The second environment takes another way: several times as slow, measured on the embedded library."""
    place.on_the_embedded_mpi()
    run, _ = place.document(place.type("--launches", "2", "--set", "slot_s=0.05"))
    shortest = {point.variant: float(point.quantiles_ns[0]) for point in summarise(load_run(run))}
    assert shortest["tcp"] > 2 * shortest["shared"], "smallest samples, which a busy machine spares"


def placements_take_turns(place: Place) -> None:
    said = place.type("--launches", "1", "--dry-run")
    assert "variants: by-slot and by-node" in said.out
    commands = [line for line in said.out.splitlines() if f"{MPIEXEC} -n 8" in line]
    assert ["-ppn 1" in line for line in commands] == [False, True]


def placements_are_lists_of_cpus(place: Place) -> None:
    said = place.type("--launches", "1", "--dry-run")
    assert "variants: near and far" in said.out
    for cpus in ("0,1", "0,8"):
        assert f"-bind-to user:{cpus} " in said.out


def resume(place: Place) -> None:
    place.monkeypatch.setenv("FAKE_ENGINE", "die_after=1 in_launch=2")
    assert place.groma("run", "bcast", "--bytes", "8,16", "--launches", "2", "-o", "out").code == 1
    place.monkeypatch.delenv("FAKE_ENGINE")
    _, document = place.document(place.type(run="out"))
    assert document["state"] == "complete"
    assert sorted(path.name for path in Path("out/launches").iterdir()) == ["001", "002"]


def runs_are_listed(place: Place) -> None:
    place.groma("run", "bcast", "--launches", "1", "-o", "runs/older")
    place.groma("run", "barrier", "--launches", "1", "-o", "runs/newer")
    assert {"older", "newer"} <= set(place.type().out.split())


def the_newest_run(place: Place) -> None:
    place.groma("run", "bcast", "--launches", "1", "-o", "runs/one")
    assert place.type().out.startswith("one  ")
    assert "What the figures mean" in place.type("--define").out


def as_osu_prints(place: Place) -> None:
    place.groma("run", "--profile", "osu", "--launches", "1", "-o", "out")
    said = place.type(run="out")
    assert "# Measured by Groma" in said.out
    assert "OSU" in said.out


def sizes_are_added(place: Place) -> None:
    place.monkeypatch.setenv("FAKE_ENGINE", "switch_at=10000")
    _, document = place.document(place.type("--launches", "2"))
    added = document["refinement"]["added"]  # type: ignore[index]
    assert document["refinement"]["method"] == "mpptest"  # type: ignore[index]
    assert added
    assert {one["purpose"] for one in added} == {"refine"}


def switches_are_found(place: Place) -> None:
    place.monkeypatch.setenv("FAKE_ENGINE", "switch_at=10000")
    said = place.type("--launches", "2")
    assert said.code == 0
    assert "eager up to 9999 B" in said.out


def calibrated(place: Place) -> None:
    said = place.type("--launches", "6")
    assert said.code == 0, said.err
    assert "Known slowdowns: " in said.out
    assert re.search(r"Equal points were called different in \d+ of \d+; the known ratio lay", said.out)


def models_are_stated(place: Place) -> None:
    place.groma("run", "pingpong", "--bytes", "8:64K", "--launches", "1", "-o", "out")
    said = place.type(run="out")
    assert "\nModels\n  pingpong: " in said.out


def commtest(place: Place) -> None:
    said = place.type("--launches", "1")
    assert "COMMTEST: eleven protocols for a swap" in said.out
    assert "no recommendation" in said.out, "one launch is not enough, and the profile has more"


def advice_is_priced(place: Place) -> None:
    shutil.copytree(RECORDED / "alcf", "out")
    said = place.type(run="out")
    for word in ("anti-pattern", "instead", "half of world", "ratio"):
        assert word in said.out


def exported(place: Place) -> None:
    place.groma("run", "bcast", "--launches", "2", "-o", "out")
    said = place.type(run="out")
    assert pl.read_parquet(said.last_line).height == 2


def a_campaign_of_half_a_day(place: Place) -> None:
    said = place.type("--dry-run")
    assert said.code == 0
    assert "launches of each: 12" in said.out
    assert "ranks: 17" in said.out
    assert "operation=bcast_segmented" in said.out
    assert "about 5.5 h" in said.out, "eleven half hours between twelve launches"


def another_programs_methods(place: Place) -> None:
    said = place.type("--launches", "1")
    assert said.code == 0
    assert "--style pmb" in said.out


def part_of_a_profile(place: Place) -> None:
    said = place.type("--launches", "1")
    assert said.code == 0
    run = load_run(said.last_line)
    found = {(point.operation, point.bytes, point.ranks) for point in summarise(run)}
    assert found == {("bcast", 8, 4), ("bcast", 65536, 4)}
    assert run.meta.style == "osu"


def every_option_exists(place: Place) -> None:
    known = place.groma("run", "--help").out
    for word in place.command.replace("[", " ").replace("]", " ").split():
        assert not word.startswith("-") or word in known


CHECKS: dict[str, Callable[[Place], None]] = {
    "make quick": make_target,
    "make test": make_target,
    "source .venv/bin/activate": the_environment_is_entered,
    "groma check": check_machine,
    "groma list": list_everything,
    "groma run allreduce bcast -n 4 --bytes 8:1M": two_operations_on_four_ranks,
    "groma run pingpong --set timing=call,block --budget 5m": both_timings_within_a_budget,
    "groma run plan.toml --dry-run": the_guides_plan_without_starting_it,
    "groma run pingpong --variant shared --variant tcp:MPIR_CVAR_NOLOCAL=1,UCX_TLS=tcp": variants_differ,
    "groma run allreduce -n 8 --placement by-slot,by-node": placements_take_turns,
    "groma run --profile alcf -n 8 --placement by-slot,by-node": placements_take_turns,
    "groma run allreduce -n 2 --placement near=0+1,far=0+8": placements_are_lists_of_cpus,
    "groma mpi list": libraries_are_listed,
    "groma mpi add mpicxx.openmpi": an_engine_is_added,
    "groma run --mpi mpich,openmpi,intel allreduce --bytes 8:1M": three_libraries_take_turns,
    "groma run --mpi base=/opt/mpi-a,head=/opt/mpi-b allreduce": two_builds_take_turns,
    "groma run --resume runs/...": resume,
    "groma runs": runs_are_listed,
    "groma show": the_newest_run,
    "groma show runs/... --style osu": as_osu_prints,
    "groma run pingpong --bytes 8:1M --refine mpptest": sizes_are_added,
    "groma run --profile commtest": commtest,
    "groma advice runs/...": advice_is_priced,
    "groma explain --between pmb skampi --operation bcast": methods_are_explained,
    "groma export runs/... --to parquet": exported,
    "groma import imb.txt": outputs_are_imported,
    "groma bundle runs/...": a_run_is_bundled,
    "groma show theirs.groma.zip": a_bundle_is_shown,
    "groma reproduce runs/... pingpong 64K": a_point_becomes_a_program,
    "groma run allreduce --launcher /opt/intel/mpi/bin/mpiexec": on_the_launchers_library,
    "cmake -B build/site -DMPI_CXX_COMPILER=mpicxx && cmake --build build/site": an_engine_is_configured,
    "mpiexec -n 4 build/site/engine/groma-engine allreduce --bytes 8:1M": the_engine_alone,
    "GROMA_ENGINE=build/site/engine/groma-engine groma quick": the_engine_that_is_named,
    "groma run allreduce --hosts node1:4,node2:4": ranks_go_to_named_hosts,
    "groma run allreduce -n 8 --hosts a,b": ranks_go_to_named_hosts,
    "groma run allreduce --hosts a:2,b:6": ranks_go_to_named_hosts,
    "groma run allreduce --hostfile hosts.txt --ppn 4": ranks_go_to_named_hosts,
    "groma run allreduce --hosts a,b --launcher 'mylauncher -n {ranks} --on {hosts} --env={env}'": a_template_is_filled,
    "groma batch --scheduler slurm --nodes 2 --ppn 4 --time 1h --script job.sh plan.toml": a_job_is_written,
    "groma batch --scheduler slurm --nodes 2 --ppn 4 --time 1h --directive --account=abc --script job.sh plan.toml": (
        a_job_is_written
    ),
    "groma stage node1,node2": files_are_staged,
    "groma run OPERATION... [-n RANKS] [--bytes SIZES] [--set FIELD=VALUE] [--launches N] [--budget TIME]": (
        every_option_exists
    ),
    "groma run allreduce bcast --bytes 8,64K --calibrate": calibrated,
    "groma run bcast --profile osu --bytes 8,64K -n 4": part_of_a_profile,
    "groma run --profile bcast_test -n 17 --times 12 --every 30m": a_campaign_of_half_a_day,
    "groma run pingpong bcast --bytes 8:1M --refine mpptest": sizes_are_added,
    "groma run pingpong --bytes 1:1M --find-switches": switches_are_found,
    "groma show --models RUN": models_are_stated,
    "groma run --profile ladder": what_distance_costs,
    "groma run --profile ladder --hosts node1,node2": what_distance_costs,
    "groma list ladder": the_steps_here,
    "groma run --profile pairs -n 16": who_is_slow,
    "groma show RUN --style pairs": the_verdict_alone,
    "groma run --profile pmb": another_programs_methods,
    "groma explain --between mpibench mpptest --operation bcast -n 4 --bytes 1K": methods_are_explained,
    "groma compare runs/before runs/after": two_runs_are_compared,
    "groma compare RUN --between shared tcp": variants_are_compared,
    "groma baseline set spring runs/1 runs/2 runs/3": three_runs_are_kept,
    "groma baseline list": baselines_are_listed,
    "groma gate spring": the_gate_ends_well,
    "groma history": a_history_is_told,
    "groma history runs --report history.html": a_history_is_a_page,
    "groma baseline set month --from-history": the_last_stretch_is_kept,
    "groma run allreduce --bytes 8,64K --launches 6 -o runs/good": a_run_to_be_kept,
    "groma baseline set good runs/good": the_run_is_kept,
    "git bisect start HEAD HEAD~20": a_bisection,
    'git bisect run groma gate good --bisect "cmake --build build/site"': a_bisection,
    "export GROMA_ENGINE=$PWD/build/site/engine/groma-engine": the_variable_is_the_front_ends,
    "cmake --install build/site --prefix ~/groma": the_example_is_built,
    "cmake -S examples/own_operation -B build/own -DCMAKE_PREFIX_PATH=~/groma && cmake --build build/own": (
        the_example_is_built
    ),
    "mpiexec -n 4 build/own/own_operation reduce_bcast allreduce --bytes 8:1M": the_example_is_built,
}
SLOW = {an_engine_is_configured, on_the_launchers_library}


def test_every_command_of_the_pages_has_a_check_and_every_check_a_command() -> None:
    assert set(documented.commands()) == set(CHECKS)


def test_every_other_block_is_known() -> None:
    """A block of commands that starts with a program nobody knows would be taken for what a program prints."""
    kinds = [language or text.split()[0].partition("-")[0] for language, text in documented.other_blocks()]
    assert set(kinds) <= {"toml", "python", "quick", "Slow", "step"}
    assert (kinds.count("quick"), kinds.count("Slow"), kinds.count("step")) == (1, 1, 1)


@pytest.mark.parametrize(
    "command", [pytest.param(text, marks=pytest.mark.slow if check in SLOW else ()) for text, check in CHECKS.items()]
)
def test_what_a_command_is_there_for(command: str, groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    CHECKS[command](Place(command, groma, monkeypatch))


def test_the_python_of_the_pages(groma: Groma, capsys: pytest.CaptureFixture[str]) -> None:
    groma("run", "bcast", "pingpong", "--launches", "2", "-o", "runs/quick-20260102-030405")
    Path("runs/quick-...").symlink_to("quick-20260102-030405")
    found = [text for language, text in documented.other_blocks() if language == "python"]
    for text in found:
        names: dict[str, pl.DataFrame] = {}
        exec(text, names)  # noqa: S102 - the page's own lines
        tables = {name: table for name, table in names.items() if isinstance(table, pl.DataFrame)}
        assert {table.height for table in tables.values()} == {2, 4}, "a row per point, and one per point and launch"
    assert "interval_low" in capsys.readouterr().out


def test_the_toml_of_the_guide(groma: Groma) -> None:
    """Every block is a plan, or a part of one that is complete with an operation."""
    for number, text in enumerate(text for language, text in documented.other_blocks() if language == "toml"):
        own = "" if "[[points]]" in text else "[[points]]\noperation = 'bcast'\n"
        Path(f"plan{number}.toml").write_text(text + own)
        said = groma("run", f"plan{number}.toml", "--dry-run")
        assert said.code == 0, said.err
        assert not own or ("variants: shared and tcp" in said.out) == ("[[variant]]" in text)
    assert len(list(Path().glob("plan*.toml"))) == 3
