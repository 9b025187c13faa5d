"""`groma gate` in turns on a real MPI library: a planted tenth is found, nothing is without, and git names its commit.

The library here is a small one before MPI's, whose barrier takes a millisecond: a tenth of that is no matter of noise.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import beds
import pytest

from groma.results import load_run

pytestmark = [pytest.mark.mpi, pytest.mark.slow]

COST_NS = 1_000_000
SOURCE = Path(__file__).parent / "interpose" / "costly.c"
GROMA = [sys.executable, "-c", "from groma.cli import main; main()"]
PLAN = ["barrier", "--set", "slot_s=0.05", "--set", "sync=dissemination", "-n", "2"]
ATTEMPTS = 3  # a burst of other work leaves a gate undecided
LONGEST_S = 600.0


def built(embedded: beds.Library, folder: Path, cost_ns: int = COST_NS) -> Path:
    """Return the library with this cost, built into a folder."""
    folder.mkdir(exist_ok=True)
    library = folder / "libcostly.so"
    done = beds.run(
        [embedded.mpicc, "-shared", "-fPIC", "-O1", f"-DCOST_NS={cost_ns}", str(SOURCE), "-o", str(library)]
    )
    assert done.exit_code == 0, done.errors
    return library


def sides(embedded: beds.Library, base: Path, head: Path) -> list[str]:
    """Return the options that measure both libraries in turns."""
    names = zip(("base", "head"), (base, head), strict=True)
    return [word for name, path in names for word in ("--variant", f"{name}:LD_PRELOAD={embedded.preloads(path)}")]


def surroundings(embedded: beds.Library, folder: Path) -> dict[str, str]:
    return embedded.environment(
        {
            "GROMA_ENGINE": str(embedded.engine),
            "GROMA_MPIEXEC": f"{embedded.mpiexec} -bind-to core",
            "GROMA_CONFIG": str(folder / "config"),
            "PYTHONPATH": os.pathsep.join(sys.path),
            "XDG_CACHE_HOME": str(folder / "cache"),
        }
    )


@pytest.mark.parametrize(("cost_ns", "code"), [(COST_NS, 0), (COST_NS * 11 // 10, 4)])
def test_a_planted_tenth_is_found_and_nothing_else(
    embedded: beds.Library, tmp_path: Path, cost_ns: int, code: int
) -> None:
    given = sides(embedded, built(embedded, tmp_path / "good"), built(embedded, tmp_path / "new", cost_ns))
    for attempt in range(ATTEMPTS):
        run = tmp_path / f"run-{attempt}"
        said = beds.run([*GROMA, "gate", *PLAN, *given, "-o", str(run)], surroundings(embedded, tmp_path), LONGEST_S)
        assert said.exit_code in (code, 125), said.output + said.errors
        if said.exit_code == code:
            break
    assert said.exit_code == code, said.output
    found = re.match(r"Regression: 1 point slower than base by more than 5 %: barrier \((1\.\d\d) times", said.output)
    assert (found is not None) == (code == 4), said.output
    assert found is None or 1.08 <= float(found[1]) <= 1.12
    assert {launch.variant for launch in load_run(run).launches} == {"base", "head"}


def test_git_bisect_names_the_commit_of_a_library_that_made_it_slower(embedded: beds.Library, tmp_path: Path) -> None:
    """Eight commits; the sixth makes the barrier a tenth slower. Every step builds, installs and gates in turns."""
    good, repository, new = built(embedded, tmp_path / "good"), tmp_path / "library", tmp_path / "new"
    repository.mkdir()
    new.mkdir()
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C", str(repository)]
    shutil.copy(SOURCE, repository / "costly.c")
    compiled = f"{embedded.mpicc} -shared -fPIC -O1 -DCOST_NS=$(cat cost) costly.c -o {new}/libcostly.so\n"
    (repository / "install.sh").write_text(compiled)
    subprocess.run([*git, "init", "-q"], check=True)
    for commit in range(1, 9):
        (repository / "notes").write_text(f"commit {commit}\n")
        (repository / "cost").write_text(f"{COST_NS * (11 if commit >= 6 else 10) // 10}\n")
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-q", "-m", f"commit {commit}"], check=True)
    gate = [*GROMA, "gate", *PLAN, *sides(embedded, good, new / "libcostly.so"), "--bisect", "bash install.sh"]
    once = f"{shlex.join(gate)}; code=$?; [ $code = 125 ] && exec {shlex.join(gate)}; exit $code"
    subprocess.run([*git, "bisect", "start", "HEAD", "HEAD~7"], check=True, capture_output=True)
    done = beds.run([*git, "bisect", "run", "bash", "-c", once], surroundings(embedded, tmp_path), LONGEST_S)
    assert re.search(r"is the first bad commit(.|\n)*commit 6\n", done.output), done.output + done.errors
    assert "skip" not in subprocess.run([*git, "bisect", "log"], check=True, capture_output=True, text=True).stdout
