"""The `groma` command on an engine and a launcher that measure nothing (tests/fakes)."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakes import ENGINE, MPIEXEC, Groma, Said, answers

from groma.catalog import Catalog, packaged
from groma.cli import main
from groma.launch import launcher


@pytest.fixture
def catalog() -> Catalog:
    """What the engine of this version can be asked."""
    return packaged()


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty directory to work in, with the fake engine and launcher chosen."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("GROMA_ENGINE", str(ENGINE))
    monkeypatch.setenv("GROMA_MPIEXEC", str(MPIEXEC))
    for name in (
        "FAKE_ENGINE",
        "FAKE_MPIEXEC",
        "FAKE_ALIVE",
        "FAKE_DESCRIBE",
        "GROMA_CONFIG",
        "PMI_SIZE",
        "OMPI_COMM_WORLD_SIZE",
        "SLURM_JOB_ID",
        "PBS_JOBID",
        "LSB_JOBID",
        "FLUX_URI",
    ):
        monkeypatch.delenv(name, raising=False)
    answers.maker()
    monkeypatch.setattr("subprocess.run", answers.run)
    monkeypatch.setattr("subprocess.Popen", answers.popen)
    monkeypatch.setattr("groma.machine.facts.WATCH_S", 0.0)
    monkeypatch.setattr("os.fsync", lambda _file: None)  # these runs need not outlast a failure of power
    launcher.identity.cache_clear()
    return tmp_path


@pytest.fixture
def groma(fakes: Path, capsys: pytest.CaptureFixture[str]) -> Groma:
    """Run one groma command in an empty directory."""
    del fakes

    def run(*arguments: str) -> Said:
        with pytest.raises(SystemExit) as end:
            main(list(arguments))
        said = capsys.readouterr()
        assert isinstance(end.value.code, int)
        return Said(end.value.code, said.out, said.err)

    return run
