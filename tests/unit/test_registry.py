"""Programs: Groma's have the form, a site's own are found, and a broken one is one sentence and breaks no other."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from documented import ROOT
from fakes import Groma

from groma.catalog import Catalog, registry
from groma.catalog.registry import Program, programs, styles
from groma.errors import GromaError, InputError, ProgramError
from groma.plan import expand, profile_names, read_profile
from groma.programs.answers import check_references, read_style
from groma.programs.sheet import Style

SITE = ROOT / "examples" / "site"
GOLDEN = ROOT / "tests" / "golden"
PRINTS_AS = {"skampi5": "skampi", "imb_rma": "imb"}


@pytest.fixture
def site(fakes: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A site's configuration folder: that of the example."""
    folder = fakes / "site"
    shutil.copytree(SITE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setenv("GROMA_CONFIG", str(folder))
    registry._read.cache_clear()
    return folder


# Groma's own.


@pytest.mark.parametrize("name", programs())
def test_every_program_has_the_form(name: str, catalog: Catalog) -> None:
    program = programs()[name]
    assert program.is_ours
    assert sys.modules[program.package].__doc__
    own = [profile.name for profile in registry.registry().profiles.values() if profile.program == name]
    assert own == [name]
    draft = read_profile(name, catalog)
    assert draft.summary.endswith(".")
    assert expand(draft, catalog).points
    assert draft.style == PRINTS_AS.get(name, name if program.style else None)
    for part in filter(None, (program.study, program.across, program.panel, program.stages)):
        assert callable(program.part(part))
    assert bool(program.style) == bool(program.prints)
    assert bool(program.panel) == bool(program.compares)
    for option in program.options:
        assert callable(program.part(option.read))
        assert program.style
    if program.style:
        assert isinstance(read_style(name), Style)
        assert (GOLDEN / f"style-{name}.txt").is_file()
    if program.references:
        assert program.ask(program.references)
        assert program.study


def test_no_program_is_known_by_name_elsewhere() -> None:
    """The verbs and the report ask the registry; `groma quick` is a verb and a profile."""
    for path in [*(ROOT / "src/groma/cli").glob("*.py"), *(ROOT / "src/groma/report").rglob("*.*")]:
        if path.suffix in {".py", ".html", ".js"}:
            text = path.read_text()
            for name in programs().keys() - {"quick"}:
                assert f"groma.programs.{name}" not in text, path
                assert f'"{name}"' not in text, path


def test_programs_do_not_know_each_other() -> None:
    """What several share is in groma.programs itself, which knows none of them."""
    for path in (ROOT / "src/groma/programs").rglob("*.py"):
        others = programs().keys() - {path.parent.name}
        assert [name for name in others if f"groma.programs.{name}" in path.read_text()] == [], path


# A site's own.


def test_a_profile_of_a_site_is_listed_and_measured(groma: Groma, site: Path) -> None:
    assert "nightly " in groma("list", "profiles").out
    said = groma("list", "nightly")
    assert str(site / "profiles" / "nightly.toml") in said.out
    assert groma("run", "--profile", "nightly", "--launches", "1", "-o", "out").code == 0
    assert groma("show", "out").code == 0
    assert "did you mean 'nightly'" in groma("run", "--profile", "nigthly").err


def test_a_program_of_a_site_prints_as_its_folder_says(groma: Groma, site: Path) -> None:
    said = groma("list", "programs").out
    assert "profile ringtest, a style (groma show --style ringtest)" in said
    assert str(site / "programs" / "ringtest") in groma("list", "ringtest").out
    said = groma("run", "--profile", "ringtest", "--launches", "1", "-o", "out").out
    assert "groma show out --style ringtest" in said
    shown = groma("show", "out", "--style", "ringtest")
    assert shown.code == 0, shown.err
    assert shown.out.splitlines()[0] == "bytes,us,MB/s"
    assert [line.split(",")[0] for line in shown.out.splitlines()[1:]] == ["8", "64", "512", "4096", "32768"]


def test_a_wrong_profile_of_a_site_is_refused_with_file_and_line(groma: Groma, site: Path) -> None:
    path = site / "profiles" / "nightly.toml"
    path.write_text(path.read_text().replace("launches", "lanches"))
    said = groma("run", "--profile", "nightly")
    said.refuses(f"{path}, line 4: the plan has no field 'lanches'; did you mean 'launches'?")
    assert f"cannot be used: {path}, line 4" in groma("list", "profiles").out
    assert groma("run", "--profile", "quick", "--dry-run").code == 0


@pytest.mark.parametrize("text", ["PROGRAM = Program()", "def (", "import nowhere_to_be_found", "'nothing'"])
def test_a_broken_program_is_one_sentence_where_it_is_asked_for(groma: Groma, site: Path, text: str) -> None:
    init = site / "programs" / "ringtest" / "__init__.py"
    init.write_text(text)
    assert groma("run", "bcast", "--launches", "1", "-o", "out").code == 0
    assert groma("show", "out").code == 0
    for asked in (
        ("run", "--profile", "ringtest"),
        ("show", "out", "--style", "ringtest"),
        ("list", "ringtest"),
    ):
        said = groma(*asked)
        said.refuses(f"{init}", "the program ringtest cannot be used (")
        assert said.err.rstrip().endswith("repair or remove it")
        assert len(said.err.splitlines()) == 1
    listed = groma("list", "programs")
    assert listed.code == 0
    assert f"cannot be used: {init}" in listed.out
    assert "osu" in listed.out


def test_what_a_broken_part_does_is_said_with_its_line(groma: Groma, site: Path) -> None:
    folder = site / "programs" / "ringtest"
    (folder / "style.py").write_text((folder / "style.py").read_text().replace("point.bytes", "point.octets"))
    (folder / "parts.py").write_text("def study(run, summaries, against):\n    return 1 / 0\n\n\npanel = study\n")
    init = folder / "__init__.py"
    parts = 'study=".parts:study", panel=".parts:lost", compares="rings", operations=("barrier",), style='
    init.write_text(init.read_text().replace("style=", parts, 1))
    assert groma("run", "--profile", "ringtest", "--launches", "1", "-o", "out").code == 0
    said = groma("show", "out", "--style", "ringtest")
    said.refuses(f"{folder / 'style.py'}, line 20: the program ringtest cannot be used")
    shown = groma("show", "out")
    assert shown.code == 0
    assert f"{folder / 'parts.py'}, line 2: the program ringtest cannot be used (division by zero)" in shown.out
    assert groma("run", "barrier", "--launches", "1", "-o", "other").code == 0
    assert "has no attribute 'lost'" in groma("show", "other").out
    page = Path(groma("report", "other").last_line).read_text()
    assert "has no attribute &#39;lost&#39;" in page


def test_a_name_that_is_there_twice_is_refused(groma: Groma, site: Path) -> None:
    shutil.copy(site / "profiles" / "nightly.toml", site / "profiles" / "quick.toml")
    said = groma("run", "--profile", "quick")
    said.refuses("the profile quick is there twice: ", f"{site / 'profiles' / 'quick.toml'}; rename or remove one")
    (site / "programs" / "ringtest").rename(site / "programs" / "osu")
    registry._read.cache_clear()
    for asked in (("run", "--profile", "osu"), ("list", "osu")):
        said = groma(*asked)
        said.refuses(f"the program osu is there twice: Groma's own and {site / 'programs' / 'osu'}; rename")
    assert groma("run", "--profile", "imb", "--dry-run").code == 0


def test_an_option_of_a_site_is_one_of_show(groma: Groma, site: Path) -> None:
    folder = site / "programs" / "ringtest"
    init = folder / "__init__.py"
    option = 'Option("--unit", "UNIT", "ms or us.", ".style:unit")'
    text = init.read_text().replace("import Program", "import Option, Program")
    init.write_text(text.replace("style=", f"options=({option},),\n    style=", 1))
    style = (folder / "style.py").read_text().replace('write("bytes', 'write(str(sheet.options), "bytes')
    (folder / "style.py").write_text(f"{style}\n\ndef unit(texts):\n    return '+'.join(texts)\n")
    assert "--unit UNIT" in groma("show", "--help").out
    assert groma("run", "--profile", "ringtest", "--launches", "1", "-o", "out").code == 0
    said = groma("show", "out", "--style", "ringtest", "--unit", "ms", "--unit", "us")
    assert said.out.splitlines()[0] == "{'unit': 'ms+us'}"
    said = groma("show", "out", "--style", "osu", "--unit", "ms")
    said.refuses("--unit is for --style ringtest; leave it out, or add that style")


def test_the_configuration_folder_is_the_users_unless_the_variable_names_one(
    fakes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert registry.configuration() == fakes / "config" / "groma"
    monkeypatch.setenv("GROMA_CONFIG", "/site/groma")
    assert registry.configuration() == Path("/site/groma")


# Programs of installed packages.


def test_an_entry_point_brings_a_program(site: Path, monkeypatch: pytest.MonkeyPatch, catalog: Catalog) -> None:
    package = site.parent / "installed" / "rings"
    shutil.move(site / "programs" / "ringtest", package / "ringtest")
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(package.parent))
    about = package.parent / "rings-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: rings\nVersion: 1.0\n")
    entries = ["ringtest = rings.ringtest:PROGRAM", "lost = rings.lost:PROGRAM"]
    (about / "entry_points.txt").write_text("\n".join([f"[{registry.GROUP}]", *entries, ""]))
    registry._read.cache_clear()
    assert programs()["ringtest"].package == "rings.ringtest"
    assert read_profile("ringtest", catalog).style == "ringtest"
    assert "ringtest" in profile_names()
    assert isinstance(read_style("ringtest"), Style)
    assert "ringtest" in styles()
    with pytest.raises(ProgramError, match=r"the program lost of the installed rings\.lost:PROGRAM cannot be used"):
        read_style("lost")


def test_errors_that_a_program_means_are_left_as_they_are() -> None:
    program = Program("rings.ringtest")

    def refuse() -> None:
        raise InputError("ask otherwise")

    with pytest.raises(GromaError, match="ask otherwise"):
        program.guard(refuse)


def test_references_are_those_of_a_program() -> None:
    assert check_references("commtest", ["cheetah"]) == ("IBM p690 cheetah",)
