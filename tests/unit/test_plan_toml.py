"""Plans in TOML: what they mean, and where they are wrong."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.catalog import Catalog, packaged
from groma.errors import InputError, PlanError
from groma.plan import expand, profile_names, read_plan, read_profile
from groma.plan.expand import Point
from groma.plan.toml import Lines, parse_plan

_POINT = "[[points]]\noperation = 'noop'"
PLAN = """\
name = "mine"          # a comment with [brackets] and "quotes"
launches = 6
rank_counts = [4, 2]
budget_s = 60
order = "sequential"
seed = 7

[defaults]
slot_s = 0.1

[[points]]
operation = ["allreduce", "barrier"]
bytes = [
  8,
  "1K:4K",
]

[[points]]
operation = "pingpong"
pattern = "first_last"
"""


def test_a_plan_becomes_points(catalog: Catalog) -> None:
    plan = expand(parse_plan(PLAN, "mine.toml", catalog), catalog)
    assert (plan.name, plan.launches, plan.rank_counts, plan.budget_s) == ("mine", 6, (2, 4), 60)
    assert plan.scheduling == {"order": "sequential", "seed": 7}
    assert list(plan.points) == [
        {"operation": "allreduce", "bytes": 8, "slot_s": 0.1},
        {"operation": "allreduce", "bytes": 1024, "slot_s": 0.1},
        {"operation": "allreduce", "bytes": 2048, "slot_s": 0.1},
        {"operation": "allreduce", "bytes": 4096, "slot_s": 0.1},
        {"operation": "barrier", "slot_s": 0.1},
        {"operation": "pingpong", "pattern": "first_last", "slot_s": 0.1},
    ]


@pytest.mark.parametrize(
    ("wrong", "right", "line", "says"),
    [
        ("launchs = 6", "launches = 6", 2, "did you mean 'launches'"),
        ("launches = 0", "launches = 6", 2, "at least 1"),
        ("launches = 2.5", "launches = 6", 2, "whole number"),
        ("rank_counts = [4, 0]", "rank_counts = [4, 2]", 3, "at least 1"),
        ("budget_s = -1", "budget_s = 60", 4, "positive number"),
        ("within = 2", "budget_s = 60", 4, "share between 0 and 1"),
        ('order = "shufled"', 'order = "sequential"', 5, "did you mean 'shuffled'"),
        ("slot = 0.1", "slot_s = 0.1", 9, "did you mean 'slot_s'"),
        ("slot_s = -1", "slot_s = 0.1", 9, "out of range"),
        ('operation = ["allredcue"]', 'operation = ["allreduce", "barrier"]', 12, "did you mean 'allreduce'"),
        ("byte = [", "bytes = [", 13, "did you mean 'bytes'"),
        ('  "1K:4",', '  "1K:4K",', 13, "is empty"),
        ('operation = "noop"\nbytes = 8', 'operation = "pingpong"', 20, "noop would not use bytes"),
        ('pattern = "last"', 'pattern = "first_last"', 20, "pattern"),
        ('pattern = "first_last', 'pattern = "first_last"', 20, "not valid TOML"),
    ],
)
def test_a_wrong_plan_names_file_line_and_word(catalog: Catalog, wrong: str, right: str, line: int, says: str) -> None:
    assert right in PLAN
    with pytest.raises(PlanError, match=says) as error:
        expand(parse_plan(PLAN.replace(right, wrong, 1), "mine.toml", catalog), catalog)
    assert str(error.value).startswith(f"mine.toml, line {line}: ")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("launches = 3", "no \\[\\[points\\]\\]"),
        ("points = []", "no \\[\\[points\\]\\]"),
        ("[[points]]\nbytes = 8", "line 1: these \\[\\[points\\]\\] name no operation"),
        ('name = "a b"\n' + _POINT, "line 1: name = 'a b'"),
        ("defaults = 3\n" + _POINT, "line 1: defaults must be a table"),
        ("[[variant]]\nenv = {A = 'b'}\n" + _POINT, "line 1.*needs a name"),
        ("\n[[variant]]\nname = 'a'\nenvs = {}\n" + _POINT, "line 4.*no field 'envs'.*did you mean 'env'"),
        ("[[variant]]\nname = 'a b'\n" + _POINT, "needs a name of letters"),
        ("[[variant]]\nname = 'a'\nenv = {'A-B' = '1'}\n" + _POINT, "'A-B' of the variant a cannot name"),
        ("[[variant]]\nname = 'a'\nenv = {A = ['1']}\n" + _POINT, "A of the variant a needs a text"),
        ("variant = 'a'\n" + _POINT, "variants are tables"),
    ],
)
def test_a_plan_with_a_wrong_table_is_refused(catalog: Catalog, text: str, says: str) -> None:
    with pytest.raises(PlanError, match=says):
        parse_plan(text, "p.toml", catalog)


def test_a_plan_that_cannot_be_read(catalog: Catalog, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_plan(tmp_path / "none.toml", catalog)
    (tmp_path / "latin.toml").write_bytes(b'name = "\xe4"')
    with pytest.raises(PlanError, match="not UTF-8"):
        read_plan(tmp_path / "latin.toml", catalog)


def test_every_profile_expands(catalog: Catalog) -> None:
    assert "quick" in profile_names()
    for name in profile_names():
        draft = read_profile(name, catalog)
        assert draft.profile == name
        assert draft.summary
        assert expand(draft, catalog).points


IMB_LENGTHS = """\
[[points]]
operation = ["allreduce", "barrier"]
bytes = "4:32K"
repetitions = 1000

[[points]]
operation = "allreduce"
bytes = "64K:128K"
repetitions = 640

[[points]]
operation = "allreduce"
bytes = "64K:128K"
repetitions = 640
sync = "barrier"
"""


def test_a_size_of_the_command_line_belongs_to_the_blocks_that_have_it_or_the_nearest(catalog: Catalog) -> None:
    draft = parse_plan(IMB_LENGTHS, "mine.toml", catalog)
    draft.override("bytes", "0,8,48K,100K,1M")
    points = [point for point in expand(draft, catalog).points if point["operation"] == "allreduce"]
    asked = [(point["bytes"], point["repetitions"], point.get("sync", "")) for point in points]
    long = [48 << 10, 100 << 10, 1 << 20]
    assert asked == [
        *((size, 1000, "") for size in (0, 8)),
        *((size, 640, "") for size in long),
        *((size, 640, "barrier") for size in long),
    ]


@pytest.mark.parametrize("name", profile_names())
def test_a_part_of_a_profile_measures_no_size_with_other_effort_twice(catalog: Catalog, name: str) -> None:
    draft = read_profile(name, catalog)
    effort = {"block", "warmups", "repetitions", "min_repetitions", "max_repetitions", "slot_s"}
    before = _without(expand(draft, catalog).points, {"bytes", *effort})
    draft.override("bytes", "8,1K,64K")
    if name == "startup":
        with pytest.raises(InputError, match="would not use bytes"):
            expand(draft, catalog)
        return
    points = [point for point in expand(draft, catalog).points if "bytes" in point]
    methods = _without(points, effort)
    assert len(set(methods)) == len(methods)
    assert set(_without(points, {"bytes", *effort})) <= set(before)


def _without(points: Iterable[Point], names: Collection[str]) -> list[tuple[tuple[str, object], ...]]:
    return [tuple((name, value) for name, value in point.items() if name not in names) for point in points]


def test_quick_measures_what_it_promises(catalog: Catalog) -> None:
    plan = expand(read_profile("quick", catalog), catalog)
    sizes = [point["bytes"] for point in plan.points if point["operation"] == "pingpong" and "twin" not in point]
    assert sizes == [8 << step for step in range(20)]
    operations = {point["operation"] for point in plan.points}
    assert operations == {"pingpong", "stream", "message_rate", "allreduce", "bcast", "alltoall", "barrier"}
    slots_s = sum(float(catalog.resolve(point)["slot_s"]) for point in plan.points)
    assert (plan.launches, plan.rank_counts) == (10, (2,))
    assert plan.launches * (slots_s + 1.5) < 50


def test_the_nearest_profile_is_suggested(catalog: Catalog) -> None:
    with pytest.raises(InputError, match="did you mean 'quick'"):
        read_profile("quik", catalog)


_BLANK = st.sampled_from(["", "# a comment", "   ", "# [[points]]", '# bytes = "8"'])
_SETTING = st.sampled_from(
    ['bytes = "8:64"', "window = 3", 'note = """\n[[points]]\nwarmups = 1\n"""', "x = [\n  1,\n  2,\n]"]
)


@given(before=st.lists(st.one_of(_BLANK, _SETTING)), blocks=st.integers(0, 3), inside=st.lists(_BLANK))
def test_a_key_is_found_on_its_line(before: list[str], blocks: int, inside: list[str]) -> None:
    head = [*before, *(["[[points]]", 'operation = "noop"'] * blocks), "[[points]]", *inside]
    text = "\n".join([*head, "wrong = 1", "[[points]]", "wrong = 2"])
    line = "\n".join(head).count("\n") + 2
    assert Lines(text).key("wrong", "points", blocks) == line


@given(st.dictionaries(st.sampled_from(["bytes", "window", "warmups"]), st.integers(1, 12), min_size=1))
def test_points_multiply_out(settings: dict[str, int]) -> None:
    lists = {name: list(range(1, 1 + count)) for name, count in settings.items()}
    text = '[[points]]\noperation = "stream"\n' + "\n".join(f"{name} = {values}" for name, values in lists.items())
    plan = expand(parse_plan(text, "p.toml", packaged()), packaged())
    expected = 1
    for values in lists.values():
        expected *= len(values)
    assert len(plan.points) == expected
    assert len({tuple(sorted(point.items())) for point in plan.points}) == expected
