"""The rows of the fault table: what is planted into a run, and what is documented of it (docs/faults.md)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

WHO = {
    "rank 0": "rank 0",
    "rank 1": "rank 1",
    "proxy": "Hydra's proxy",
    "launcher": "the launcher (mpiexec)",
    "front end": "`groma run`",
    "all": "the launcher, its ranks and `groma run`",
}
WHEN = {
    "start": "before the second launch has a record",
    "middle": "in the middle of the second launch",
    "end": "when the second launch has all its points",
}


# By which schedulers announce the end of a job, and a terminal its own.
ANNOUNCING = ("USR1", "USR2", "XCPU", "HUP")


@dataclass(frozen=True)
class Struck:
    """A process of the run gets a signal; `code` is the exit code of `groma run`, negative for a signal of its own."""

    who: str
    signal: str
    when: str
    code: int
    says: str

    @property
    def name(self) -> str:
        """The row in the words of a test."""
        return f"{self.who}-{self.signal}-{self.when}".replace(" ", "-")


@dataclass(frozen=True)
class Disk:
    """A call of one program fails on a file of the run directory, at its n-th time.

    `groma run` also writes files that are made again from the records if they are missing (`derived`). They are counted
    apart from the others.
    """

    program: str
    call: str
    at: int
    how: str
    code: int
    says: str
    derived: bool = False

    @property
    def files(self) -> str:
        """What the names of the files contain, or after `!` do not."""
        return "points." if self.derived else "!points." if self.program == "python" else ""

    @property
    def name(self) -> str:
        """The row in the words of a test."""
        return f"{self.program}-{self.call}-{self.how}-{self.at}{'-derived' * self.derived}"


Row = Struck | Disk


def _struck() -> list[Row]:
    rows: list[Row] = []
    for when in WHEN:
        launch = "launch [23]" if when == "end" else "launch 2"  # after the end record, the next one may have begun
        rows += [
            Struck(who, "KILL", when, 1, f"{launch.capitalize()} ended")
            for who in ("rank 0", "rank 1", "proxy", "launcher")
        ]
        rows += [Struck("front end", "KILL", when, -9, "")]
        rows += [
            Struck("front end", signal, when, 1, f"SIG{signal} interrupted {launch}") for signal in ("INT", "TERM")
        ]
        rows += [Struck("all", "TERM", when, 1, f"SIGTERM interrupted {launch}")]
    announced = [Struck("front end", signal, "middle", 1, f"SIG{signal} interrupted launch 2") for signal in ANNOUNCING]
    stopped = [Struck(who, "STOP", "middle", 1, "Launch 2 ended") for who in ("rank 0", "rank 1", "proxy", "launcher")]
    return [
        *rows,
        *announced,
        Struck("all", "KILL", "middle", -9, ""),
        *stopped,
        Struck("rank 1", "STOP", "start", 1, "Launch 2 ended"),
        Struck("front end", "STOP", "middle", 0, ""),
    ]


def _disk() -> list[Row]:
    rows: list[Row] = []
    for at in (1, 2, 3, 5):
        rows.append(Disk("groma-engine", "write", at, "full", 1, "No space left on device"))
        rows.append(Disk("groma-engine", "write", at, "broken", 1, "Input/output error"))
        rows.append(Disk("groma-engine", "write", at, "short", 0, ""))
    rows.append(Disk("python", "write", 1, "broken", 2, "Input/output error.*choose another with -o"))
    rows.append(Disk("python", "mkdir", 1, "full", 2, "No space left on device.*choose another with -o"))
    for call, at in (("write", 2), ("write", 3), ("rename", 1), ("rename", 2), ("fsync", 1)):
        rows.append(Disk("python", call, at, "broken", 1, "Input/output error.*and measure again"))
    for call, numbers in {"write": (4, 6, 8, 12), "rename": (3, 5, 7, 12), "fsync": (2, 3, 5), "mkdir": (3, 5)}.items():
        rows += [Disk("python", call, at, "broken", 1, "Input/output error") for at in numbers]
    for call, at in (("write", 4), ("rename", 4), ("fsync", 3), ("mkdir", 6)):
        rows.append(Disk("python", call, at, "full", 1, "free some space"))
    rows.append(Disk("python", "write", 4, "short", 0, ""))
    rows += [Disk("python", call, 2, how, 0, "", True) for call, how in (("write", "full"), ("rename", "broken"))]
    return rows


ROWS: list[Row] = [*_struck(), *_disk()]

ELSEWHERE = {
    "a host's network is lost in the middle of a launch": (
        1,
        "engine/test_nothing_lost",
        "a_host_whose_network_is_lost",
    ),
    "the library delivers one wrong byte": (1, "engine/test_faults", "one_wrong_byte_is_caught"),
    "a rank hangs inside a call": (1, "engine/test_faults", "a_rank_that_hangs_is_named"),
    "a rank on another host hangs": (1, "engine/test_hosts", "a_rank_that_hangs_on_another_host_is_named"),
    "ranks sleep inside a call": (
        1,
        "engine/test_faults",
        "ranks_that_sleep_are_told_from_those_that_wait_for_them",
    ),
    "MPI does not start": (1, "engine/test_faults", "a_start_that_hangs_is_ended"),
    "the launcher does not end, or ranks are gone": (
        1,
        "unit/test_run_records",
        "patience_ends_with_ranks_that_are_gone",
    ),
    "a file of records is cut at any byte": (
        1,
        "property/test_killed_runs",
        "a_record_file_cut_anywhere_keeps_its_whole_records",
    ),
    "any value in any document is damaged": (
        2,
        "property/test_damaged_runs",
        "any_value_in_any_place_is_read_or_refused_by_name",
    ),
    "the file with the times of ranks is gone, short or a folder": (
        1,
        "unit/test_rank_file",
        "times_that_are_not_in_the_file_are_missed",
    ),
    "that file cannot be written": (1, "engine/test_rank_file", "a_file_that_cannot_be_written_ends_every_rank"),
    "two resumes at once": (2, "unit/test_other_groma", "of_two_resumes_at_once_one_measures"),
    "the engine or the library is replaced before a resume": (
        2,
        "engine/test_nothing_lost",
        "an_engine_or_a_library_that_was_replaced",
    ),
    "the engine is rebuilt between two launches": (
        1,
        "unit/test_other_builds",
        "an_engine_that_is_rebuilt_during_a_run_measures_no_further_launch",
    ),
    "builds are mixed by request (--any-build)": (
        0,
        "unit/test_other_builds",
        "builds_that_are_mixed_by_request_are_said_by_the_checks",
    ),
    "any file of a run is empty, cut, flipped, binary, another's or gone": (
        1,
        "unit/test_damaged_files",
        "a_damaged_file_is_read_or_refused_by_name",
    ),
    "any such file but run.json, before a resume": (
        0,
        "unit/test_damaged_files",
        "a_resume_of_a_damaged_run_loses_no_other_launch",
    ),
    "a second resume while the run is measured": (
        2,
        "unit/test_run_interrupted",
        "a_kill_of_the_front_end_leaves_no_orphans_and_is_recognised",
    ),
    "another engine or launcher at a resume": (2, "unit/test_run_campaign", "a_run_does_not_mix_engines"),
    "another version of the library in later launches": (
        1,
        "unit/test_other_builds",
        "another_version_of_the_library_ends_the_run_and_its_launch_is_set_aside",
    ),
    "the directory cannot be written": (2, "unit/test_run_directory", "a_place_that_cannot_be_written_is_refused"),
    "the launch's plan is lost": (0, "unit/test_run_campaign", "a_launch_whose_plan_is_lost_teaches_a_resume_nothing"),
}
_HEAD = """# Nothing is lost

What ends or disturbs a run, and what is left of it. Each case is a test with a real engine:
`tests/engine/test_nothing_lost.py` plants it into a run of three launches of three points on two ranks. After every
case

* each record that was written before is still there, in `launches/` or `superseded/`;
* one sentence, without a traceback, says what happened;
* `groma run --resume` completes the run; the same command begins again a run that had not begun. Later launches skip a
  point whose ranks did not answer within `limit_s`, and a note says so.

The page is made from the rows of `tests/faults.py`. A negative exit code is that of a signal; N is the launch.

| what happens | exit code | the message has |
|---|--:|---|
"""
_MIDDLE = """
## Tested elsewhere

| what happens | exit code | test |
|---|--:|---|
"""

_Cells = tuple[tuple[str, ...], ...]


def _folded(rows: Iterable[_Cells], axis: int) -> list[_Cells]:
    """Return rows that differ in one cell only as one row, whose cell has the words of all."""
    found: dict[_Cells, list[str]] = {}
    for row in rows:
        words = found.setdefault(row[:axis] + row[axis + 1 :], [])
        words += [word for word in row[axis] if word not in words]
    return [(*rest[:axis], tuple(words), *rest[axis:]) for rest, words in found.items()]


def _listed(words: Iterable[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def _message(row: Row) -> str:
    """Return the text that a message has, without the number of the launch and the name of the signal."""
    plain = re.sub(r"launch (\[23\]|2)", "launch N", row.says, flags=re.IGNORECASE)
    return (
        re.sub(r"SIG[A-Z0-9]+", "the signal", plain).replace(".*", " ... ").replace("launch N ended", "Launch N ended")
    )


def _signals() -> Iterator[str]:
    rows: list[_Cells] = [
        ((row.who,), (f"SIG{row.signal}",), (row.when,), (str(row.code),), (_message(row),))
        for row in ROWS
        if isinstance(row, Struck)
    ]
    for axis in (0, 2, 1):
        rows = _folded(rows, axis)
    for who, signals, when, code, says in rows:
        until = ", and SIGCONT when the launch is over" if (who, signals) == (("front end",), ("SIGSTOP",)) else ""
        times = _listed(WHEN[one] for one in when) if len(when) < len(WHEN) else "at any time of the second launch"
        yield f"| {_listed(WHO[one] for one in who)} gets {_listed(signals)} {times}{until} | {code[0]} | {says[0]} |"


def _full_disks() -> Iterator[str]:
    rows: list[_Cells] = [
        ((_owner(row),), (row.call,), (str(row.at),), (row.how,), (str(row.code),), (_message(row),))
        for row in ROWS
        if isinstance(row, Disk)
    ]
    endings = {
        "full": "finds a full disk",
        "broken": "ends with an I/O error",
        "short": "writes half of its bytes",
    }
    for owner, call, at, how, code, says in _folded(rows, 2):
        yield f"| {call[0]} number {_listed(at)} of {owner[0]} {endings[how[0]]} | {code[0]} | {says[0]} |"


def _owner(row: Disk) -> str:
    who = "`groma run`" if row.program == "python" else "the engine"
    return who + " on a file that is made again from the records" * row.derived


def page() -> str:
    """Return the text of docs/faults.md."""
    others = [f"| {what} | {code} | `tests/{file}.py::test_{test}` |" for what, (code, file, test) in ELSEWHERE.items()]
    return _HEAD + "\n".join([*_signals(), *_full_disks()]) + "\n" + _MIDDLE + "\n".join(others) + "\n"
