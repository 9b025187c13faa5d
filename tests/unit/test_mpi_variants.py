"""MPI libraries as variants of one run: chosen by name or path, launched in turns, resumed, shown side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fakes import ENGINE, Groma
from fakes.libraries import abi_library, native_library

from groma.catalog import Catalog
from groma.errors import InputError
from groma.plan import Variant, parse_libraries
from groma.plan.toml import parse_plan
from groma.results import load_run

OPTIONS = ("--bytes", "8,64", "--launches", "6")


@pytest.fixture
def base_and_head(fakes: Path) -> str:
    """Two builds of one library; the second is half as fast."""
    base = abi_library(fakes / "opt" / "base", "4.3")
    head = abi_library(fakes / "opt" / "head", "5.1", "version=6 slower=50")
    return f"base={base},head={head}"


def document(path: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(path).read_text())
    return found


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("mpich,openmpi", ["mpich", "openmpi"]),
        ("base=/opt/a, head=/opt/b", ["base", "head"]),
        ("/opt/openmpi-5,/opt/mpich/bin/mpiexec", ["openmpi-5", "mpich"]),
        ("mpiexec.mpich,/usr/bin/mpiexec.openmpi", ["mpich", "openmpi"]),
    ],
)
def test_a_library_is_called_by_its_name_or_its_folder(text: str, names: list[str]) -> None:
    assert [variant.name for variant in parse_libraries([text])] == names


@pytest.mark.parametrize("text", ["", "mpich,", "a b=/opt/a", "base="])
def test_a_library_that_is_missing_between_commas_is_an_error(text: str) -> None:
    with pytest.raises(InputError):
        parse_libraries([text])


def test_a_plan_names_libraries(catalog: Catalog) -> None:
    text = "[[variant]]\nmpi = 'openmpi'\n[[variant]]\nname = 'b'\nmpi = '/opt/b'\nenv = {A = 1}\n"
    draft = parse_plan(f"{text}[[points]]\noperation = 'noop'", "p.toml", catalog)
    assert draft.variants == (Variant("openmpi", mpi="openmpi"), Variant("b", {"A": "1"}, "", "/opt/b"))


def test_libraries_take_turns_and_are_told(groma: Groma, base_and_head: str) -> None:
    said = groma("run", "pingpong", "--bytes", "8", "--launches", "6", "--mpi", base_and_head, "-o", "out")
    assert said.code == 0, said.err
    launches = [document(f"out/launches/{number:03d}/launch.json") for number in range(1, 13)]
    assert [one["variant"] for one in launches[:4]] == ["base", "head", "head", "base"]
    assert all(one["command"][0] == str(Path("opt", one["variant"], "bin/mpiexec").absolute()) for one in launches)
    assert all(one["library"]["engine_path"] == str(ENGINE) for one in launches)
    run = document("out/run.json")
    assert {name: one["version"] for name, one in run["libraries"].items()} == {"base": "1.0", "head": "6.0"}
    assert run["notes"] == []
    assert run["library"] == run["libraries"]["base"]
    assert run["libraries"]["head"]["launcher"] == str(Path("opt/head/bin/mpiexec").absolute())
    for text in ("head / base", "verdict", "slower", "1.5", "Fake 1.0 and Fake 6.0", "base is 1.50"):
        assert text in said.out, said.out


def test_variables_that_groma_chose_for_a_library_are_no_difference(groma: Groma, base_and_head: str) -> None:
    """What a user sets for one of them is a difference."""
    words = ("pingpong", "--bytes", "8", "--launches", "6")
    assert groma("run", *words, "--mpi", base_and_head, "-o", "out").code == 0

    def told(own: list[str]) -> set[str]:
        for number in range(1, 13):
            path = Path(f"out/launches/{number:03d}/launch.json")
            account = document(str(path))
            variables = {"LD_LIBRARY_PATH": account["variant"]}
            path.write_text(json.dumps(account | {"environment": variables, "set_by_groma": own}))
        said = groma("compare", "out", "--between", "base", "head", "--format", "json").out
        return {one["what"] for one in json.loads(said)["differences"]}

    assert document("out/launches/001/launch.json")["set_by_groma"] == []
    assert "MPI library" in told(["LD_LIBRARY_PATH"])
    assert "LD_LIBRARY_PATH" not in told(["LD_LIBRARY_PATH"])
    assert "LD_LIBRARY_PATH" in told([])


def test_equal_libraries_are_the_same_within_the_margin(groma: Groma, fakes: Path) -> None:
    for name in ("a", "b"):
        abi_library(fakes / name)
    said = groma("run", "pingpong", "--bytes", "8", "--launches", "8", "--mpi", f"{fakes}/a,{fakes}/b", "-o", "out")
    assert said.code == 0, said.err
    assert "same within 5 %" in said.out


def test_a_dry_run_shows_the_command_of_each_library(groma: Groma, base_and_head: str) -> None:
    said = groma("run", "pingpong", *OPTIONS, "--mpi", base_and_head, "--dry-run")
    assert said.code == 0, said.err
    lines = [line for line in said.out.splitlines() if "/bin/mpiexec" in line]
    assert ["opt/base" in line for line in lines] == [True, False], "each once"


def know(groma: Groma) -> None:
    """Name both libraries on this machine: what only a run names is not started by a resume."""
    for name in ("base", "head"):
        added = groma("mpi", "add", f"opt/{name}", "--name", name)
        assert added.code == 0, added.err


def test_a_run_of_libraries_goes_on(groma: Groma, base_and_head: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert groma("run", "pingpong", *OPTIONS, "--mpi", base_and_head, "-o", "out").code == 0
    for number in range(5, 13):
        Path(f"out/launches/{number:03d}").rename(Path(f"gone-{number}"))
    monkeypatch.delenv("GROMA_MPIEXEC")
    groma("run", "--resume", "out").refuses("opt/base/bin/mpiexec, which is of no library known here")
    know(groma)
    said = groma("run", "--resume", "out")
    assert said.code == 0, said.err
    run = load_run("out")
    assert run.missing() == []
    assert {(one.variant, one.start.library.version) for one in run.launches if one.start} == {
        ("base", "1.0"),
        ("head", "6.0"),
    }


def test_a_run_whose_engine_is_gone_does_not_go_on(groma: Groma, base_and_head: str) -> None:
    assert groma("run", "pingpong", *OPTIONS, "--mpi", base_and_head, "-o", "out").code == 0
    path = Path("out/run.json")
    path.write_text(path.read_text().replace(str(ENGINE), "/gone/groma-engine"))
    said = groma("run", "--resume", "out")
    said.refuses("/gone/groma-engine, which is gone")


def test_a_library_that_changes_within_a_variant_is_a_fault(groma: Groma, base_and_head: str) -> None:
    assert groma("run", "pingpong", *OPTIONS, "--mpi", base_and_head, "-o", "out").code == 0
    for number in range(5, 13):
        Path(f"out/launches/{number:03d}").rename(Path(f"gone-{number}"))
    know(groma)
    launcher = Path("opt/head/bin/mpiexec")
    launcher.write_text(launcher.read_text().replace("version=6", "version=7"))
    said = groma("run", "--resume", "out")
    assert said.code == 1
    assert "ran on Fake 7.0, others as head on Fake 6.0" in said.err


def test_points_that_one_engine_refuses_are_said_and_left_out(
    groma: Groma, base_and_head: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(setup: object, plan: object) -> dict[int, str]:
        del plan
        return {0: "it has no such call"} if "head" in str(setup) else {}

    monkeypatch.setattr("groma.libraries.choose.refused", refused)
    said = groma("run", "pingpong", *OPTIONS, "--mpi", base_and_head, "-o", "out")
    assert said.code == 0, said.err
    assert "pingpong is not measured with head (1 point): it has no such call." in said.err
    points = [document(f"out/launches/{number:03d}/launch.json")["points"] for number in range(1, 5)]
    assert points == [2, 1, 1, 2]
    assert "not measured with head" in document("out/run.json")["notes"][0]


def test_what_every_library_refuses_is_an_error(
    groma: Groma, base_and_head: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groma.libraries.choose.refused", lambda *_: {0: "it has no such call"})
    said = groma("run", "pingpong", *OPTIONS, "--mpi", base_and_head, "-o", "out")
    said.refuses("no library measures pingpong")
    assert not Path("out").exists()


def test_wrong_libraries_are_errors_before_anything_is_measured(groma: Groma, fakes: Path, base_and_head: str) -> None:
    native_library(fakes / "native")
    (fakes / "empty").mkdir()
    for asked, says in (
        ("nosuchlibrary", "there is no MPI library 'nosuchlibrary'"),
        ("base=/no/such/place", "there is no /no/such/place"),
        (f"{fakes}/empty", "is no MPI library"),
        (f"{fakes}/native", "there is no engine for it yet; build one: groma mpi add"),
        (f"a={fakes}/opt/base,b={fakes}/opt/base/bin/mpiexec", "a and b are two names for one library"),
        ("base=/opt/a,base=/opt/b", "two variants are called base"),
    ):
        said = groma("run", "pingpong", "--mpi", asked, "-o", "out")
        assert (said.code, says in said.err) == (2, True), (asked, said.err)
    (fakes / "native" / "bin" / "mpiexec").unlink()
    assert "has no launcher" in groma("run", "pingpong", "--mpi", f"{fakes}/native").err
    said = groma("run", "pingpong", "--mpi", base_and_head, "--variant", "a")
    assert "--variant and --mpi both name variants" in said.err
    assert (
        "--launcher would be used by no launch"
        in groma("run", "pingpong", "--mpi", base_and_head, "--launcher", "m").err
    )
