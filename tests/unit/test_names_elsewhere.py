"""Words of the field, of OSU, IMB and MPI, and shell patterns: what they stand for in runs, lists and plans."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fakes import Groma, refused

from groma.catalog import Catalog
from groma.catalog.registry import programs
from groma.catalog.synonyms import meaning, operations_named, understood
from groma.catalog.words import table
from groma.errors import InputError


def points(groma: Groma, *words: str) -> list[str]:
    said = groma("run", *words, "--dry-run")
    assert said.code == 0, said.err
    return [line for line in said.out.splitlines() if line.startswith("operation=")]


@pytest.mark.parametrize(
    ("word", "operation"),
    [
        ("latency", "pingpong"),
        ("Bandwidth", "stream"),
        ("bibw", "bistream"),
        ("message-rate", "message_rate"),
        ("MPI_Allreduce", "allreduce"),
        ("all-reduce", "allreduce"),
        ("broadcast", "bcast"),
        ("MPI_Neighbor_alltoall", "neighbor_alltoall"),
        ("MPI_Iallreduce", "iallreduce"),
    ],
)
def test_words_of_the_field_name_operations(word: str, operation: str, groma: Groma) -> None:
    assert points(groma, word) == points(groma, operation)
    assert f"{word} is {operation}.\n" in groma("run", word, "--dry-run").err
    assert f"{word} is {operation}\noperation" in re.sub(" +", " ", groma("list", word).out).removeprefix("name ")
    assert groma("run", operation, "--dry-run").err == ""


@pytest.mark.parametrize("program", ["osu", "imb", "imb_rma", "skampi5"])
def test_a_test_of_another_program_is_measured_as_it_does(program: str, groma: Groma, catalog: Catalog) -> None:
    """Each has points of its own, by the profile's method, in the way that the importer reads it as.

    A persistent or nonblocking form is measured as the blocking operation of the profile.
    """
    whole = points(groma, "--profile", program)
    measured = {line.split()[0].removeprefix("operation=") for line in whole}
    tests = programs()[program].part(programs()[program].importer).told.tests
    assert tests
    for test in tests:
        found = understood(test.name, catalog)
        if found.program != program:
            continue  # SKaMPI's Bcast is IMB's name too
        own = points(groma, test.name)
        assert own
        assert {line.split()[0] for line in own} == {f"operation={test.operation}"}
        assert points(groma, "--profile", program, test.name) == own
        blocking = test.operation if test.operation in measured else catalog.operation(test.operation).form_of
        as_blocking = {line.replace(f"={test.operation} ", f"={blocking} ", 1) for line in own}
        assert as_blocking <= set(whole), test.name


@pytest.mark.parametrize(
    ("name", "operation", "program"),
    [
        ("osu_iallreduce", "overlap/iallreduce", "OSU"),
        ("osu_ineighbor_alltoall", "overlap/ineighbor_alltoall", "OSU"),
        ("Ibcast", "overlap/ibcast", "IMB"),
        ("Ibarrier", "overlap/ibarrier", "IMB"),
    ],
)
def test_a_test_of_another_definition_says_in_what_it_differs(
    name: str, operation: str, program: str, groma: Groma
) -> None:
    said = groma("run", name, "--dry-run")
    assert said.code == 0
    assert f"{name} is {operation} as the profile {program.lower()} measures it. {program} times a loop" in said.err
    own = points(groma, name)
    assert {line.split()[0] for line in own} == {f"operation={operation}"}
    assert all("sync=" in line and "timing=call" in line for line in own), "its phases need single calls"
    assert f"differs    {program} times a loop" in groma("list", name).out
    assert f"runs/{program.lower()}-{operation.replace('/', '-')}-" in said.out


def test_osu_latency_and_multi_latency_are_two_ways_of_one_operation(groma: Groma) -> None:
    one, many = points(groma, "osu_latency"), points(groma, "osu_multi_lat")
    assert one
    assert many
    assert not set(one) & set(many)
    assert all("pattern=halves" in line for line in many)
    assert sorted([*one, *many]) == sorted(points(groma, "--profile", "osu", "latency"))
    assert "osu_latency is pingpong as the profile osu measures it." in groma("run", "osu_latency", "--dry-run").err
    assert "as the profile osu measures it: groma run osu_bw" in groma("list", "osu_bw").out


def test_a_shell_pattern_names_all_operations_that_match(groma: Groma, catalog: Catalog) -> None:
    halos = [operation.name for operation in catalog.operations if operation.name.startswith("halo/")]
    assert len(halos) > 3
    sized = points(groma, "halo/*", "--size", "64")
    assert sized == [f"operation={name} bytes=64" for name in halos] == points(groma, "halo", "--bytes", "64")
    assert [line.split()[0] for line in groma("list", "halo/*").out.splitlines()] == halos
    part = points(groma, "--profile", "osu", "all*")
    assert {line.split()[0].removeprefix("operation=all") for line in part} == {
        *("gather", "gatherv", "toall", "toallv", "toallw", "reduce"),
    }
    Path("plan.toml").write_text("[[points]]\noperation = ['halo/*', 'latency']\nbytes = 64\n")
    assert points(groma, "plan.toml") == [*sized, "operation=pingpong bytes=64"]


NOT_YET = "Groma does not measure {} yet ({}); see groma list operations"


@refused(
    (
        "osu_latency_mt",
        "for the same messages write groma run threads/pingpong --set thread_channel=tag",
    ),
    ("Birandom", NOT_YET.format("Birandom", "both ranks of random pairs at once")),
    (
        "Stencil2D",
        "no profile measures as Stencil2D does; for the same messages write groma run halo/all_at_once --set",
    ),
    ("osu_hello", NOT_YET.format("osu_hello", "a time that is taken outside the program")),
    ("osu_init", "no profile measures as osu_init does; for the same messages write groma run mpi_init"),
    ("P_Write_Priv", "no profile measures as P_Write_Priv does; for the same messages write groma run own_file_write"),
    (
        "Win_complete",
        "as Win_complete does (SKaMPI times it alone, in a window made anew for it; Groma as a phase of an epoch); for",
    ),
    ("Pingpong_Bsend_Recv", "for the same messages write groma run pingpong_buffered"),
    ("SKaMPI:Accumulate", "for the same messages write groma run phases/accumulate/pscw"),
    ("Get_activewait", "not measure Get_activewait yet (a look at data that no call has completed, which MPI does not"),
    ("MPI_Win_start", "no operation is MPI_Win_start alone; it is timed in put/pscw, "),
    ("MPI_Put", "no operation is MPI_Put alone; it is timed in put/flush, "),
    ("MPI_Isend", "no operation is MPI_Isend alone; it is timed in pingpong_isend, pingping, "),
    ("hola/*", "no operation matches 'hola/*'; see groma list operations"),
    ("iterations", "iterations is the field repetitions, not an operation; write --set repetitions=VALUE"),
    ("datatype", "datatype is a field, not an operation; write --set datatype=VALUE"),
    ("latnecy", "there is no operation 'latnecy'; did you mean 'latency'?"),
    ("osu_allredcue", "there is no operation 'osu_allredcue'; did you mean 'osu_allreduce'?"),
    ("osu_bw bcast", "these are names of osu and of others: osu_bw bcast; measure one program at a time"),
    ("osu_bw PingPong", "these are names of imb and osu and of others"),
    ("--profile osu PingPong", "the profile osu does not measure PingPong; it measures pingpong, "),
    ("--profile osu,imb osu_bw", "osu_bw is stream as the profile osu measures it; write stream, or"),
    ("pingpong --set iterations=5", "there is no field 'iterations'; did you mean 'repetitions'?"),
    ("pingpong --iterations 5", "there is no option --iterations; write --set stop=reps --set repetitions=N"),
    ("pingpong -m 8", "there is no option -m; write --bytes"),
)
def test_other_names_are_answered_with_the_right_one(arguments: str, says: str, groma: Groma) -> None:
    said = groma("run", *arguments.split())
    said.refuses(says)
    if len(arguments.split()) == 1 and "not yet" in says:
        groma("list", arguments).refuses(says)


def test_plans_answer_with_the_right_name_and_its_line(groma: Groma) -> None:
    Path("plan.toml").write_text("[[points]]\noperation = 'bcast'\niterations = 5\n")
    groma("run", "plan.toml").refuses("plan.toml, line 3", "has no field 'iterations'; did you mean 'repetitions'?")
    Path("plan.toml").write_text("[[points]]\noperation = 'osu_bw'\n")
    groma("run", "plan.toml").refuses("plan.toml, line 2", "write stream, or measure it with groma run osu_bw")


def test_the_table_names_what_is_here(catalog: Catalog) -> None:
    operations = {operation.name for operation in catalog.operations}
    words = table()
    assert set(words) == {"operations", "fields", "options", "commands", "differences", "unmeasured"}
    for word, name in words["operations"].items():
        assert operations_named(name, catalog), word
        assert word not in operations, "a name of Groma's own goes before"
    for command in words["commands"].values():
        name, *further = command.split(" --set ")
        assert {word.partition("=")[0] for word in further} <= set(catalog.names("point"))
        assert name.partition(" -n ")[0] in operations
    assert set(words["fields"].values()) <= set(catalog.names("point"))
    for what, names in words["unmeasured"].items():
        for name in operations:
            assert not re.fullmatch(names, name), (what, name)
    with pytest.raises(InputError, match="there is no operation 'xyzzy'; see groma list operations"):
        understood("xyzzy", catalog)
    assert meaning("xyzzy", catalog) is None


def test_a_file_of_that_name_is_a_plan(groma: Groma) -> None:
    Path("latency").write_text("[[points]]\noperation = 'barrier'\n")
    assert points(groma, "latency") == ["operation=barrier"]
