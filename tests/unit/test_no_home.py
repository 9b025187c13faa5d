"""A home folder that does not exist is not made: accounts of services have none, and root could."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from groma.launch.engine import describe, find_engine
from groma.text.secret import make_folder

if TYPE_CHECKING:
    from fakes import Groma

ROOT = Path(__file__).parents[2]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    missing = tmp_path / "nobody"
    monkeypatch.setenv("HOME", str(missing))
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    return missing


def test_a_run_does_not_make_it(groma: Groma, home: Path) -> None:
    assert groma("run", "barrier", "--launches", "1", "-o", "out").code == 0
    assert describe(find_engine()).operations
    assert not home.exists()


def test_an_engine_describes_itself_without_it_and_is_remembered_in_one_that_exists(fakes: Path, home: Path) -> None:
    del fakes
    assert describe(find_engine()).operations
    assert not home.exists()
    home.mkdir()
    assert describe(find_engine()).operations
    assert len([*home.glob(".cache/groma/describe-*")]) == 1


def test_what_has_to_be_there_says_that_it_is_missing(home: Path) -> None:
    with pytest.raises(FileNotFoundError, match="the home folder does not exist"):
        make_folder(home / ".config" / "groma")


def test_no_test_relies_on_a_folder_that_anybody_could_have_made() -> None:
    """/proc is the kernel's: nothing can be made there."""
    sources = [path for folder in ("tests", "engine/tests") for path in (ROOT / folder).rglob("*.[ch]pp")]
    sources += [path for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__)]
    relied = [str(path) for path in sources if re.search(r'["\s]/nonexistent', path.read_text(encoding="utf-8"))]
    assert len(sources) > 100
    assert relied == []
