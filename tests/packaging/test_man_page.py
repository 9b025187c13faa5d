"""The man page has every verb and option, is valid roff, and is installed; `make check` holds that it is current."""

from __future__ import annotations

import importlib.metadata
import re
import shutil
from pathlib import Path

import beds
import click
import pytest

from groma.cli.main import VERBS, groma_command
from tools.man_page import PAGE, roff


def test_every_verb_has_its_options_there() -> None:
    sections = re.split(r'^\.SS "groma ', PAGE.read_text(), flags=re.MULTILINE)[1:]
    texts = {section.split()[0]: section for section in reversed(sections)}  # the first of a group is the group's own
    assert set(texts) == set(map(roff, VERBS))
    context = click.Context(groma_command)
    for verb, text in texts.items():
        command = groma_command.get_command(context, verb.replace("\\-", "-"))
        assert command is not None
        options = [name for option in command.params for name in option.opts if name.startswith("--")]
        assert [name for name in options if roff(name) not in text] == [], verb


def test_dots_and_dashes_are_printed_as_they_are() -> None:
    assert roff(".TH -n\n'x' \\ a.b") == "\\&.TH \\-n\n\\&'x' \\e a.b"


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_the_page_is_valid_roff() -> None:
    printed = beds.run(["groff", "-man", "-Tutf8", "-ww", "-z", str(PAGE)])
    assert printed.exit_code == 0
    assert printed.errors == ""


def test_the_page_is_installed_where_man_looks() -> None:
    try:
        files = importlib.metadata.files("groma") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("groma is not installed")
    pages = [file.locate() for file in files if file.as_posix().endswith("share/man/man1/groma.1")]
    if not any("_engine_sources" in file.as_posix() for file in files):
        pytest.skip("groma is not installed from a wheel")
    assert [Path(page).read_text(encoding="utf-8") for page in pages] == [PAGE.read_text(encoding="utf-8")]
