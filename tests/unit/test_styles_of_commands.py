"""Styles in `groma run` and `groma show`."""

from __future__ import annotations

from pathlib import Path

from fakes import Groma, refused


def test_run_says_how_to_see_its_style_and_show_prints_only_that(groma: Groma) -> None:
    said = groma("run", "--profile", "osu", "--bytes", "8,64", "--launches", "1", "-o", "out")
    assert "groma show out --style osu" in said.out.splitlines()[-2]
    assert said.last_line == "out"
    shown = groma("show", "out", "--style", "osu")
    assert shown.code == 0
    assert shown.err == ""
    assert all(line.startswith("#") or line == "" or line.split()[0] for line in shown.out.splitlines())
    assert "# OSU MPI Barrier Latency Test" in shown.out


def test_what_is_lacking_stays_out_of_the_tables(groma: Groma) -> None:
    assert groma("run", "bcast", "pingpong", "--bytes", "8", "--launches", "1", "-o", "out").code == 0
    shown = groma("show", "out", "--style", "osu")
    assert shown.code == 1
    assert "Broadcast" not in shown.out
    assert shown.err.startswith("bcast: its times are not means over ranks (reduce=span); measure it with: groma run")


@refused(
    ("show out --style oso", "there is no style 'oso'; did you mean 'osu'"),
    ("show out --style osu --define", "--define explains Groma's own tables"),
    ("run plan.toml", "plan.toml, line 1: there is no style 'ozu'"),
)
def test_wrong_styles(groma: Groma, arguments: str, says: str) -> None:
    Path("plan.toml").write_text("style = 'ozu'\n[[points]]\noperation = 'bcast'\n")
    groma(*arguments.split()).refuses(says)
