"""Every command of the pages does what the page says of it: a command without a check fails here.

Commands run as they stand there, on the fake engine where a real one would measure for minutes; `runs/...` and `RUN`
are a run of that kind. What needs MPI itself is measured on the embedded library.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import documented
import polars as pl
import pytest
from fakes import Groma
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
    a_first_file_of_limits,
    a_history_is_a_page,
    a_history_is_told,
    baselines_are_listed,
    limits_are_checked,
    limits_are_kept,
    operations_are_compared,
    the_gate_ends_well,
    the_gate_in_turns_ends_well,
    the_gate_of_a_run_ends_well,
    the_last_stretch_is_kept,
    three_runs_are_kept,
    two_runs_are_compared,
    variants_are_compared,
)
from typed_hand_on import (
    a_bundle_is_shown,
    a_point_becomes_a_program,
    a_run_is_bundled,
    a_stand_in_is_started,
    outputs_are_imported,
    stand_ins_are_written,
)
from typed_libraries import (
    an_engine_is_added,
    libraries_are_listed,
    the_fastest_library_is_named,
    three_libraries_take_turns,
    two_builds_take_turns,
)
from typed_measuring import (
    a_campaign_of_half_a_day,
    advice_is_priced,
    another_programs_methods,
    as_osu_prints,
    both_timings_within_a_budget,
    calibrated,
    check_machine,
    commtest,
    every_halo_exchange,
    every_option_exists,
    exported,
    list_everything,
    models_are_stated,
    part_of_a_profile,
    placements_are_lists_of_cpus,
    placements_take_turns,
    resume,
    runs_are_drawn,
    runs_are_listed,
    sizes_are_added,
    switches_are_found,
    the_guides_plan_without_starting_it,
    the_health_check,
    the_newest_run_of_a_name,
    two_operations_on_four_ranks,
    variants_differ,
)
from typed_programs import (
    a_profile_is_planned,
    a_seed_is_a_list,
    an_old_program_reports,
    both_send_first,
    campaigns_as_csv,
    campaigns_side_by_side,
    coverage_is_listed,
    files_of_another_program_are_launches,
    lbw_over_pvm,
    ours_is_compared_with_theirs,
    published_tables_are_listed,
    questions_of_two_programs,
    runs_are_explained_without_measuring,
    segments_are_csv,
    styles_are_listed,
    the_ladder_alone,
    the_nas_study,
    the_same_is_measured,
)
from typed_verdicts import (
    its_ten_lines,
    methods_are_explained,
    programs_are_one_page,
    programs_take_turns,
    the_list_alone,
    the_network_in_ten_figures,
    the_steps_here,
    the_verdict_alone,
    what_distance_costs,
    who_is_slow,
)

CHECKS: dict[str, Callable[[Place], None]] = {
    "groma limits from runs/1 runs/2 runs/3 --margin 10%": a_first_file_of_limits,
    "groma limits check limits.toml": limits_are_checked,
    "groma gate --limits limits.toml": limits_are_kept,
    "groma gate --limits limits.toml RUN --format junit": limits_are_kept,
    "groma quick --limits limits.toml": limits_are_kept,
    "groma run --profile acceptance": a_profile_is_planned,
    "groma run --profile rma": a_profile_is_planned,
    "groma run --profile threads": a_profile_is_planned,
    "groma show RUN --style acceptance": the_list_alone,
    "make quick": make_target,
    "make test": make_target,
    "source .venv/bin/activate": the_environment_is_entered,
    "groma check": check_machine,
    "groma quick": the_health_check,
    "groma list": list_everything,
    "groma run allreduce bcast -n 4": two_operations_on_four_ranks,
    "groma run 'halo/*' --bytes 64K": every_halo_exchange,
    "groma run pingpong --set timing=call,block --budget 5m": both_timings_within_a_budget,
    "groma run plan.toml --dry-run": the_guides_plan_without_starting_it,
    "groma run pingpong --variant shared --variant tcp:MPIR_CVAR_NOLOCAL=1,UCX_TLS=tcp": variants_differ,
    "groma run allreduce -n 8 --placement by-slot,by-node": placements_take_turns,
    "groma run --profile alcf -n 8 --placement by-slot,by-node": placements_take_turns,
    "groma run allreduce -n 2 --placement near=0+1,far=0+8": placements_are_lists_of_cpus,
    "groma mpi list": libraries_are_listed,
    "groma mpi add mpicxx.openmpi": an_engine_is_added,
    "groma run --mpi mpich,openmpi,intel allreduce --bytes 8:1M": three_libraries_take_turns,
    "groma run allreduce --mpi mpich,intel,openmpi --bytes 8,64K --launches 20": the_fastest_library_is_named,
    "groma run --mpi base=/opt/mpi-a,head=/opt/mpi-b allreduce": two_builds_take_turns,
    "groma runs": runs_are_listed,
    "groma show quick": the_newest_run_of_a_name,
    "groma run --profile commtest": commtest,
    "groma explain --between pmb skampi --operation bcast": methods_are_explained,
    "groma plot runs/a runs/b -o fig.pdf": runs_are_drawn,
    "groma export runs/... --to csv": exported,
    "groma import imb.txt": outputs_are_imported,
    "groma bundle runs/...": a_run_is_bundled,
    "groma stand-ins ~/groma-osu": stand_ins_are_written,
    "mpiexec -n 2 ~/groma-osu/osu_latency -m 8 -x 10 -i 1000 -c D D": a_stand_in_is_started,
    "groma show theirs.groma.zip": a_bundle_is_shown,
    "groma reproduce runs/... pingpong 64K": a_point_becomes_a_program,
    "groma run allreduce --launcher /opt/intel/mpi/bin/mpiexec": on_the_launchers_library,
    "cmake -B build/site -DMPI_CXX_COMPILER=mpicxx && cmake --build build/site": an_engine_is_configured,
    "mpiexec -n 4 build/site/engine/groma-engine allreduce --bytes 8:1M": the_engine_alone,
    "GROMA_ENGINE=build/site/engine/groma-engine groma quick": the_engine_that_is_named,
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
    "groma run --profile hpcc -n 16": the_network_in_ten_figures,
    "groma show RUN --style hpcc": its_ten_lines,
    "groma run --profile pmb": another_programs_methods,
    "groma run bcast alltoall --profile mpptest,mpbench,pmb --bytes 64:64K:*32 -n 2,4 --explain": programs_take_turns,
    "groma run bcast --profile mpptest,mpbench,pmb": a_profile_is_planned,
    "groma report RUN_A RUN_B": programs_are_one_page,
    "groma explain --between mpibench mpptest --operation bcast -n 4 --bytes 1K": methods_are_explained,
    "groma compare before after": two_runs_are_compared,
    "groma compare RUN --between shared tcp": variants_are_compared,
    "groma compare RUN --between halo/sendrecv halo/all_at_once": operations_are_compared,
    "groma baseline set spring runs/1 runs/2 runs/3": three_runs_are_kept,
    "groma baseline list": baselines_are_listed,
    "groma gate spring": the_gate_ends_well,
    "groma gate spring --over 20m": the_gate_ends_well,
    "groma gate spring --visit gates": the_gate_ends_well,
    "groma history": a_history_is_told,
    "groma history runs --report history.html": a_history_is_a_page,
    "groma baseline set month --from-history": the_last_stretch_is_kept,
    "groma gate allreduce --bytes 8,64K --mpi base=/opt/good,head=/opt/new": the_gate_in_turns_ends_well,
    "groma gate RUN --between shared tcp": the_gate_of_a_run_ends_well,
    "git bisect start HEAD HEAD~20": a_bisection,
    'git bisect run groma gate allreduce --bytes 8,64K --mpi base=/opt/good,head=/opt/new --bisect "make install"': (
        a_bisection
    ),
    "export GROMA_ENGINE=$PWD/build/site/engine/groma-engine": the_variable_is_the_front_ends,
    "cmake --install build/site --prefix ~/groma": the_example_is_built,
    "cmake -S examples/own_operation -B build/own -DCMAKE_PREFIX_PATH=~/groma && cmake --build build/own": (
        the_example_is_built
    ),
    "mpiexec -n 4 build/own/own_operation reduce_bcast allreduce --bytes 8:1M": the_example_is_built,
    "GROMA_ENGINE=./own_operation groma run reduce_bcast allreduce": the_example_is_built,
    "mpiexec -n 2 lbw -n 20000 -L": an_old_program_reports,
    "mpiexec -n 2 lbw -n 200": an_old_program_reports,
    "mpiexec -n 4 ata": an_old_program_reports,
    "mpiexec -n 4 sts -n 200 -m 6 -S": an_old_program_reports,
    "mpiexec -n 4 mpi_bcast_test": segments_are_csv,
    "mpiexec -n 4 sts -m 6 -S -r 7 --min-seconds 0.2 -a": a_seed_is_a_list,
    "lbw -s async": both_send_first,
    "lbw-pvm -n 200": lbw_over_pvm,
    "groma run --profile nas": the_nas_study,
    "groma run --profile nas --report": the_nas_study,
    "make nas": make_target,
    "groma run --profile bcast_test --times 12 --every 30m": a_campaign_of_half_a_day,
    "groma show RUN --style bcast_test": campaigns_as_csv,
    "groma show MONDAY --style bcast_test": campaigns_as_csv,
    "groma report MONDAY SUNDAY": campaigns_side_by_side,
    "groma run --profile pairs": a_profile_is_planned,
    "groma run --profile hpcc": a_profile_is_planned,
    "groma run --profile congestion": a_profile_is_planned,
    "groma run --profile alcf": a_profile_is_planned,
    "groma run --profile osu": a_profile_is_planned,
    "groma run osu_allreduce_persistent": a_profile_is_planned,
    "groma run Ibcast_pure": a_profile_is_planned,
    "groma run SKaMPI:Bcast": a_profile_is_planned,
    "groma list coverage": coverage_is_listed,
    "groma advice RUN": advice_is_priced,
    "groma explain --between A B --operation bcast": questions_of_two_programs,
    "groma explain RUN_A RUN_B --operation bcast": runs_are_explained_without_measuring,
    "groma run --resume RUN": resume,
    "groma show RUN --style ladder": the_ladder_alone,
    "groma show RUN --style osu": as_osu_prints,
    "groma list styles": styles_are_listed,
    "groma list reference": published_tables_are_listed,
    'groma import osu-*.txt -n 2 --library "Open MPI 4.1.4" -o runs/theirs': files_of_another_program_are_launches,
    "groma run osu_allreduce -o runs/ours": the_same_is_measured,
    "groma compare ours theirs": ours_is_compared_with_theirs,
}
SLOW = {
    *(an_engine_is_configured, on_the_launchers_library, the_engine_alone),
    *(an_old_program_reports, a_seed_is_a_list, segments_are_csv, both_send_first, lbw_over_pvm),
}


def test_every_command_of_the_pages_has_a_check_and_every_check_a_command() -> None:
    assert set(documented.commands()) == set(CHECKS)


def test_every_other_block_is_known() -> None:
    """A block of commands that starts with a program nobody knows would be taken for what a program prints."""
    kinds = [language or text.split()[0].partition("-")[0] for language, text in documented.other_blocks()]
    assert set(kinds) <= {"toml", "python", "Slow", "Messages", "echo", "quick", "At"}
    assert kinds.count("echo") == 1, "the recipe that tests/programs/test_lbw_pvm.py runs as it stands there"
    assert kinds.count("Slow") == 1


@pytest.mark.parametrize(
    "command", [pytest.param(text, marks=pytest.mark.slow if check in SLOW else ()) for text, check in CHECKS.items()]
)
def test_what_a_command_is_there_for(command: str, groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    CHECKS[command](Place(command, groma, monkeypatch))


def test_the_python_of_the_pages(groma: Groma, capsys: pytest.CaptureFixture[str]) -> None:
    groma("run", "bcast", "pingpong", "--bytes", "8", "--launches", "2", "-o", "runs/quick-20260102-030405")
    Path("runs/quick-...").symlink_to("quick-20260102-030405")
    found = [text for language, text in documented.other_blocks() if language == "python"]
    for text in found:
        names: dict[str, pl.DataFrame] = {}
        exec(text, names)  # noqa: S102 - the page's own lines
        tables = {name: table for name, table in names.items() if isinstance(table, pl.DataFrame)}
        assert {table.height for table in tables.values()} == {2, 4}, "a row per point, and one per point and launch"
    assert "interval_low" in capsys.readouterr().out


def test_the_toml_of_the_guide(groma: Groma) -> None:
    """Every block is a plan, a part of one that is complete with an operation, or a file of limits."""
    blocks = [text for language, text in documented.other_blocks() if language == "toml"]
    limits = [text for text in blocks if "[[limit]]" in text]
    for text in limits:
        Path("limits.toml").write_text(text)
        assert groma("limits", "check", "limits.toml").out == "limits.toml: 2 limits (cluster: 1, cluster:gpu: 1).\n"
    for number, text in enumerate(text for text in blocks if text not in limits):
        own = "" if "[[points]]" in text else "[[points]]\noperation = 'bcast'\n"
        Path(f"plan{number}.toml").write_text(text + own)
        said = groma("run", f"plan{number}.toml", "--dry-run")
        assert said.code == 0, said.err
        assert not own or ("variants: shared and tcp" in said.out) == ("[[variant]]" in text)
    assert (len(list(Path().glob("plan*.toml"))), len(limits)) == (3, 1)
