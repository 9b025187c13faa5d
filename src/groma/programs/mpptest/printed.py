"""What mpptest prints: a line of two ranks, their distance, a size, a time and a rate."""

from __future__ import annotations

from pathlib import Path

from groma.programs.printed import Importer, Line, Output, is_number, step_of

_COLUMNS = 6  # both ranks, distance, length, time, rate


def _read(text: str) -> Output:
    lines = []
    for line in text.splitlines():
        words = line.split()
        if len(words) == _COLUMNS and all(word.isdigit() for word in words[:4]) and is_number(words[4]):
            lines.append(Line("mpptest", int(words[3]), float(words[4]), ranks=2, step=step_of(words[4])))
    return Output(lines)


IMPORTER = Importer.of(Path(__file__).parent, lambda text: "ave time (us)" in text and "dist" in text, _read)
