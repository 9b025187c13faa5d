"""Any bytes as a plan or a command line of the engine: libFuzzer, with sanitizers, from real plans.

The same inputs in every run, so that a change is judged by itself; `GROMA_FUZZ_SECONDS=600` looks for new ones.
"""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import beds
import fuzzer
import msgspec
import pytest

from groma.catalog import packaged
from groma.plan import expand, read_plan

ENGINE = beds.ROOT / "engine"
BUILD = beds.ROOT / "build" / "fuzz"  # for ccache, to which sources then lie alike in every clone
INPUTS = 30_000
SEARCH_S = int(os.environ.get("GROMA_FUZZ_SECONDS", "0"))
LIMIT_S = SEARCH_S or 150  # a slow machine tries fewer
EXTENT = (f"-max_total_time={LIMIT_S}", *(() if SEARCH_S else ("-seed=1", f"-runs={INPUTS}")))
# Compiled with the sanitizers; the rest, the operations above all, comes from the engine that was built.
FILES = ("grid", "parameter", "plan/fields")
FOLDERS = ("launch", "patterns", "record", "text")  # each one source, as in the engine: its archive has them whole
COMMANDS = (
    ["bcast", "barrier", "--bytes", "8:32", "--sync=barrier"],
    ["pingpong", "--pattern", "list=0,1", "--bytes", "1K", "--timing", "block", "--out", "x"],
    ["allreduce", "--datatype=double", "--layout", "struct", "--stop", "precision", "--order", "shuffled"],
    ["bcast_segmented", "--segments", "4", "--bytes=64", "--pairs", "slowest/2/8@1=0,1"],
)
FLAGS = (
    *("-std=c++20", "-O1", "-g", "-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all"),
    *(f"-I{ENGINE}", '-DGROMA_VERSION="0"', "-DJSON_DISABLE_ENUM_SERIALIZATION=1"),
)


def folder_as_source(name: str) -> Path:
    """Return a source that includes all of a folder of the engine."""
    sources = sorted((ENGINE / "groma" / name).glob("*.cpp"))
    path = BUILD / f"{name}.cpp"
    path.write_text("".join(f'#include "groma/{name}/{source.name}"\n' for source in sources))
    return path


def compiled(source: Path) -> Path:
    made = BUILD / f"{source.stem}.o"
    _compile(*FLAGS, "-c", str(source), "-o", str(made))
    return made


def _compile(*words: str) -> None:
    launcher = os.environ.get("CMAKE_CXX_COMPILER_LAUNCHER", "")
    environment = os.environ | {"OMPI_CXX": f"{launcher} {fuzzer.compiler()}".strip()}
    command = ["mpicxx.openmpi", *words]
    done = subprocess.run(command, env=environment, cwd=BUILD, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def seeds(folder: Path) -> Path:
    """Write the plans of all profiles and examples, each once with its first points, and some command lines."""
    folder.mkdir()
    catalog = packaged()
    for path in [
        *(beds.ROOT / "examples" / "plans").glob("*.toml"),
        *(beds.ROOT / "src/groma/programs").rglob("*.toml"),
    ]:
        points = [dict(point) for point in expand(read_plan(path, catalog), catalog).points[:4]]
        (folder / path.name).write_bytes(msgspec.json.encode({"schema": 1, "order": "shuffled", "points": points}))
    for number, words in enumerate(COMMANDS):
        (folder / f"command-{number}").write_text("\n".join(words))
    return folder


@pytest.mark.slow
@pytest.mark.bed("openmpi", "fuzzer")
def test_any_bytes_are_read_or_refused(tmp_path: Path) -> None:
    sources = [ENGINE / "tests" / "fuzz" / "inputs.cpp", *(ENGINE / "groma" / f"{name}.cpp" for name in FILES)]
    BUILD.mkdir(parents=True, exist_ok=True)
    sources += [folder_as_source(name) for name in FOLDERS]
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        objects = list(threads.map(lambda source: str(compiled(source)), sources))
    archive = beds.libraries()["openmpi"].engine.with_name("libgroma_engine.a")
    _compile("-fsanitize=fuzzer,address,undefined", *objects, str(archive), "-lrt", "-o", str(tmp_path / "fuzz"))
    limits = ["-timeout=20", "-rss_limit_mb=2048", "-max_len=2000", *EXTENT]
    done = subprocess.run(
        [tmp_path / "fuzz", *limits, f"-artifact_prefix={tmp_path}/", seeds(tmp_path / "seeds")],
        # The engine's other half has no sanitizer: its vectors say nothing of their ends.
        env=os.environ | {"ASAN_OPTIONS": "detect_container_overflow=0:detect_leaks=0"},
        capture_output=True,
        text=True,
        errors="replace",
        timeout=LIMIT_S + 150,
        check=False,
    )
    found = [path.read_bytes() for path in tmp_path.glob("[clotu]*-*") if path.is_file()]
    assert done.returncode == 0, f"{found}\n{done.stderr[-4000:]}"
    assert "Done " in done.stderr
