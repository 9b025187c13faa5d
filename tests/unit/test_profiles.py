"""Every profile can be planned, and measures by the factors of the program that it is named after."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakes import Groma

import groma.programs
from groma.catalog import Catalog
from groma.catalog.registry import programs
from groma.catalog.reporting import Reporting
from groma.errors import InputError
from groma.explain import pair_methods
from groma.launch.checking import check_points
from groma.launch.command import find_setup
from groma.launch.engine import find_engine
from groma.plan import Plan, expand, part_of_profile, profile_names, profile_summary, read_profile, several_profiles
from groma.plan.method import methods_of

# The comparison's table: the factors of a collective, then the pair of a ping-pong if there is one, and the estimator.
METHODS: dict[str, tuple[dict[str, object], str | None, Reporting]] = {
    "mpptest": (
        {"clock": "mpi", "timing": "block", "sync": "none", "root": "rotate", "cache": "warm", "buffers": "same"},
        "first_two",
        Reporting("min_of_means"),
    ),
    "mpbench": (
        {"clock": "gettimeofday", "timing": "block", "sync": "barrier", "reduce": "root", "cache": "warm"},
        "first_last",
        Reporting("mean"),
    ),
    "pmb": (
        {"clock": "mpi", "timing": "block", "sync": "none", "root": "rotate", "cache": "warm", "buffers": "separate"},
        "first_two",
        Reporting("mean"),
    ),
    "skampi": (
        {"clock": "mpi", "timing": "call", "sync": "window", "cache": "rotate", "buffers": "same", "stop": "rse"},
        "slowest",
        Reporting("mean", "trim_quarters"),
    ),
    "mpibench": (
        {"clock": "tsc", "timing": "call", "sync": "barrier", "cache": "warm", "buffers": "same", "root": "fixed"},
        "halves",
        Reporting("mean", "factor_of_mean"),
    ),
    "skampi5": (
        {"sync": "window", "cache": "rotate", "cache_pool": 4 << 20, "buffers": "same", "max_repetitions": 32},
        "slowest",
        Reporting("mean", "trim_quarters"),
    ),
    "osu": (
        {
            "clock": "mpi",
            "timing": "call",
            "sync": "barrier",
            "reduce": "mean",
            "repetitions": 1000,
            "datatype": "char",
        },
        "first_two",
        Reporting("mean"),
    ),
    "reprompi": (
        {"clock": "mpi", "timing": "call", "sync": "barrier", "reduce": "max", "datatype": "byte", "warmups": 0},
        None,
        Reporting("median"),
    ),
    "imb": (
        {"clock": "mpi", "timing": "call", "sync": "barrier", "reduce": "mean", "root": "fixed", "repetitions": 1000},
        "first_two",
        Reporting("mean"),
    ),
}


def planned(name: str, catalog: Catalog) -> Plan:
    return expand(read_profile(name, catalog), catalog)


@pytest.mark.parametrize("name", profile_names())
def test_every_point_of_a_profile_can_be_asked(name: str, fakes: Path, catalog: Catalog) -> None:
    del fakes
    plan = planned(name, catalog)
    rank_counts = (4, 5) if name == "congestion" else (2, 3, 4)  # two that load, and two that are measured
    check_points(find_setup(find_engine(), None), plan.points, rank_counts, plan.scheduling)
    assert plan.profile == plan.name == name
    assert plan.launches >= 6


def test_there_are_no_other_profiles_than_these(catalog: Catalog) -> None:
    studied = {name for name, program in programs().items() if program.study}
    assert set(profile_names()) == {
        *METHODS,
        *studied,
        "imb_rma",
        "io",
        "quick",
        "rma",
        "skampi5_rma",
        "startup",
        "threads",
    }
    for name in profile_names():
        summary = profile_summary(name, catalog)
        assert summary == read_profile(name, catalog).summary
        assert summary.endswith(".")


@pytest.mark.parametrize("name", METHODS)
def test_a_profile_measures_as_its_program_did(name: str, catalog: Catalog) -> None:
    factors, pair, reporting = METHODS[name]
    plan = planned(name, catalog)
    resolved = [catalog.resolve(dict(point)) for point in plan.points]
    bcast = next(point for point in resolved if point["operation"] == "bcast" and point["bytes"] == 1024)
    assert {factor: bcast[factor] for factor in factors} == factors
    assert next((point["pattern"] for point in resolved if point["operation"] == "pingpong"), None) == pair
    assert plan.reporting == reporting


def test_reductions_of_pmb_do_nothing_and_those_of_skampi_add(catalog: Catalog) -> None:
    for name, reduction in (("pmb", "null"), ("skampi", "sum")):
        reducing = [point for point in planned(name, catalog).points if point["operation"] == "allreduce"]
        assert {point["reduction"] for point in reducing} == {reduction}


HINTS = [
    (path.stem, line.removeprefix("# ").partition("groma ")[2])
    for path in sorted(Path(groma.programs.__file__).parent.glob("*/*.toml"))
    for line in path.read_text().splitlines()
    if line.startswith("#") and "groma run " in line
]


@pytest.mark.parametrize(("name", "hint"), HINTS)
def test_commands_of_a_profiles_first_lines_measure_what_they_say(
    groma: Groma, catalog: Catalog, name: str, hint: str
) -> None:
    said = groma(*hint.split(), "--dry-run", *(() if "-n" in hint.split() else ("-n", "8")))
    assert said.code == 0, said.err
    assert f"--profile {name}" in hint
    operations = {word.partition("=")[2] for word in said.out.split() if word.startswith("operation=")}
    families = {catalog.operation(operation).family for operation in operations}
    for setting, family in (("pattern=", "point_to_point"), ("communicator=", "collective")):
        assert setting not in hint or families == {family}, "others would leave ranks out, or be refused"


def test_fewer_calls_where_messages_are_large(catalog: Catalog) -> None:
    points = [catalog.resolve(dict(point)) for point in planned("imb", catalog).points]
    large = [point for point in points if point["bytes"] > 1 << 15]
    assert {point["bytes"] * (point["block"] or point["repetitions"]) for point in large} == {40 << 20}
    latency = {p["bytes"]: p for p in planned("osu", catalog).points if p["operation"] == "pingpong"}
    assert (latency[8192]["repetitions"], latency[16384].get("repetitions")) == (10000, 1000)


def test_a_part_of_a_profile_has_its_operations_and_their_methods_alone(catalog: Catalog) -> None:
    whole = planned("osu", catalog).points
    part = expand(part_of_profile("osu", ["bcast"], catalog), catalog)
    assert list(part.points) == [point for point in whole if point["operation"] == "bcast"]
    assert (part.name, part.profile, part.style) == ("osu-bcast", "osu", "osu")
    two = expand(part_of_profile("imb", ["message_rate", "barrier"], catalog), catalog)
    assert {point["operation"] for point in two.points} == {"message_rate", "barrier"}


def test_a_form_is_measured_as_its_blocking_operation(catalog: Catalog) -> None:
    blocking = [point for point in planned("osu", catalog).points if point["operation"] == "bcast"]
    form = expand(part_of_profile("osu", ["bcast_init"], catalog), catalog).points
    assert [{**point, "operation": "bcast"} for point in form] == blocking
    assert methods_of(planned("osu", catalog), "bcast_init", 8, catalog)[0]["repetitions"] == 1000
    two = expand(part_of_profile("imb", ["barrier", "overlap/ibarrier"], catalog), catalog).points
    timed = {point["operation"]: (point["timing"], point["repetitions"], point.get("block")) for point in two}
    assert timed == {"barrier": ("block", 1, 1000), "overlap/ibarrier": ("call", 1000, None)}, "phases need calls"


def test_profiles_take_turns_at_a_form_that_both_measure(catalog: Catalog) -> None:
    draft = several_profiles(["osu", "imb"], ["iallreduce"], catalog)
    assert {point["operation"] for part in draft.programs for point in expand(part, catalog).points} == {"iallreduce"}
    with pytest.raises(InputError, match="none of the profiles osu, mpptest measures iscan"):
        several_profiles(["osu", "mpptest"], ["iscan"], catalog)


@pytest.mark.parametrize("name", profile_names())
def test_every_operation_of_a_profile_is_a_part_of_it(name: str, catalog: Catalog) -> None:
    for operation in {str(point["operation"]) for point in planned(name, catalog).points}:
        assert expand(part_of_profile(name, [operation], catalog), catalog).points


def test_a_part_takes_sizes_from_the_command_line(groma: Groma) -> None:
    said = groma("run", "bcast", "--profile", "osu", "--bytes", "8", "-n", "2", "--launches", "1", "--dry-run")
    assert said.code == 0
    assert [line for line in said.out.splitlines() if line.startswith("operation=")] == [
        line for line in said.out.splitlines() if line.startswith("operation=bcast bytes=8 ")
    ]


@pytest.mark.parametrize("operation", ["bcast", "ibcast"])
def test_osu_and_imb_differ_in_no_more_of_a_broadcast_than_datatype_and_allocation(
    operation: str, catalog: Catalog
) -> None:
    effort = {"stop": "time", "slot_s": 0.1}
    drafts = (read_profile("osu", catalog), read_profile("imb", catalog))
    for size in (8, 1 << 16, 1 << 20):
        changes = pair_methods(drafts, operation, size, effort, catalog).changes
        assert sorted(change.name for change in changes) == ["allocation", "datatype"]


def test_profiles_are_listed_and_measured(groma: Groma) -> None:
    said = groma("list", "profiles")
    assert all(name in said.out for name in profile_names())
    assert groma("run", "--profile", "pmb", "--bytes", "1K", "--launches", "1", "-o", "out").code == 0
