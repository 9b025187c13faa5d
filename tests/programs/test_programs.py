"""The lines of the original programs; figures that agree with each other and with the records written."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import beds
import documented
import pytest
from printed_numbers import exactly
from programs.printed import figures, program, report, start

from groma.programs.bcast_test.style import lines
from groma.results.records import End, Point, Start, decode_record

pytestmark = pytest.mark.mpi

NUMBER = r" *[0-9]+"
FIXED = r" *[0-9]+\.[0-9]{3}"
STS = f"""\
 Messages are sent from:                (one buffer|places of their own)
 -- \\*{{6}} SomeToSome MPI Benchmark, version 1\\.0b \\*{{6}} --
 Message Passing Style:                 (Single|Double) Sided
 Global Statistics:
 Number of processes:{NUMBER}
 Number of messages/process:{NUMBER}
 Number of passes:{NUMBER}
 Avg\\. buffer size/process:{NUMBER} bytes
 Avg\\. message size/ process:{NUMBER} bytes
 Total bytes transferred:{FIXED} 10e\\+06 bytes
 Total time:{FIXED} s
 Bandwidth total:{FIXED} 10e\\+06 bytes/s
 Per pass statistics:
 Total bytes/process{FIXED} 10e\\+06 bytes
 Total time:{FIXED} ms
 Bandwidth/process:{FIXED} 10e\\+06 bytes/s/process
"""
LBW = f"""\
 -- \\*{{6}} LBW MPI Benchmark, Groma \\S+ \\*{{6}} --
 Message Passing Style: +(Synchronous|Asynchronous)
 Number of processes: +2
 Number of passes:{NUMBER}
 Message size:{NUMBER} bytes
 Total bytes transferred:{FIXED} 10e\\+06 bytes
 Total time:{FIXED} s
"""
ATA = f"""\
 -- \\*{{6}} AllToAll MPI Benchmark, Groma \\S+ \\*{{6}} --
 Number of processes:{NUMBER}
 Number of passes:{NUMBER}
 Buffer size/destination:{NUMBER} bytes
 Total bytes transferred:{FIXED} 10e\\+06 bytes
 Total time:{FIXED} s
"""
MB = exactly(1e6)
MS = exactly(1e3)


def points(path: Path) -> list[Point]:
    """Return the points of a record file, seen to be whole."""
    records = [decode_record(line) for line in path.read_bytes().splitlines()]
    assert isinstance(records[0], Start)
    assert isinstance(records[-1], End)
    found = [record for record in records if isinstance(record, Point)]
    assert len(found) == len(records) - 2
    assert all(point.validated and point.checked_elements > 0 for point in found)
    return found


@pytest.mark.parametrize(
    "arguments",
    ["-S", "-D -s sync", "-S -s sync --separate-buffers", "-D -m 3 --check", "-S --check --separate-buffers"],
)
@pytest.mark.parametrize("ranks", [2, 3])
def test_sts_prints_the_lines_of_the_seed_and_they_agree(
    library: beds.Library, tmp_path: Path, ranks: int, arguments: str
) -> None:
    out = tmp_path / "points.jsonl"
    printed = report(library, ranks, "sts", "-n", "40", "-r", "7", "--out", out, *arguments.split())
    assert re.fullmatch(STS, printed), printed
    figure = figures(printed)
    assert all(
        line[39].isdigit() and line[40:41] in ("", " ") for line in printed.splitlines() if re.search(r"  \d", line)
    ), printed
    processes, passes = figure["Number of processes"], figure["Number of passes"]
    total, time, rate = figure["Total bytes transferred"], figure["Total time"], figure["Bandwidth total"]
    per_process, pass_time = figure["Total bytes/process"], figure["Total time 2"]
    assert processes.value == ranks
    assert passes.value == 40
    assert (per_process * processes * passes).agrees(total)
    assert (time / passes * MS).agrees(pass_time)
    assert (total / time).agrees(rate)
    assert (rate / processes).agrees(figure["Bandwidth/process"])
    (point,) = points(out)
    assert point.point["operation"] == ("sts_sync" if "sync" in arguments.split() else "sts_async")
    separate = "--separate-buffers" in arguments
    assert point.point["map_send_buffer"] == ("separate" if separate else "one")
    assert f"sent from:                {'places of their own' if separate else 'one buffer'}\n" in printed
    assert point.messages == ranks * figure["Number of messages/process"].value * (2 if "-D" in arguments else 1)
    assert point.bytes_moved == point.checked_elements
    assert total.agrees(40e-6 * point.bytes_moved)
    assert time.agrees(1e-9 * int(point.samples_ns[0]))
    sizes = (point.bytes_moved / ranks, point.bytes_moved / point.messages)
    assert (figure["Avg. buffer size/process"].value, figure["Avg. message size/ process"].value) == pytest.approx(
        sizes, abs=0.5
    )


def expect_report(printed: str, head: str, bandwidth_lines: str, latency: bool) -> None:
    """Expect the lines of `head`, and after them the latency or the lines on the bandwidth."""
    last = f" Latency:{FIXED} us\n" if latency else bandwidth_lines
    assert re.fullmatch(head + last, printed), printed


def fnv1a(numbers: list[int]) -> int:
    value = 0xCBF29CE484222325
    for number in numbers:
        for byte in number.to_bytes(4, "little"):
            value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def test_a_seed_names_the_same_list_on_every_library(library: beds.Library) -> None:
    printed = report(library, 4, "sts", "-n", "1", "-r", "1", "-v")
    rows = re.findall(r"^ *\d+ +(\d+) +(\d+) +(\d+)$", printed, re.MULTILINE)
    # The same list is hashed in engine/tests/unit/transfers.cpp.
    assert fnv1a([int(number) for row in rows for number in row]) == 1045430470418904849


def test_a_seed_is_drawn_and_printed_where_none_is_given(embedded: beds.Library) -> None:
    first, second = (report(embedded, 2, "sts", "-n", "1", "-v") for _ in range(2))
    seed = re.match(r" Random number seed: +(\d+)\n", first)
    assert seed
    assert first.splitlines()[0] != second.splitlines()[0]
    again = report(embedded, 2, "sts", "-n", "1", "-v", "-r", seed[1])
    assert again.startswith(" Message ")
    assert first.split(" Message ")[1].split(" -- ")[0] == again.split(" Message ")[1].split(" -- ")[0]


@pytest.mark.parametrize(
    "arguments", ["-n 40", "-n 40 -s async --check", "-n 400 -b 2000", "-n 2000 -L", "-L -s async"]
)
def test_lbw(library: beds.Library, tmp_path: Path, arguments: str) -> None:
    out = tmp_path / "points.jsonl"
    short = [] if "-n" in arguments else ["--min-seconds", "0.02"]
    printed = report(library, 2, "lbw", *arguments.split(), *short, "--out", out)
    latency = "-L" in arguments
    expect_report(printed, LBW, f" Time per message:{FIXED} us\n Bandwidth: {FIXED} 10e\\+06 Bytes/sec\n", latency)
    if not latency:
        assert len(printed.splitlines()[-1]) == len(" Bandwidth:                         1860.422 10e+06 Bytes/sec")
    figure = figures(printed)
    size, passes, time = figure["Message size"], figure["Number of passes"], figure["Total time"]
    one_way = figure["Latency" if latency else "Time per message"]
    assert size.value == (2000 if "-b" in arguments else 40 if latency else 1_000_000)
    assert (exactly(2) * passes * size / MB).agrees(figure["Total bytes transferred"])
    assert (time / passes * exactly(5e5)).agrees(one_way)
    if not latency:
        assert (size / one_way).agrees(figure["Bandwidth"])
    (point,) = points(out)
    assert point.repetitions_per_sample == passes.value
    figure_us = int(point.samples_ns[0]) / point.repetitions_per_sample / point.divisor / 1000
    assert one_way.agrees(figure_us)


@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize("arguments", ["-n 5 --check", "-n 6 -b 3000", "-n 50 -L"])
def test_ata(library: beds.Library, tmp_path: Path, ranks: int, arguments: str) -> None:
    out = tmp_path / "points.jsonl"
    printed = report(library, ranks, "ata", *arguments.split(), "--out", out)
    latency = "-L" in arguments
    bandwidth = " Bandwidth: [ 0-9]{6}\\.[0-9]{3} 10e\\+06 bytes/sec/proc\n"
    expect_report(printed, ATA, f" Time per call:{FIXED} ms\n{bandwidth}", latency)
    figure = figures(printed)
    size, passes, time = figure["Buffer size/destination"], figure["Number of passes"], figure["Total time"]
    processes = exactly(ranks)
    assert (processes * processes * passes * size / MB).agrees(figure["Total bytes transferred"])
    per_call = time / passes * (exactly(1e6) if latency else MS)
    assert per_call.agrees(figure["Latency" if latency else "Time per call"])
    (point,) = points(out)
    assert point.bytes_moved == ranks * size.value
    if not latency:
        assert (processes * size / figure["Time per call"] / MS).agrees(figure["Bandwidth"])


def test_every_run_is_told_and_the_best_reported(library: beds.Library, tmp_path: Path) -> None:
    out = tmp_path / "points.jsonl"
    printed = report(library, 2, "lbw", "-n", "20", "--best-of", "5", "--out", out)
    told = re.search(r"^ All 5 runs:((?: [0-9.]+){5}) 10e\+06 Bytes/sec$", printed, re.MULTILINE)
    assert told, printed
    runs = [float(word) for word in told[1].split()]
    assert max(runs) == figures(printed)["Bandwidth"].value
    (point,) = points(out)
    assert [round(40e6 / ns * 1e3, 3) for ns in point.samples_ns] == pytest.approx(runs, abs=0.0011)
    assert len(re.findall("Band", printed)) == 1, "people grep it"


@pytest.mark.parametrize("name", ["lbw", "ata", "sts"])
def test_a_line_for_each_process(library: beds.Library, name: str) -> None:
    ranks = 2 if name == "lbw" else 3
    printed = report(library, ranks, name, "-n", "3", "-a")
    lines = re.findall(
        r"^ Process (\d+): host \S+, processor \d+, (\d+) bytes sent, (\d+) bytes received$", printed, re.MULTILINE
    )
    assert [int(rank) for rank, _, _ in lines] == list(range(ranks))
    sent, received = (sum(int(line[side]) for line in lines) for side in (1, 2))
    assert sent == received
    assert figures(printed)["Total bytes transferred"].agrees(1e-6 * sent)


def test_bcast_prints_the_csv_of_the_seed(library: beds.Library, tmp_path: Path) -> None:
    ranks = 3
    out = tmp_path / "points.jsonl"
    printed = report(library, ranks, "mpi_bcast_test", "--check", "--out", out)
    heading, *rows = printed.splitlines()
    hosts = r"\S+(?:\t, \S+){2}"
    assert re.fullmatch(rf"Wtime,\tnt,\tnbt,\tTmax,\tTmin,\t{hosts}", heading), heading
    recorded = points(out)
    assert [row.split(",")[1].strip() for row in rows] == ["1", "4", "16", "64", "256", "1024", "4096"]
    wtimes = [float(row.split("\t")[0]) for row in rows]
    assert wtimes == sorted(wtimes)
    for row, point in zip(rows, recorded, strict=True):
        assert re.fullmatch(r"[0-9]+\.[0-9]{3}\t, [0-9]+,\t[0-9]+,(?:\t[0-9]+\.[0-9]{2},){5}", row), row
        _, segments, each, longest, shortest, *ranks_ms, rest = (word.strip() for word in row.split(","))
        assert rest == ""
        assert int(segments) * int(each) == 4096 * 80
        assert point.ranks_ns is not None
        assert [float(word) for word in ranks_ms] == pytest.approx([t[0] / 1e6 for t in point.ranks_ns], abs=0.0051)
        others = [float(word) for word in ranks_ms[1:]]
        assert (float(longest), float(shortest)) == (max(others), min(others)), "the root is left out"
        assert point.checked_elements == ranks * 4096 * 80
        (shown,) = lines(point)  # of groma show --style bcast_test; Wtime is another clock's there
        assert shown.partition("\t")[2] == row.partition("\t")[2]


WRONG = {
    "lbw": {
        "-n 0": r"-n 0: num_times is a whole number from 1",
        "-n many": r"-n many: num_times",
        "-n": r"-n needs a value",
        "-b -1": r"-b -1: buff_size",
        "-s fast": r"-s fast: the style is sync or async",
        "-B -n 5 -L": r"-B and -L exclude each other: give one of them; -h",
        "-x": r"-x is not an option; -h",
        "-n 5 -m 3": r"-m is not an option",
        "--bestof 3": r"--bestof is not an option",
        "--best-of 0": r"--best-of 0: the number of runs",
        "-n 5 --min-seconds 1": r"-n and --min-seconds",
        "5": r"5 is not an option",
        "-n 1 --out /proc/nowhere/points.jsonl": r"/proc/nowhere/points\.jsonl",
    },
    "ata": {
        "-s sync": r"-s is not an option",
        "-b 3G": r"-b 3G: buff_size in bytes",
    },
    "sts": {
        "-m 0": r"-m 0: num_msgs",
        "-S -D": r"-S and -D exclude each other: give one of them; -h",
        "-m 6 -DS": r"-D and -S exclude each other: give one of them; -h",
        "-r 4294967296": r"-r 4294967296: rand_seed",
        "-b 8": r"-b is not an option",
        "-s": r"-s needs a value",
    },
    "mpi_bcast_test": {"-n 3": r"-n is not an option"},
}


def refused(library: beds.Library, ranks: int, name: str, arguments: str, saying: str) -> None:
    result = start(library, ranks, name, *arguments.split())
    messages = [line for line in result.errors.splitlines() if line.startswith(f"{name}: ")]
    assert result.exit_code == 2, result
    assert len(messages) == 1, result.errors
    assert re.search(saying, messages[0]), messages[0]
    assert result.output == ""


@pytest.mark.parametrize(("name", "arguments"), [(name, words) for name, cases in WRONG.items() for words in cases])
def test_a_wrong_option_is_one_message(embedded: beds.Library, name: str, arguments: str) -> None:
    refused(embedded, 2, name, arguments, WRONG[name][arguments])


@pytest.mark.parametrize("name", WRONG)
def test_a_program_without_the_engine_beside_it_says_so(embedded: beds.Library, name: str, tmp_path: Path) -> None:
    alone = shutil.copy2(program(embedded, name), tmp_path)
    result = beds.run([str(alone)])
    assert (result.exit_code, result.output) == (2, "")
    assert result.errors.startswith(f"{name}: cannot start {tmp_path}/groma-engine, which holds this program: No such")


def documented_commands() -> list[str]:
    """Return the commands of docs/programs.md that a launcher starts, as they stand there."""
    page = (documented.ROOT / "docs/programs.md").read_text()
    found = re.findall(r"mpiexec -n \d+ [^`#\n]*[^`# \n]", page)
    assert len(found) > 5
    return list(dict.fromkeys(found))


@pytest.mark.parametrize("command", documented_commands())
def test_a_command_of_the_documentation_as_it_stands_there(embedded: beds.Library, command: str) -> None:
    _, _, ranks, name, *arguments = command.split()
    printed = report(embedded, int(ranks), name, *arguments)
    assert re.match({"lbw": LBW, "ata": ATA, "sts": f"( Random number seed:.*\n)?{STS}"}.get(name, "Wtime,"), printed)


def test_the_report_in_the_documentation(embedded: beds.Library) -> None:
    """All that a seed and an option decide is as printed there; the rest has its form."""
    (shown,) = (text for _, text in documented.blocks("docs/programs.md") if "SomeToSome" in text)
    (command,) = (command for command in documented_commands() if "-r 7" in command)
    printed = report(embedded, 4, *command.split()[3:])
    assert re.match(STS, shown)
    decided = [line for line in shown.splitlines() if re.search("Avg|from|Style|Number of (pr|m)|bytes/process", line)]
    assert len(decided) == 7
    assert set(decided) <= set(printed.splitlines())


def test_a_wrong_option_ends_every_rank(library: beds.Library) -> None:
    refused(library, 4, "sts", "-n 0", r"-n 0: num_times")


@pytest.mark.parametrize(("name", "ranks"), [("lbw", 1), ("lbw", 4), ("sts", 1), ("mpi_bcast_test", 1)])
def test_a_wrong_number_of_processes(embedded: beds.Library, name: str, ranks: int) -> None:
    refused(embedded, ranks, name, "", rf"{name} needs (at least )?2 processes and has {ranks}; launch it with -n 2")


def test_three_processes_are_one_too_many_for_lbw(library: beds.Library) -> None:
    refused(library, 3, "lbw", "", "lbw needs 2 processes and has 3; launch it with -n 2")


@pytest.mark.parametrize("name", WRONG)
def test_help_is_printed_once(embedded: beds.Library, name: str) -> None:
    for word in ("-h", "--help"):
        result = start(embedded, 2, name, word)
        assert result.exit_code == 0, result
        assert result.output.count(f"usage: {name} ") == 1, result.output
