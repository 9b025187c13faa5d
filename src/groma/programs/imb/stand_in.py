"""IMB-MPI1 as it is started: benchmarks by name, and the options that choose sizes, processes and repetitions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from groma.catalog import Catalog
from groma.errors import InputError
from groma.plan import Plan, Point, expand, part_of_profile
from groma.programs.imb.printed import IMPORTER
from groma.programs.printed import Test
from groma.programs.standing import StandIns, whole_number

NAME = "IMB-MPI1"
_TESTS = {test.name.lower(): test for test in reversed(IMPORTER.told.tests) if not test.part}
_ONE_PAIR = {"pingpong", "pingpong_any_source", "pingping", "pingping_any_source"}
# Those that it measures if none is named.
_NOT_BY_DEFAULT = re.compile(r"Source$|^(?:Uni|Bi)band$")
_DEFAULT = [test.name for test in IMPORTER.told.tests if not test.part and not _NOT_BY_DEFAULT.search(test.name)]
_MOST_LOG = 30
_HELP = f"""\
{NAME}: Groma measures as the program of this name in the Intel MPI Benchmarks 2021, and prints as it does.
{NAME} [BENCHMARK...] [-npmin N] [-msglog [MIN:]MAX] [-iter N]
  -npmin N           fewest processes, doubled up to all of them (default: 2)
  -msglog [MIN:]MAX  sizes of 0 and of 2^MIN to 2^MAX bytes
  -iter N            repetitions at most
Benchmarks: {", ".join(_DEFAULT)}
"""


def _read(_name: str, arguments: Sequence[str], ranks: int, catalog: Catalog) -> Plan | str:
    names, given = _given(arguments)
    if "help" in given:
        return _HELP
    tests = list(map(_test, names or _DEFAULT))
    draft = part_of_profile("imb", [test.name for test in tests], catalog)
    least, most = whole_number("-npmin", given.get("npmin", "2"), 1), None
    if "iter" in given:
        most = whole_number("-iter", given["iter"], 1)
    if "msglog" in given and any("bytes" in catalog.operation(test.operation).uses for test in tests):
        draft.override("bytes", list(_sizes(given["msglog"])))
    draft.override("limit_s", 0)  # the program has none
    draft.name, draft.launches, draft.rank_counts = NAME, 1, (ranks,)
    plan = expand(draft, catalog)
    return replace(plan, points=tuple(_points(plan.points, tests, list(_processes(least, ranks)), most)))


def _given(arguments: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Return the benchmarks, and the options without their dashes; raises InputError for what is not known."""
    names, given, rest = [], dict[str, str](), list(arguments)
    while rest:
        word = rest.pop(0)
        option = word.lstrip("-")
        if not word.startswith("-"):
            names.append(word)
        elif option in ("h", "help"):
            given["help"] = ""
        elif option in ("npmin", "msglog", "iter") and rest:
            given[option] = rest.pop(0)
        else:
            why = "needs a value" if option in ("npmin", "msglog", "iter") else "is not known"
            raise InputError(f"option {word} {why}; {NAME} -help lists the options of Groma's stand-in")
    return names, given


def _test(name: str) -> Test:
    test = _TESTS.get(name.lower())
    if test is None:
        raise InputError(f"{name} is no benchmark of this stand-in; there are {', '.join(_DEFAULT)}")
    return test


def _sizes(text: str) -> Iterator[int]:
    low, colon, high = text.rpartition(":")
    first, last = whole_number("-msglog", low if colon else "0"), whole_number("-msglog", high)
    if not first <= last <= _MOST_LOG:
        raise InputError(f"-msglog '{text}' has no sizes; write MIN:MAX, both from 0 to {_MOST_LOG}")
    yield from (0, *(2**log for log in range(first, last + 1)))


def _processes(least: int, ranks: int) -> Iterator[int]:
    """Yield the numbers of processes that take part one after another, all of them last."""
    count = max(least, 2)
    while count < ranks:
        yield count
        count *= 2
    yield ranks


def _points(points: Sequence[Point], tests: Sequence[Test], counts: Sequence[int], most: int | None) -> Iterator[Point]:
    """Yield the points benchmark by benchmark, and in each by the number of processes, with `most` repetitions."""
    for test in tests:
        for count in counts[-1:] if test.operation in _ONE_PAIR else counts:
            for point in sorted(points, key=lambda one: int(one.get("bytes", 0))):
                if point["operation"] == test.operation:
                    ranks: Point = {} if count == counts[-1] else {"ranks": count}
                    yield _shortened(point, most) | ranks


def _shortened(point: Point, most: int | None) -> Point:
    """Return the point with at most these repetitions, and as many and a tenth before them."""
    field = "block" if point.get("timing") == "block" else "repetitions"
    made = int(point[field])
    if most is None or most >= made:
        return dict(point)
    return dict(point) | {field: most, "warmups": most + max(10, most // 10)}


STAND_INS = StandIns(names=(NAME,), read=_read)
