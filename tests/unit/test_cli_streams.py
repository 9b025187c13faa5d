"""What standard streams may be: closed, or of an encoding that lacks characters; and lines that fit 40 columns."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from groma.text.console import out

if TYPE_CHECKING:
    from fakes import Groma

RECORDED = Path(__file__).parents[1] / "recorded"
SHOW = ("show", str(RECORDED / "two-launches"))


def command(*arguments: str, redirected: str = "", **variables: str) -> subprocess.CompletedProcess[bytes]:
    """Run groma as a module in a shell that redirects its streams."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | variables
    line = ["sh", "-c", f'exec "$@" {redirected}', "sh", sys.executable, "-m", "groma", *arguments]
    return subprocess.run(line, env=environment, capture_output=True, check=False)


def test_groma_runs_as_a_module() -> None:
    assert command("--version").stdout.startswith(b"groma, version")


@pytest.mark.parametrize("arguments", [("list", "fields"), SHOW, ("--version",), ("--help",)], ids=" ".join)
def test_a_closed_standard_output_is_one_sentence(arguments: tuple[str, ...]) -> None:
    done = command(*arguments, redirected=">&-")
    assert done.returncode == 1
    assert done.stderr.decode() == (
        "groma: the output could not be written (it is closed); nothing that was measured is lost\n"
    )


def test_a_closed_standard_output_does_not_hide_wrong_input() -> None:
    done = command("shwo", redirected=">&-")
    assert done.returncode == 2
    assert b"did you mean 'show'" in done.stderr


def test_all_streams_may_be_closed() -> None:
    assert command(*SHOW, redirected="<&- >&- 2>&-").returncode == 1
    assert command("shwo", redirected="<&- >&- 2>&-").returncode == 2


def test_files_do_not_get_the_number_of_a_closed_stream(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    done = command("report", SHOW[1], "-o", str(report), redirected=">&-")
    assert done.returncode == 1
    assert report.read_text(encoding="utf-8").endswith("</html>")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_an_encoding_without_the_signs_of_checks_gets_others(encoding: str) -> None:
    whole = command(*SHOW, "--checks", PYTHONIOENCODING="utf-8").stdout.decode("utf-8")
    done = command(*SHOW, "--checks", PYTHONIOENCODING=encoding)
    text = done.stdout.decode(encoding)
    assert done.returncode == 0
    assert not done.stderr
    assert "\N{CHECK MARK} ranks" in whole
    assert "+ ranks" in text
    assert "X noise" in text
    assert "?" not in text.replace("REPORT?", "")
    assert len(text.splitlines()) == len(whole.splitlines())


def test_a_file_name_that_is_no_text_is_printed_as_it_is(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/caf\xe9"
    os.mkdir(folder)  # noqa: PTH102 - pathlib takes no bytes
    done = command("runs", os.fsdecode(folder), PYTHONIOENCODING="utf-8")
    assert b"Traceback" not in done.stderr
    assert b"caf" in done.stdout + done.stderr


@pytest.mark.parametrize("run", sorted(path.name for path in RECORDED.iterdir() if (path / "run.json").is_file()))
def test_a_run_fits_40_columns(run: str, groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    lines = groma("show", str(RECORDED / run), "--define").out.splitlines()
    assert len(lines) > 20
    assert [line for line in lines if len(line) > 40] == []


@pytest.mark.parametrize("arguments", ["list", "list fields", f"advice {RECORDED / 'alcf'}"])
def test_lists_fit_40_columns(arguments: str, groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    lines = groma(*arguments.split()).out.splitlines()
    assert len(lines) > 20
    assert [line for line in lines if len(line) > 40] == []
    assert out().width == 40
