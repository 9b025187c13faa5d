"""The checksum of each record: a changed bit is noticed, and records without one are held against the rest."""

from __future__ import annotations

import json
import shutil
import zlib
from pathlib import Path

import pytest
from edited_records import write_records
from fakes import Groma
from hypothesis import given
from hypothesis import strategies as st
from synthetic import SIZES, Scenario, make_run

from groma.errors import RunError
from groma.results import load_run
from groma.results.checksum import sealed
from groma.results.records import Failure, decode_record, encode_record
from groma.results.run import Run
from groma.run.following import Follower

RECORDS = "launches/001/points.jsonl"
FEW = Scenario(launches=1, samples=8, operations=("pingpong", "allreduce"), sizes=SIZES[:2], clocked=True)
LARGE = Scenario(launches=1, samples=3000, operations=("pingpong", "allreduce", "bcast"), sizes=SIZES[:6])


def seal(run: Path) -> Path:
    """Give the records of a run the checksums that an engine writes."""
    for file in run.glob("launches/*/points.jsonl"):
        file.write_bytes(b"".join(sealed(line) + b"\n" for line in file.read_bytes().splitlines()))
    return run


@pytest.fixture(scope="module", params=[FEW, LARGE], ids=["few", "large"])
def made(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    return seal(make_run(tmp_path_factory.mktemp("sealed") / "run", request.param))


def is_whole(run: Run) -> bool:
    return not run.missing() and run.launches[0].sealed


@given(data=st.data())
def test_a_flipped_bit_is_always_noticed(
    made: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = Path(shutil.copytree(made, tmp_path_factory.mktemp("copy") / "run"))
    content = bytearray((path / RECORDS).read_bytes())
    ends = [at for at, byte in enumerate(content) if byte == ord("\n")]
    near_an_end = st.sampled_from(ends).flatmap(lambda end: st.integers(end - 25, min(end + 5, len(content) - 1)))
    content[data.draw(st.integers(0, len(content) - 1) | near_an_end)] ^= 1 << data.draw(st.integers(0, 7))
    (path / RECORDS).write_bytes(content)
    follower = Follower(path / RECORDS)
    follower.read()
    assert follower.damaged or not follower.ended, "a resume measures the launch again"
    try:
        run = load_run(path)
    except RunError as error:
        assert "points.jsonl line" in str(error)  # noqa: PT017 - either is right, but no other refusal
    else:
        assert not is_whole(run), "only what a kill leaves is read, and said to be incomplete"


def test_whole_records_are_read_and_nothing_is_said_of_checksums(groma: Groma, made: Path) -> None:
    assert is_whole(load_run(made))
    said = groma("show", str(made))
    assert said.code == 0
    assert "checksum" not in said.out


def test_records_of_older_engines_are_read_and_said_to_have_none(groma: Groma, tmp_path: Path) -> None:
    said = groma("show", str(make_run(tmp_path / "run", FEW)), "--checks")
    assert said.code == 0
    assert "Records without checksums (older engine)." in " ".join(said.out.split())


def test_what_an_engine_writes_is_what_zlib_computes() -> None:
    line = encode_record(Failure(1, 0, "timeout", "rank 1 did not arrive"))
    body, _, digits = line.rstrip(b'"}\n').rpartition(b',"crc32":"')
    assert int(digits, 16) == zlib.crc32(body)
    assert json.loads(line)["crc32"] == digits.decode()
    assert isinstance(decode_record(line.rstrip(b"\n")), Failure)


def test_an_imported_run_has_checksums(groma: Groma) -> None:
    printed = Path(__file__).parents[1] / "recorded" / "printed" / "osu-allreduce.txt"
    said = groma("import", str(printed), "-n", "2", "-o", "run")
    assert said.code == 0, said.err
    assert is_whole(load_run(Path("run")))


@pytest.mark.parametrize(
    ("written", "changed", "because"),
    [
        ('"divisor": 2', '"divisor": 9', "its samples have the median"),
        ('"bytes": 16, "datatype"', '"bytes": 17, "datatype"', "plan.json asks for 16 - at `$.point.bytes`"),
        ('"sync": "none"', '"sinc": "none"', "plan.json asks for 'none' - at `$.point.sync`"),
        ('"index": 1,', '"index": 2,', "point 2 was measured before"),
        ('"points": 4', '"points": 5', "plan.json has 4 points"),
        ('"members": [0, 1]', '"members": []', "0 of 2 ranks - at `$.members`"),
        ('"member_count": 2', '"member_count": 0', "2 of 0 ranks - at `$.members`"),
        ('"arrival": [10, 40, 55, 800, 900]', '"arrival": []', "length >= 5 - at `$.skew_ns.arrival`"),
        ('"median_ns"', '"line_ns": [24.0, -1], "median_ns"', "`float` >= 0.0 - at `$.line_ns[1]`"),
        ('"median_ns"', '"ranks_ns": [[]], "median_ns"', "expected 8 times of 2 ranks - at `$.ranks_ns`"),
        ('"median_ns"', '"phases_ns": {"a": []}, "median_ns"', "expected 8 times - at `$.phases_ns.a`"),
    ],
)
def test_a_record_without_checksum_is_held_against_its_plan_and_itself(
    tmp_path: Path, written: str, changed: str, because: str
) -> None:
    path = make_run(tmp_path / "run", FEW)
    records = [json.loads(line) for line in (path / RECORDS).read_text().splitlines()]
    lines = [json.dumps(record) for record in records]
    place = next(at for at, line in enumerate(lines) if written in line)
    lines[place] = lines[place].replace(written, changed, 1)
    (path / RECORDS).write_text("\n".join(lines) + "\n")
    with pytest.raises(RunError) as refused:
        load_run(path)
    assert f"line {place + 1} is not a record" in str(refused.value)
    assert because in str(refused.value)


def test_a_point_that_was_measured_twice_is_refused(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", FEW)
    start, first, *rest = (json.loads(line) for line in (path / RECORDS).read_text().splitlines())
    write_records(path / RECORDS, [start, first, first, *rest])
    with pytest.raises(RunError, match=r"line 3 is not a record \(point \d was measured before"):
        load_run(path)


@pytest.mark.parametrize("place", ["points.jsonl", "launch.json", "plan.json", "nodes.json"])
def test_deep_nesting_is_refused_by_name_and_a_run_beside_it_is_read(groma: Groma, tmp_path: Path, place: str) -> None:
    deep = make_run(tmp_path / "runs" / "deep", FEW)
    healthy = make_run(tmp_path / "runs" / "healthy", FEW)
    nested = '{"schema": "x", "kind": "point", "more": ' + "[" * 100_000 + "]" * 100_000 + "}\n"
    (deep / "launches/001" / place).write_text(nested)
    said = groma("show", str(deep))
    assert (said.code, said.out, said.err.count("\n")) == (1, "", 1)
    assert place in said.err
    assert groma("show", str(healthy)).code == 0
    assert groma("runs", str(tmp_path / "runs")).code == 0
