"""What IMB-MPI1 of the Intel MPI Benchmarks prints: a block for each test and number of processes."""

from __future__ import annotations

import re
from pathlib import Path

from groma.programs.printed import Importer, Line, Output, date, is_number, step_of

_ONE_TIME = "t[usec]"
_COLUMNS = (_ONE_TIME, "t_avg[usec]", "Mbytes/sec")
_FACT = re.compile(r"# (Machine|System|Release|Version|MPI Version|Date)\s*: (.*)")
_WAITING = re.compile(r"# \( ?(\d+) additional processes? waiting")
_VERSION = re.compile(r"#\s+Intel\(R\) MPI Benchmarks (\S+),")


def _read(text: str) -> Output:
    lines, facts, name, ranks, waiting = list[Line](), dict[str, str](), "", 0, 0
    headings: list[str] = []
    for line in text.splitlines():
        words = line.split()
        if found := _FACT.match(line):
            facts[found[1]] = found[2].strip()
        elif line.startswith("# Benchmarking "):
            name, ranks, headings = words[2], 0, []
        elif line.startswith("# #processes = "):
            ranks = int(words[3])
        elif found := _WAITING.match(line):
            waiting = max(waiting, ranks + int(found[1]))
        elif words and words[0] in ("#bytes", "#repetitions"):
            headings = words
        elif headings and len(words) == len(headings) and all(map(is_number, words)):
            lines.append(_line(name, ranks or None, dict(zip(headings, words, strict=True))))
        elif headings and not words:
            headings = []
    version = _VERSION.search(text)
    return Output(lines, version[1] if version else "", waiting or None, date(facts.pop("Date", "")), facts)


def _line(name: str, ranks: int | None, words: dict[str, str]) -> Line:
    size, made = int(words.pop("#bytes", 0)), int(words.pop("#repetitions", 0))
    column = next((one for one in _COLUMNS if one in words), next(iter(words), ""))
    numbers = {heading: float(word) for heading, word in words.items()}
    figure, step = numbers.pop(column, 0.0), step_of(words.get(column, ""))
    rate = numbers.get("Mbytes/sec", 0.0)
    if column == _ONE_TIME and size and rate and step_of(words["Mbytes/sec"]) / rate < step / max(figure, step):
        # A pair has one time, and the rate is made of it: here it has more digits.
        numbers[column] = figure
        figure, step = size / rate, step_of(words["Mbytes/sec"]) * size / rate**2
    return Line(name, size, figure, numbers, ranks, made or None, step=step)


IMPORTER = Importer.of(
    Path(__file__).parent, lambda text: "Intel(R) MPI Benchmarks" in text and "# Benchmarking " in text, _read
)
