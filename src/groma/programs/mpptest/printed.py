"""What mpptest prints: a line of two ranks, their distance, a size, a time and a rate."""

from __future__ import annotations

from groma.programs.printed import Importer, Line, Output, Test, is_number, step_of

TEST = Test("mpptest", "pingpong", messages=2)
_COLUMNS = 6  # both ranks, distance, length, time, rate


def _read(text: str) -> Output:
    lines = []
    for line in text.splitlines():
        words = line.split()
        if len(words) == _COLUMNS and all(word.isdigit() for word in words[:4]) and is_number(words[4]):
            lines.append(Line(TEST.name, int(words[3]), float(words[4]), ranks=2, step=step_of(words[4])))
    return Output(lines)


IMPORTER = Importer(
    title="mpptest",
    profile="mpptest",
    tests=(TEST,),
    recognises=lambda text: "ave time (us)" in text and "dist" in text,
    read=_read,
    figure="the shortest of the means of several loops of round trips, halved",
)
