"""Files of limits: how they are read, which limits hold here, and first files that `groma limits from` writes."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fakes import Groma, refused
from limit_files import STEADY, judged_by, make_runs, one
from planted_runs import QUIET, change_records, made

from groma.results import load_run


@pytest.fixture
def runs(groma: Groma) -> Groma:
    make_runs()
    return groma


SYSTEMS = """
[systems]
cluster = "n*"
"cluster:gpu" = ["g1*", "node01"]
other = "m*"
"""


def limited(system: str, value: float) -> str:
    return one(system=system, value=value) + "\n"


def test_the_partition_takes_precedence_over_the_system(runs: Groma) -> None:
    """The made runs are of the host node01."""
    del runs
    every = one(value=0.1) + "\n"
    for text, value in (
        (every, 0.1),
        (every + limited("cluster", 0.2), 0.2),
        (every + limited("cluster", 0.2) + limited("cluster:gpu", 0.3), 0.3),
        (every + limited("other", 0.4), 0.1),
    ):
        (line,) = judged_by(SYSTEMS + text, "good").lines
        assert line.limit.value == value
    (line,) = judged_by(SYSTEMS + every + limited("other", 0.4), "good", system="other").lines
    assert line.limit.value == 0.4


@refused(
    ("operation = 'bcasst'", "limits.toml, line 2: there is no operation 'bcasst'; did you mean 'bcast'?"),
    ("unit = 'GB/s'\nfigure = 'time'", "'GB/s' is no unit of it; use ns, us"),
    ("unit = 'furlong'", "line 6: 'furlong' is no unit of it"),
    ("unit = ''", "unit needs a word in quotes"),
    ("value = 0", "line 4: value needs a number above 0, not 0"),
    ("value = true", "value needs a number, not True"),
    ("upper = -0.1", "line 5: upper needs a fraction of at least 0"),
    ("lower = 0.1", "lower needs a fraction from -1 to 0, such as -0.1, not 0.1"),
    ("figure = 'tme'", "no figure is called 'tme'; did you mean"),
    ("figure = 'operation'", "no figure is called 'operation'"),
    ("ranks = 0", "ranks needs a whole number of at least 1"),
    ("window = 4", "pingpong does not use window; leave it out"),
    ("limit = 4", "a limit has no key 'limit'"),
    ("system = 'here'", "limits.toml has no limit for the host node01; it has here; choose one with --system"),
)
def test_a_wrong_file_ends_with_2(runs: Groma, arguments: str, says: str) -> None:
    """Each replaces or adds a line of a file that is right."""
    text = {line.partition(" = ")[0]: line for line in one().splitlines()}
    text |= {line.partition(" = ")[0]: line for line in arguments.splitlines()}
    Path("limits.toml").write_text("\n".join(text.values()))
    runs("gate", "--limits", "limits.toml", "good").refuses(says)


@refused(
    ("", "the file has no limits; write [[limit]]"),
    ("limit = [", "this is not valid TOML"),
    ("[limits]", "the file of limits has no key 'limits'; did you mean 'limit'?"),
    (one(value=None), "the limit has no value; add value = ..."),
    (one(bytes=None), "pingpong has a message size; add bytes = 8"),
    (one(upper=None), "the limit has no bound"),
    (one(unit=None), "the limit has no unit"),
    (one() + "\n" + one(value=3), "line 7: pingpong 8 B has a limit already, in line 1; leave one out"),
    ("[systems]\nhere = 3\n" + one(), "line 2: here needs names of hosts"),
    ("[systems]\nhere = 'n*'\n" + one(system="hero"), "[systems] has no 'hero'; did you mean 'here'?"),
    (
        "limit = [\n  {operation = 'barrier', value = 1, unit = 'us', upper = 1},\n  {value = 1},\n]",
        "line 3: ",
    ),
)
def test_a_file_without_what_it_needs_ends_with_2(runs: Groma, arguments: str, says: str) -> None:
    Path("limits.toml").write_text(arguments)
    runs("gate", "--limits", "limits.toml", "good").refuses(says)


def test_a_first_file_is_one_that_its_run_keeps(runs: Groma) -> None:
    said = runs("limits", "from", "good", "--margin", "20%", "-o", "first.toml")
    assert (said.code, said.out) == (0, "first.toml\n")
    assert runs("limits", "check", "first.toml").out.startswith("first.toml: 7 limits (node01: 7).")
    assert runs("gate", "--limits", "first.toml", "good").code == 0
    assert runs("gate", "--limits", "first.toml", "slow").code == 4
    text = Path("first.toml").read_text()
    assert '{system = "node01", operation = "pingpong", bytes = 8, ranks = 2, profile = "quick", value = 0.28' in text
    assert "upper = 0.2}," in text


def test_a_first_file_names_a_run_that_nobody_should_trust(runs: Groma) -> None:
    def disturb(record: dict[str, Any]) -> None:
        for rank in record.get("noise", []):
            rank["lost_share"] = 0.3

    change_records(Path("good"), disturb)
    said = runs("limits", "from", "good", "-o", "first.toml")
    doubt = "good: Not trustworthy, since checks failed: noise."
    assert (said.code, said.out) == (0, "first.toml\n")
    assert said.err.splitlines() == [f"{doubt} Its limits may allow too much: measure again."]
    assert Path("first.toml").read_text().splitlines()[1] == f"# {doubt}"


def test_a_bound_is_no_nearer_than_runs_decide(runs: Groma) -> None:
    """Launches that differ by 10 % decide no margin of 1 %; with runs that differ, another of them passes still."""
    for seed in range(20, 25):
        made(Path(f"wide/{seed}"), seed, replace(QUIET, launch_effect=0.1))
    assert runs("limits", "from", "wide/20", "--margin", "1%", "-o", "first.toml").code == 0
    bounds = re.findall(r"upper = (\S+)\}.*# (\d+) % is the least that runs like these", Path("first.toml").read_text())
    assert bounds
    assert all(round(100 * float(upper)) == int(percent) for upper, percent in bounds)
    assert runs("gate", "--limits", "first.toml", "wide/20").code == 0
    first = [f"wide/{seed}" for seed in (21, 22, 23, 24)]
    assert runs("limits", "from", *first, "--margin", "1%", "-o", "first.toml", "--force").code == 0
    assert runs("gate", "--limits", "first.toml", "wide/20").code == 0


def test_rates_have_a_lower_bound_and_settings_their_names(runs: Groma) -> None:
    asked = "run stream pingpong --bytes 64K --set window=4 --set pattern=first_two --set pattern=first_last"
    assert runs(*asked.split(), "--launches", "8", "-o", "now").code == 0
    assert runs("limits", "from", "now", "-o", "first.toml").code == 0
    rows = [line for line in Path("first.toml").read_text().splitlines() if line.startswith("  {")]
    assert sum('operation = "stream"' in row and "lower = -" in row and "window = 4" in row for row in rows) == 2
    assert sum('pattern = "first_last"' in row for row in rows) == 2
    assert runs("gate", "--limits", "first.toml", "now").code == 0
    said = runs("gate", "--limits", "first.toml", "--system", "fake", "-o", "again")
    assert said.code in (0, 125), said.err
    assert len(load_run("again").meta.plan.points) == 4, "the file has all that measuring needs"


@refused(
    ("from none -o new.toml", "none is not a directory"),
    ("from good", "there is a file limits.toml already; give another with -o, or replace it with --force"),
    ("from good --margin wide", "'wide' is not a share"),
    ("from good --margin 20", "'20' is not a share; write 20% or 0.2"),
    ("from few -o new.toml", "pingpong has 3 launches in a run; limits need 6 or more (groma run --launches)"),
    ("check none.toml", "the limits none.toml cannot be read"),
    ("check limits.toml", "the file has no limits"),
)
def test_a_first_file_is_refused(runs: Groma, arguments: str, says: str) -> None:
    made(Path("few"), 7, replace(STEADY, launches=3))
    Path("limits.toml").write_text("")
    runs("limits", *arguments.split()).refuses(says)
