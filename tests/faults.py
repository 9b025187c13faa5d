"""The rows of the fault table: what is planted into a run, and what is documented of it (docs/faults.md)."""

from __future__ import annotations

from dataclasses import dataclass

WHO = {
    "rank 0": "rank 0",
    "rank 1": "rank 1",
    "proxy": "the launcher's process on the host (Hydra's proxy)",
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

    @property
    def words(self) -> str:
        """The row in the words of the page."""
        until = ", and SIGCONT when the launch is over" if (self.who, self.signal) == ("front end", "STOP") else ""
        return f"{WHO[self.who]} gets SIG{self.signal} {WHEN[self.when]}{until}"


@dataclass(frozen=True)
class Disk:
    """A call of one program fails on a file of the run directory, at its n-th time."""

    program: str
    call: str
    at: int
    how: str
    code: int
    says: str

    @property
    def name(self) -> str:
        """The row in the words of a test."""
        return f"{self.program}-{self.call}-{self.how}-{self.at}"

    @property
    def words(self) -> str:
        """The row in the words of the page."""
        whose = "`groma run`" if self.program == "python" else "the engine"
        how = {
            "full": f"the disk is full from {whose}'s {_ordinal(self.at)} {self.call} on",
            "broken": f"{whose}'s {_ordinal(self.at)} {self.call} ends with an I/O error",
            "short": f"{whose}'s {_ordinal(self.at)} {self.call} writes half of its bytes",
        }
        return how[self.how]


Row = Struck | Disk


def _ordinal(number: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(number, f"{number}th")


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
        Struck("front end", "KILL", "end", -9, ""),
        Struck("front end", "TERM", "end", 1, "SIGTERM interrupted launch [23]"),
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
    for call, numbers in {"write": (4, 6, 8, 13), "rename": (3, 5, 7, 12), "fsync": (2, 3, 5), "mkdir": (3, 5)}.items():
        rows += [Disk("python", call, at, "broken", 1, "Input/output error") for at in numbers]
    for call, at in (("write", 4), ("rename", 4), ("fsync", 3), ("mkdir", 6)):
        rows.append(Disk("python", call, at, "full", 1, "free some space"))
    rows.append(Disk("python", "write", 4, "short", 0, ""))
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

What ends or disturbs a run, and what is there then. Each row is a test with a real engine:
`tests/engine/test_nothing_lost.py` plants it into a run of three launches of three points on two ranks, with the MPI
of this package. After every row

* each record that was written before is still there, in `launches/` or `superseded/`;
* one sentence, without a traceback, says what happened;
* `groma run --resume` completes the run, and `groma show` finds nothing missing; a run that was not begun is made
  by the same command again. A point whose ranks did not answer within `limit_s` is skipped by later launches; a note
  says so.

The page is made from the rows of `tests/faults.py`. A negative exit code is that of a signal.

| what happens | exit code | the sentence has |
|---|--:|---|
"""
_MIDDLE = """
## Tested elsewhere

| what happens | exit code | test |
|---|--:|---|
"""


def page() -> str:
    """Return the text of docs/faults.md."""
    planted = [f"| {row.words} | {row.code} | {row.says} |" for row in ROWS]
    others = [f"| {what} | {code} | `tests/{file}.py::test_{test}` |" for what, (code, file, test) in ELSEWHERE.items()]
    return _HEAD + "\n".join(planted) + "\n" + _MIDDLE + "\n".join(others) + "\n"
