"""Any text in any place that Groma reads: a value, or one sentence of Groma's own; no other exception, and no hang."""

from __future__ import annotations

import contextlib
import random
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.catalog import packaged
from groma.catalog.reporting import read_reporting
from groma.catalog.values import read_values
from groma.cli.options import read_duration, read_rank_counts, read_settings, read_share
from groma.errors import GromaError
from groma.launch import allocation, nodelist
from groma.libraries.names import named_libraries
from groma.plan import expand, parse_libraries, parse_placements, parse_variant
from groma.plan.hosts import NO_HOSTS, read_hostfile, read_hosts
from groma.plan.placement import read_placement
from groma.plan.toml import parse_plan
from groma.programs.importing import Told, import_files, importers
from groma.results.launched import read_records
from groma.text.sizes import format_size, parse_sizes

ROOT = Path(__file__).parents[2]
HANG_S = 60
# Pieces of what is read, so that texts come near to something valid.
PIECES = (
    *(
        "8",
        "1K",
        "1:",
        "8:1M",
        ":*2",
        ":+1",
        "*sqrt2",
        ",",
        "9" * 30,
        "9" * 5000,
        "-",
        "+",
        "0",
        "1e999",
        "nan",
        "inf",
        "%",
    ),
    *(
        "n[1-3]",
        "n[001-999999999999]",
        "[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]",
        "4(x2)",
        "(x999999999999)",
        "[",
        "]",
        "(x",
    ),
    *(
        "a:4",
        "b slots=2",
        "by-slot",
        "by-node",
        "node1+node2",
        "name:KEY=VALUE",
        "=",
        "mpich",
        "~",
        "/",
        "\0",
        "\n",
        "\r",
        " ",
    ),
    *(
        "\u00b2",
        "\u0663",
        "\u202e",
        "\x1b[31m",
        "\ud800",
        "\ufeff",
        "5m",
        "1h",
        "median",
        "level",
        "list=0,1",
        "groups=2",
    ),
)
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=7).map("".join)


@contextlib.contextmanager
def read_or_refused() -> Iterator[None]:
    """Let a refusal of Groma's own pass, if it is one line, and end what hangs."""

    def hung(_number: int, _frame: FrameType | None) -> None:
        raise AssertionError(f"not read within {HANG_S} s")

    before = signal.signal(signal.SIGALRM, hung)
    signal.alarm(HANG_S)
    try:
        yield
    except GromaError as error:
        assert str(error).strip()  # noqa: PT017 - either is right, but no other refusal
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


READERS: dict[str, Callable[[str], object]] = {
    "sizes": lambda text: [format_size(size) for size in parse_sizes(text)],
    "duration": read_duration,
    "share": read_share,
    "rank counts": read_rank_counts,
    "settings": lambda text: read_settings((text,)),
    "hosts": read_hosts,
    "placement": read_placement,
    "variant": parse_variant,
    "placements": lambda text: parse_placements((text,)),
    "libraries": lambda text: parse_libraries((text,)),
    "node list": nodelist.expand,
    "repeated numbers": nodelist.repeated,
    "reporting": lambda text: [read_reporting({name: text}) for name in ("estimator", "outliers", "outlier_factor")],
}


@pytest.mark.parametrize("name", READERS)
@given(text=TEXTS)
def test_an_option_or_a_list(name: str, text: str) -> None:
    with read_or_refused():
        READERS[name](text)


@given(text=TEXTS)
def test_a_value_of_any_field(text: str) -> None:
    catalog = packaged()
    for field in catalog.fields:
        with read_or_refused():
            read_values(catalog, field, text)


@given(content=st.binary(max_size=60) | TEXTS.map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_a_host_file(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "hosts").write_bytes(content)
    with read_or_refused():
        read_hostfile(tmp_path / "hosts")


_OF_JOBS = (
    *("SLURM_JOB_ID", "SLURM_JOB_NODELIST", "SLURM_JOB_CPUS_PER_NODE", "SLURM_NTASKS", "SLURM_CPUS_PER_TASK"),
    *("SLURM_JOB_END_TIME", "PBS_JOBID", "NCPUS", "LSB_JOBID", "LSB_MCPU_HOSTS", "FLUX_URI", "FLUX_JOB_ID", "PMI_SIZE"),
)


@given(values=st.dictionaries(st.sampled_from(_OF_JOBS), TEXTS), said=TEXTS, nodes=st.binary(max_size=60))
def test_the_variables_and_answers_of_schedulers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, values: dict[str, str], said: str, nodes: bytes
) -> None:
    (tmp_path / "nodes").write_bytes(nodes)
    monkeypatch.setattr("groma.launch.allocation._ask", lambda *_: said)
    with read_or_refused():
        job = allocation.allocation(values | {"PBS_NODEFILE": str(tmp_path / "nodes")})
        allocation.copies_started(values)
        allocation.default_ranks(job.hosts if job else NO_HOSTS, job, (2,))
        if job:
            job.left_s()


PLANS = [path.read_text() for path in [*(ROOT / "examples").rglob("*.toml"), *(ROOT / "src/groma").rglob("*.toml")]]
OUTPUTS = sorted(
    path for path in (ROOT / "tests/recorded/printed").rglob("*") if path.is_file() and path.stat().st_size < 200_000
)


def changed(content: bytes, seed: int) -> bytes:
    """Return a text with some of its words or bytes taken out, doubled, or replaced by others."""
    draw = random.Random(seed)  # noqa: S311 - reproducible, not secret
    for _ in range(draw.randint(1, 6)):
        at = draw.randrange(len(content) + 1)
        length = draw.choice((0, 1, 2, 8, 64))
        other = draw.choice(PIECES).encode("utf-8", "surrogatepass")
        new = draw.choice((b"", other, content[at : at + length] * 2, bytes([draw.randrange(256)])))
        content = content[:at] + new + content[at + length :]
    return content


@given(plan=st.sampled_from(PLANS), seed=st.integers(0, 2**32))
def test_a_plan(plan: str, seed: int) -> None:
    catalog = packaged()
    with read_or_refused():
        expand(parse_plan(changed(plan.encode(), seed).decode(errors="replace"), "plan.toml", catalog), catalog)


@pytest.mark.parametrize(
    "text", ["a = " + "[" * 5000, "a = " + "9" * 5000, "a" + ".a" * 5000 + " = 1", "name = 1e9999"]
)
def test_a_plan_that_is_deep_or_long(text: str) -> None:
    with read_or_refused():
        parse_plan(text, "plan.toml", packaged())


@given(output=st.sampled_from(OUTPUTS), seed=st.integers(0, 2**32))
def test_what_other_programs_print(tmp_path_factory: pytest.TempPathFactory, output: Path, seed: int) -> None:
    folder = tmp_path_factory.mktemp("import")
    (folder / "printed").write_bytes(changed(output.read_bytes(), seed))
    program = [*importers(), ""][seed % (len(importers()) + 1)]
    with read_or_refused():
        import_files([folder / "printed"], Told(program=program, ranks=2), "0", folder / "run")


RECORDS = (ROOT / "tests/recorded/two-launches/launches/001/points.jsonl").read_bytes()


@given(seed=st.integers(0, 2**32))
def test_records(tmp_path: Path, seed: int) -> None:
    (tmp_path / "points.jsonl").write_bytes(changed(RECORDS, seed))
    with read_or_refused():
        read_records(tmp_path / "points.jsonl")


@given(content=st.binary(max_size=200))
def test_names_of_libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setenv("GROMA_CONFIG", str(tmp_path))
    (tmp_path / "libraries.json").write_bytes(content)
    with read_or_refused():
        named_libraries()
