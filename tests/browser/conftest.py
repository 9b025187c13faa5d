"""Chromium, and the seven kinds of page that people are sent: of a synthetic, a recorded or a faked run each."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from fakes import ENGINE, MPIEXEC
from judging import refused_by_engine
from synthetic import Scenario, make_run
from visits import STARTED_WITH

from groma.catalog import packaged
from groma.explain import MethodPair, attribute, pair_methods
from groma.explain.page import write_page
from groma.plan import read_profile
from groma.report.page import write_report
from groma.results import load_run

if TYPE_CHECKING:
    from playwright import sync_api
else:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")

RECORDED = Path(__file__).parents[1] / "recorded"
QUICK = Scenario(
    launches=8,
    samples=60,
    operations=("pingpong", "stream", "allreduce", "bcast", "barrier"),
    disturbed=(3,),
    ended_early={6: 20},
    failed={2: "timeout"},
    clocked=True,
    state="partial",
)
PAGES = ("quick", "nas", "commtest", "alcf", "bcast_test", "pairs", "explain")
ALWAYS = ("quick", "explain")


@pytest.fixture(scope="session")
def browser() -> Iterator[sync_api.Browser]:
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=STARTED_WITH)
        yield started
        started.close()


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the path of a page of PAGES; each is made once."""
    folder = tmp_path_factory.mktemp("pages")

    def made(name: str) -> Path:
        path = folder / f"{name}.html"
        if not path.exists():
            _make(name, folder, path)
        return path

    return made


@pytest.fixture(scope="session")
def report(pages: Callable[[str], Path]) -> Path:
    return pages("quick")


@pytest.fixture(params=[pytest.param(name, marks=[] if name in ALWAYS else [pytest.mark.slow]) for name in PAGES])
def page_file(request: pytest.FixtureRequest, pages: Callable[[str], Path]) -> Path:
    """Each page in turn."""
    return pages(request.param)


def _make(name: str, folder: Path, path: Path) -> None:
    if name == "explain":
        comparison, found_in = _comparison()
        write_page(comparison, attribute(found_in, len(comparison.changes)), path, ["Launch 2 was disturbed."])
    elif name == "quick":
        write_report(load_run(make_run(folder / "a run", QUICK)), path)
    elif name in {"commtest", "alcf", "pairs"}:
        write_report(load_run(RECORDED / name), path)
    else:
        run = folder / f"run-{name}"
        _groma("run", "--profile", name, "--launches", "3", "-o", str(run))
        write_report(load_run(run), path)


def _groma(*arguments: str) -> None:
    """Run groma on an engine and a launcher that measure nothing."""
    words = [sys.executable, "-c", "import sys; from groma.cli import main; sys.exit(main())", *arguments]
    environment = os.environ | {"GROMA_ENGINE": str(ENGINE), "GROMA_MPIEXEC": str(MPIEXEC)}
    subprocess.run(words, env=environment, check=True, capture_output=True)


def _comparison() -> tuple[MethodPair, dict[int, np.ndarray]]:
    """Return two profiles and times of all mixtures: one factor matters, and launches differ."""
    catalog = packaged()
    drafts = (read_profile("pmb", catalog), read_profile("skampi", catalog))
    comparison = pair_methods(drafts, "bcast", 1024, {"stop": "time", "slot_s": 0.1}, catalog).judged(refused_by_engine)
    random = np.random.default_rng(5)
    slow = next(place for place, change in enumerate(comparison.changes) if "cache" in change.name)
    times = {
        mask: 400 * (20.0 if mask >> slow & 1 else 1.0) * random.lognormal(0, 0.2, 8) for mask in comparison.possible()
    }
    return comparison, times
