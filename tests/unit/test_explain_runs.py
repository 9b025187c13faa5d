"""Runs that are there already are explained by each other, where they differ in what a factor is."""

from __future__ import annotations

import numpy as np
import pytest
from fakes import Groma, Said

from groma.explain import attribute
from groma.explain.sentences import separate_runs


def existing(groma: Groma, *names: str) -> Said:
    return groma("explain", *names, "--operation", "bcast")


def test_two_runs_that_differ_in_one_factor_are_explained_as_they_are(groma: Groma) -> None:
    for name, sync in (("a", "barrier"), ("b", "none")):
        assert groma("run", "bcast", "--bytes", "1K", "--set", f"sync={sync}", "--launches", "2", "-o", name).code == 0
    said = existing(groma, "a", "b")
    assert said.code == 0
    assert said.err == "Fewer than 6 launches give no 95% intervals; measure 10.\n"
    assert "sync: barrier → none" in said.out
    assert "b reports 1.00\u00d7 the time of a for bcast at 1 KiB" in said.out
    assert "by the same method" in existing(groma, "a", "a").out


def test_what_runs_did_not_measure_is_named_and_can_be_measured_and_added(groma: Groma) -> None:
    for name, sync, cache in (("a", "barrier", "warm"), ("b", "none", "sweep")):
        settings = ["--set", f"sync={sync}", "--set", f"cache={cache}", "--set", "warmups=3"]
        assert groma("run", "bcast", "--bytes", "1K", *settings, "--launches", "2", "-o", name).code == 0
    said = existing(groma, "a", "b")
    assert said.code == 1
    assert "They differ in sync: barrier → none; cache: warm → sweep." in " ".join(said.out.split())
    assert "2 combinations of these factors were not measured, so the factors cannot be separated." in said.out
    command = "groma run bcast -n 2 --bytes 1K --set warmups=3 --set sync=barrier,none --set cache=warm,sweep"
    assert said.last_line == command
    assert groma(*said.last_line.split()[1:], "--launches", "2", "-o", "c").code == 0
    said = existing(groma, "a", "b", "c")
    assert said.code == 0
    assert "together" in said.out


@pytest.mark.parametrize(
    ("plain", "form", "says"),
    [
        ("bcast", "bcast_then_barrier", "a barrier after every call"),
        ("sendrecv", "sendrecv_pairwise", "pairs instead of a ring"),
    ],
)
def test_runs_of_two_forms_of_an_operation_are_compared(groma: Groma, plain: str, form: str, says: str) -> None:
    settings = ["--bytes", "1K", "--launches", "2", "--set", "sync=barrier", "--set", "timing=call"]
    for name, operation in (("a", plain), ("b", form)):
        assert groma("run", operation, *settings, "-o", name).code == 0
    said = groma("explain", "a", "b", "--operation", plain)
    assert (said.code, says in said.out) == (0, True), said.out + said.err
    assert groma("run", form, *settings, "--set", "warmups=3", "--set", "cache=sweep", "-o", "c").code == 0
    missing = groma("explain", "a", "c", "--operation", form)
    commands = [line.split() for line in missing.out.splitlines() if line.startswith("groma run ")]
    named = {word for words in commands for word in words[2 : words.index("-n")]}
    assert named == {plain, form}, "each combination by its own form"


def test_combinations_that_are_illegal_are_not_asked_for(groma: Groma) -> None:
    for name, timing, cache in (("a", "block", "warm"), ("b", "call", "sweep")):
        settings = ["--set", f"timing={timing}", "--set", f"cache={cache}", "--set", "sync=none", "--set", "reduce=max"]
        assert groma("run", "bcast", "--bytes", "1K", *settings, "--launches", "2", "-o", name).code == 0
    said = existing(groma, "a", "b")
    assert "1 combination of these factors was not measured" in said.out
    assert "timing=block" not in said.last_line
    assert "cache=" not in said.last_line


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["a"], "name a second run"),
        ([], "name two runs that exist, or two profiles"),
        (["a", "b", "--between", "pmb", "imb"], "name two runs that exist, or two profiles"),
        (["a", "b", "--launches", "3"], "runs that exist are not measured again"),
        (["a", "both"], "measured bcast at 1 KiB in 2 ways (sync=barrier; sync=none); choose one with --set"),
        (["a", "barriers"], "barriers has not measured bcast at 1 KiB on 2 ranks"),
    ],
)
def test_runs_that_cannot_be_compared(groma: Groma, names: list[str], text: str) -> None:
    for name, what, settings in (
        ("a", "bcast", ["--bytes", "1K", "--set", "sync=barrier"]),
        ("b", "bcast", ["--bytes", "1K", "--set", "sync=none"]),
        ("both", "bcast", ["--bytes", "1K", "--set", "sync=barrier,none"]),
        ("barriers", "barrier", []),
    ):
        if name in names:
            assert groma("run", what, *settings, "--launches", "1", "-o", name).code == 0
    said = existing(groma, *names)
    said.refuses(text)


def test_runs_of_two_libraries_are_not_compared(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, version in (("a", 1), ("b", 2)):
        monkeypatch.setenv("FAKE_ENGINE", f"version={version}")
        assert groma("run", "bcast", "--bytes", "1K", "--launches", "1", "-o", name).code == 0
    said = existing(groma, "a", "b")
    said.refuses("Fake 1.0 and Fake 2.0")


def test_masks_of_different_runs_are_drawn_apart() -> None:
    """Launches of one run share what happened to them; those of two runs do not, and their interval must be wider."""
    random = np.random.default_rng(4)
    shared = np.exp(random.normal(0, 0.2, 12))
    times = {mask: 1000 * shared * np.exp(random.normal(0, 0.001, 12)) for mask in range(2)}
    origin = {0: 0, 1: 1}
    together, apart = (attribute(times, 1, origin=one, run_sd=0.0).total.interval for one in ({0: 0, 1: 0}, origin))
    assert together is not None
    assert apart is not None
    assert apart.high - apart.low > 20 * (together.high - together.low)
    wider = attribute(times, 1, origin=origin, run_sd=0.5).total.interval
    assert wider is not None
    assert wider.high - wider.low == pytest.approx(2 * 1.96 * 2**0.5 * 0.5 * 1.2, rel=0.1), (
        "runs add their variance; 1.2: expanded for 12 launches"
    )
    unknown = attribute(times, 1, origin=origin)
    assert unknown.total.interval is None, "two single runs cannot tell"
    assert separate_runs(unknown)[0].startswith("These are separate runs")
    assert separate_runs(attribute(times, 1)) == []
    longer = times | {1: np.append(times[1], times[1][:3])}
    assert attribute(longer, 1, origin={0: 0, 1: 1}).launches == 12
