"""Checks of the commands about programs: the old ones with their own names, profiles, styles, and their studies."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import beds
import documented
from programs.printed import PVM_VARIABLES, figures, program, report
from typed_commands import Place

from groma.catalog.references import tables
from groma.catalog.registry import styles
from groma.results import load_run

RECORDED = Path(__file__).parent / "recorded"
# What the comments of docs/programs.md promise, by the labels of the reports.
_PROMISED: dict[str, dict[str, int]] = {
    "mpiexec -n 2 lbw -n 20000 -L": {"Message size": 40, "Number of passes": 20000},
    "mpiexec -n 2 lbw -n 200": {"Message size": 1_000_000, "Number of passes": 200},
    "mpiexec -n 4 ata": {"Buffer size/destination": 100_000, "Number of processes": 4},
    "mpiexec -n 4 sts -n 200 -m 6 -S": {"Number of messages/process": 6, "Number of passes": 200},
}


def _reported(place: Place) -> str:
    """Run one of the old programs, as typed, on the library of this virtual environment."""
    beds.need("embedded")
    launcher, option, ranks, name, *arguments = place.command.split()
    assert (launcher, option) == ("mpiexec", "-n")
    return report(beds.libraries()["embedded"], int(ranks), name, *arguments)


def an_old_program_reports(place: Place) -> None:
    """Sizes and numbers are those of the comment beside the command."""
    found = figures(_reported(place))
    promised = _PROMISED[place.command]
    assert {label: found[label].value for label in promised} == promised
    assert ("Latency" in found) == ("-L" in place.command)


def segments_are_csv(place: Place) -> None:
    heading, *rows = _reported(place).splitlines()
    assert heading.startswith("Wtime,\tnt,\tnbt,\tTmax,\tTmin,")
    assert [int(row.split(",")[1]) for row in rows] == [1, 4, 16, 64, 256, 1024, 4096]


def a_seed_is_a_list(place: Place) -> None:
    """Everything in the page's report that is no time, no number of passes and no host is what the command prints."""
    (shown,) = (text for _, text in documented.blocks("docs/programs.md") if "SomeToSome" in text)
    printed = _reported(place).splitlines()
    frozen = ("sent from", "version", "Style", "Number of proc", "Number of mess", "Avg. ", "Total bytes/process")
    expected = [line for line in shown.splitlines() if any(word in line for word in frozen)]
    assert [line for line in printed if any(word in line for word in frozen)] == expected
    assert sum(line.startswith(" Process ") for line in printed) == 4


def both_send_first(place: Place) -> None:
    beds.need("embedded")
    name, *arguments = place.command.split()
    printed = report(beds.libraries()["embedded"], 2, name, *arguments, "-n", "20")
    assert re.search(r"^ Message Passing Style: +Asynchronous$", printed, re.MULTILINE), printed


def lbw_over_pvm(place: Place) -> None:
    place.monkeypatch.delenv("GROMA_ENGINE")
    beds.need("pvm")
    name, _, arguments = place.command.partition(" ")
    lbw = program(beds.libraries()["embedded"], name)
    script = f"echo quit | pvm > /dev/null; {lbw} {arguments}; code=$?; echo halt | pvm > /dev/null; exit $code"
    places = dict.fromkeys(("PVM_TMP", "HOME"), str(Path.cwd()))
    result = beds.run(["sh", "-c", script], environment=os.environ | PVM_VARIABLES | places)
    assert result.exit_code == 0, result
    assert figures(result.output)["Number of passes"].value == 200


def a_profile_is_planned(place: Place) -> None:
    said = place.type("--launches", "1", "--dry-run")
    assert said.code == 0, said.err
    measured = {
        "acceptance": "pingpong",
        "pairs": "pingpong",
        "hpcc": "pingpong",
        "congestion": "sendrecv",
        "alcf": "targets",
        "rma": "put/flush",
        "threads": "threads/allreduce",
        "osu": "message_rate",
        "osu_allreduce_persistent": "allreduce_init",
        "Ibcast_pure": "ibcast",
        "SKaMPI:Bcast": "bcast",
    }
    assert f"operation={measured.get(place.command.split()[-1], 'bcast')} " in said.out


def the_nas_study(place: Place) -> None:
    run, document = place.document(place.type("--launches", "1"))
    assert document["profile"] == "nas"
    assert (run / "report.html").is_file() == ("--report" in place.command)


def questions_of_two_programs(place: Place) -> None:
    said = place.type("--launches", "6", A="mpbench", B="pmb")
    assert said.code == 0, said.err
    assert re.search(r"pmb reports \S+ the time of mpbench for bcast", " ".join(said.out.split())), said.out


def runs_are_explained_without_measuring(place: Place) -> None:
    for name, sync, cache in (("RUN_A", "barrier", "warm"), ("RUN_B", "none", "sweep")):
        settings = ("--set", f"sync={sync}", "--set", f"cache={cache}", "--set", "warmups=3", "--launches", "6")
        assert place.groma("run", "bcast", "--bytes", "1K", *settings, "-o", name).code == 0
    said = place.type()
    assert said.code == 1
    assert said.last_line.startswith("groma run bcast "), "the command for the combinations that no run has"
    assert not Path("runs").exists()


def the_ladder_alone(place: Place) -> None:
    shutil.copytree(RECORDED / "ladder", "out")
    assert "same last-level cache" in place.type(run="out").out


def campaigns_as_csv(place: Place) -> None:
    for name in ("MONDAY", "RUN"):
        shutil.copytree(RECORDED / "bcast_test", name)
    said = place.type(run="RUN")
    assert said.code == 0, said.err
    assert said.out.startswith("Wtime,\tnt,\tnbt,\tTmax,\tTmin,")


def campaigns_side_by_side(place: Place) -> None:
    for name in ("MONDAY", "SUNDAY"):
        shutil.copytree(RECORDED / "bcast_test", name)
    said = place.type()
    assert said.code == 0, said.err
    page = Path(said.last_line).read_text()
    assert "MONDAY" in page
    assert "SUNDAY" in page


def styles_are_listed(place: Place) -> None:
    said = place.type()
    assert {line.split()[0] for line in said.out.splitlines() if line.strip()} >= set(styles())


def coverage_is_listed(place: Place) -> None:
    said = place.type()
    assert "MPI's communication calls: " in said.out
    assert "OSU Micro-Benchmarks: " in said.out


def published_tables_are_listed(place: Place) -> None:
    assert {table.name for table in tables()} <= set(place.type().out.split())


def files_of_another_program_are_launches(place: Place) -> None:
    for number in (1, 2):
        shutil.copyfile(RECORDED / "printed" / "osu-allreduce.txt", f"osu-{number}.txt")
        Path(f"osu-{number}.txt").write_text(Path(f"osu-{number}.txt").read_text().replace("0.29", f"0.2{number}"))
    run, _ = place.document(place.type())
    assert run == Path("runs/theirs")
    assert len(load_run(run).launches) == 2


def the_same_is_measured(place: Place) -> None:
    run, document = place.document(place.type("--launches", "1"))
    assert (run, document["style"]) == (Path("runs/ours"), "osu")


def ours_is_compared_with_theirs(place: Place) -> None:
    for number in range(1, 7):
        printed = (RECORDED / "printed" / "osu-allreduce.txt").read_text()
        Path(f"osu-{number}.txt").write_text(printed.replace("0.29", f"0.2{number}"))
    files = [f"osu-{number}.txt" for number in range(1, 7)]
    assert place.groma("import", *files, "-n", "2", "-o", "runs/theirs").code == 0
    measured = ("--profile", "osu", "allreduce", "-n", "2", "--bytes", "4:64", "--launches", "6", "-o", "runs/ours")
    assert place.groma("run", *measured).code == 0
    said = place.type()
    assert said.code in (0, 1), said.err
    assert "theirs against ours" in said.out
