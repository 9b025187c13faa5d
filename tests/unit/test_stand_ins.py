"""What the options of other programs ask for, as points of Groma's plans."""

from __future__ import annotations

from pathlib import Path

import pytest

from groma.catalog import packaged
from groma.cli.main import main
from groma.errors import InputError
from groma.plan import Plan
from groma.programs.standing import stand_in_named, stand_ins


def asked(name: str, text: str, ranks: int = 2) -> Plan:
    read, _ = stand_in_named(name)
    plan = read(name, text.split(), ranks, packaged())
    assert isinstance(plan, Plan)
    return plan


def sizes(plan: Plan) -> list[object]:
    return [point["bytes"] for point in plan.points]


def test_what_hpctestlib_asks_for_is_what_is_measured() -> None:
    plan = asked("osu_latency", "-m 8 -x 10 -i 1000 -c D D")
    assert sizes(plan) == [1, 2, 4, 8]
    for point in plan.points:
        assert point["operation"] == "pingpong"
        assert (point["warmups"], point["repetitions"], point["check"]) == (10, 1000, True)
        assert (point["sync"], point["clock"], point["datatype"]) == ("none", "mpi", "char")
        assert point["limit_s"] == 0  # the original is never ended by itself


@pytest.mark.parametrize(
    ("text", "expected"),
    [("-m 4:32", [4, 8, 16, 32]), ("-m 0:2", [0, 1, 2]), ("-m 3:20", [3, 6, 12]), ("-m 2097152:", [2097152, 4194304])],
)
def test_sizes_double_from_the_smallest(text: str, expected: list[int]) -> None:
    assert sizes(asked("osu_latency", text)) == expected


def test_a_size_of_the_whole_vector_is_divided_among_the_ranks() -> None:
    assert sizes(asked("osu_reduce_scatter", "-m 8:32", ranks=4)) == [2, 4, 8]


def test_options_that_a_test_does_not_use_change_nothing() -> None:
    assert asked("osu_barrier", "-m 8 -W 4 -i 5").points[0].keys().isdisjoint({"bytes", "window"})


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("-f", "option -f not recognized; osu_bw -h lists the options of Groma's stand-in"),
        ("-i many", "-i 'many' is not a whole number of at least 1"),
        ("-i", "option -i requires argument; osu_bw -h lists the options of Groma's stand-in"),
        ("-m 8:4", "-m '8:4' has no sizes; write MIN:MAX, such as 1:8192"),
        ("-T complex", "-T 'complex' is not one of mpi_char, mpi_int, mpi_float"),
        ("-d cuda D D", "-d cuda: Groma's stand-in has no buffers on devices; leave it out"),
        ("D D D", "'D' is not known; osu_bw -h lists the options of Groma's stand-in"),
        ("X", "'X' is not known; osu_bw -h lists the options of Groma's stand-in"),
    ],
)
def test_what_is_not_understood_is_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        asked("osu_bw", text)
    assert str(error.value) == sentence


def test_imb_measures_one_pair_once_and_collectives_on_more_and_more_processes() -> None:
    plan = asked("IMB-MPI1", "PingPong bcast -npmin 2 -msglog 4 -iter 30", ranks=6)
    assert [(point["operation"], point.get("ranks", 6)) for point in plan.points if point["bytes"] == 16] == [
        *[("pingpong", 6), ("bcast", 2), ("bcast", 4), ("bcast", 6)]
    ]
    assert {point["bytes"] for point in plan.points} == {0, 1, 2, 4, 8, 16}
    assert {point["block"] for point in plan.points if point["operation"] == "pingpong"} == {30}
    assert {point["repetitions"] for point in plan.points if point["operation"] == "bcast"} == {30}


@pytest.mark.parametrize("text", ["PongPing", "-npmin", "-map 2x2", "-msglog 5:2", "-msglog 99"])
def test_imb_refuses_what_it_does_not_know(text: str) -> None:
    with pytest.raises(InputError):
        asked("IMB-MPI1", text)


def test_a_file_that_is_not_groma_s_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    theirs = tmp_path / min(stand_ins())
    theirs.write_text("#!/bin/sh\n")
    with pytest.raises(SystemExit) as ended:
        main(["stand-ins", str(tmp_path)])
    assert ended.value.code == 2
    assert "is there and not Groma's; name another folder" in capsys.readouterr().err
    assert theirs.read_text() == "#!/bin/sh\n"
