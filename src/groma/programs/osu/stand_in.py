"""The programs of the OSU Micro-Benchmarks as they are started: one for each test, with the options of version 7.4.

Sizes are doublings; -i and -x are for all sizes. `D D` without -d means buffers of the host, as there.
"""

from __future__ import annotations

import getopt
from collections.abc import Iterator, Sequence

from groma.catalog import Catalog
from groma.errors import InputError
from groma.plan import Plan, expand, part_of_profile
from groma.programs.osu.printed import IMPORTER
from groma.programs.standing import StandIns, whole_number

_LONG = {
    "message-size": "m",
    "warmup": "x",
    "iterations": "i",
    "validation": "c",
    "window-size": "W",
    "buffer-num": "b",
    "type": "T",
    "mem-limit": "M",
    "validation-warmup": "u",
    "accelerator": "d",
    "help": "h",
    "version": "v",
}
_FLAGS = "chv"
_DATATYPES = {"mpi_char": "char", "mpi_int": "int32", "mpi_float": "float"}
_BUFFERS = {"single": "one", "multiple": "separate"}
_HOST = {"H", "D", "M", "MH", "MD"}
_HELP = """\
{name}: Groma measures as the program of this name in the OSU Micro-Benchmarks 7.4, and prints as it does.
  -m [MIN:]MAX  message sizes, in doublings
  -i N, -x N    iterations, and those before them that are not counted
  -c            check received data, and print it
  -W N          window of messages (osu_bw, osu_bibw, osu_mbw_mr)
  -b single|multiple  receive a window in one place, or in separate places
  -T mpi_char|mpi_int|mpi_float
  -M, -u        are accepted and change nothing
  -h, -v        this text, the version
"""


def _read(name: str, arguments: Sequence[str], ranks: int, catalog: Catalog) -> Plan | str:
    given = _given(name, arguments)
    if "h" in given:
        return _HELP.format(name=name)
    if "v" in given:
        return f"{name} v7.4, as Groma measures it\n"
    if "d" in given:
        raise InputError(f"-d {given['d']}: Groma's stand-in has no buffers on devices; leave it out")
    draft = part_of_profile("osu", [name], catalog)
    test = IMPORTER.test(name)
    uses = catalog.operation(test.operation).uses if test else []
    for field, value in _fields(given, uses).items():
        draft.override(field, value)
    if "m" in given and "bytes" in uses:
        parts = ranks if test and test.whole else 1
        asked = [max(1, size // parts) if size else 0 for size in _sizes(given["m"], _largest(name, catalog))]
        draft.override("bytes", list(dict.fromkeys(asked)))
    draft.override("limit_s", 0)  # the program has none
    draft.name, draft.launches, draft.rank_counts = name, 1, (ranks,)
    return expand(draft, catalog)


def _given(name: str, arguments: Sequence[str]) -> dict[str, str]:
    """Return the options by their letters; raises InputError for an option or a word that is not known."""
    letters = "".join(letter + ":" * (letter not in _FLAGS) for letter in _LONG.values())
    long_options = [word + "=" * (letter not in _FLAGS) for word, letter in _LONG.items()]
    try:
        options, words = getopt.gnu_getopt(list(arguments), letters, long_options)
    except getopt.GetoptError as error:
        raise InputError(f"{error.msg}; {name} -h lists the options of Groma's stand-in") from None
    if wrong := [word for word in words if word not in _HOST] or words[2:]:
        raise InputError(f"'{wrong[0]}' is not known; {name} -h lists the options of Groma's stand-in")
    return {_LONG.get(option.removeprefix("--"), option.lstrip("-")): value for option, value in options}


def _fields(given: dict[str, str], uses: Sequence[str]) -> dict[str, object]:
    """Return the fields of a point that options set."""
    fields: dict[str, object] = {"check": True} if "c" in given else {}
    for letter, field, least in (("i", "repetitions", 1), ("x", "warmups", 0), ("W", "window", 1)):
        if letter in given:
            fields[field] = whole_number(f"-{letter}", given[letter], least)
    for letter, field, choices in (("T", "datatype", _DATATYPES), ("b", "receive_window", _BUFFERS)):
        if letter in given and given[letter].lower() not in choices:
            raise InputError(f"-{letter} '{given[letter]}' is not one of {', '.join(choices)}")
        if letter in given:
            fields[field] = choices[given[letter].lower()]
    return {field: value for field, value in fields.items() if field in uses or field in _OF_ALL}


_OF_ALL = ("check", "repetitions", "warmups")


def _largest(name: str, catalog: Catalog) -> int:
    points = expand(part_of_profile("osu", [name], catalog), catalog).points
    return max(int(point.get("bytes", 0)) for point in points)


def _sizes(text: str, largest: int) -> Iterator[int]:
    """Yield the sizes of MIN:MAX, MIN: or MAX, as the suite's loop has them."""
    low, colon, high = text.rpartition(":")
    size, last = whole_number("-m", low or "1"), largest if colon and not high else whole_number("-m", high)
    if size > last:
        raise InputError(f"-m '{text}' has no sizes; write MIN:MAX, such as 1:8192")
    while size <= last:
        yield size
        size = size * 2 or 1


STAND_INS = StandIns(names=tuple(test.name for test in IMPORTER.told.tests), read=_read)
