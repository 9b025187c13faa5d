"""`groma --help`: verbs by what people want, and `groma help VERB`."""

from __future__ import annotations

import re

import pytest
from fakes import Groma

from groma.cli.main import GROUPS, VERBS


def test_verbs_are_listed_by_what_people_want(groma: Groma) -> None:
    sections = re.split(r"^(\w[\w ]*):\n", groma("--help").out, flags=re.MULTILINE)
    listed = dict(zip(sections[1::2], sections[2::2], strict=True))
    del listed["Options"]
    assert list(listed) == list(GROUPS) == ["Measure", "Look", "Decide", "Share", "Set up"]
    found = {group: re.findall(r"^  ([\w-]+) ", text, flags=re.MULTILINE) for group, text in listed.items()}
    assert found == {group: list(verbs) for group, verbs in GROUPS.items()}
    assert len(VERBS) == sum(map(len, GROUPS.values()))  # none is in two groups


@pytest.mark.parametrize("words", [[], ["run"], ["baseline"], ["baseline", "set"]])
def test_help_of_a_verb_is_what_its_option_prints(groma: Groma, words: list[str]) -> None:
    said = groma("help", *words)
    assert said.code == 0
    assert said.out == groma(*words, "--help").out
    assert said.out.startswith(" ".join(["Usage: groma", *words]))


def test_help_of_an_unknown_verb_names_the_nearest(groma: Groma) -> None:
    said = groma("help", "rnu")
    assert said.code == 2
    assert "there is no command 'rnu'; did you mean 'run'?" in said.err
