"""`groma bundle`: a run as one file, which verbs read like the run, and which is opened with care."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from fakes import Groma

from groma.results import bundle, load_run
from groma.results.bundle import temporary_folder


@pytest.fixture
def run(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UCX_AUTH_TOKEN", "eyJhbGciOi")
    monkeypatch.setenv("UCX_TLS", "self,sm")
    options = ("--bytes", "8,1K", "--launches", "2", "--variant", "a:FI_OPX_API_KEY=hunter2,FI_PROVIDER=tcp")
    assert groma("run", "pingpong", "barrier", *options, "-o", "made").code == 0
    launch = Path("made/launches/001/launch.json")  # as older versions of Groma wrote it
    launch.write_text(launch.read_text().replace('"UCX_AUTH_TOKEN": "(left out)"', '"UCX_AUTH_TOKEN": "eyJhbGciOi"'))
    return Path("made")


def names(path: str) -> list[str]:
    with zipfile.ZipFile(path) as archive:
        return archive.namelist()


def test_a_bundle_is_read_as_the_run_is(groma: Groma, run: Path) -> None:
    said = groma("bundle", str(run))
    assert (said.code, said.err, said.last_line) == (0, "", "made.groma.zip")
    assert names("made.groma.zip")[:2] == ["made/catalog.json", "made/launches/001/launch.json"]
    assert "made/report.html" in names("made.groma.zip")
    of_run, of_file = groma("show", "made"), groma("show", "made.groma.zip")
    assert (of_file.code, of_file.out) == (of_run.code, of_run.out)
    assert "made" in of_file.out
    assert groma("export", "made.groma.zip", "--to", "csv").last_line == "made-points.csv"
    assert groma("report", "made.groma.zip").last_line == "made-report.html"
    assert "made" in Path("made-report.html").read_text()
    options = ("--bytes", "8,1K", "--launches", "2", "--variant", "a:FI_PROVIDER=tcp")
    assert groma("run", "pingpong", *options, "-o", "later").code == 0
    compared = groma("compare", "made.groma.zip", "later")
    assert compared.out.startswith("later against made, 2 points"), compared.err
    assert groma("baseline", "set", "spring", "made.groma.zip").code == 0
    assert groma("compare", "spring", "later").out.startswith("later against spring, 2 points")


def test_the_same_run_gives_the_same_bytes(groma: Groma, run: Path) -> None:
    assert groma("bundle", str(run), "-o", "one.zip").code == 0
    (run / "report.html").write_text("an older report")
    (run / "run.json").touch()
    assert groma("bundle", str(run.resolve()), "-o", "two.zip").code == 0
    assert Path("one.zip").read_bytes() == Path("two.zip").read_bytes()
    assert groma("bundle", "one.zip", "-o", "three.zip").code == 0
    assert Path("three.zip").read_bytes() == Path("one.zip").read_bytes(), "also of the bundle itself"


def test_no_secret_is_handed_on(groma: Groma, run: Path) -> None:
    assert "eyJhbGciOi" in (run / "launches/001/launch.json").read_text()
    assert "hunter2" in (run / "run.json").read_text()
    assert groma("bundle", str(run), "-o", "one.zip").code == 0
    with zipfile.ZipFile("one.zip") as archive:
        texts = {name: archive.read(name) for name in archive.namelist()}
    assert not [name for name, text in texts.items() if b"eyJhbGciOi" in text or b"hunter2" in text]
    launch = json.loads(texts["made/launches/001/launch.json"])
    kept = {name: value for name, value in launch["environment"].items() if name.startswith("UCX_")}
    assert kept == {"UCX_AUTH_TOKEN": "(left out)", "UCX_TLS": "self,sm"}
    assert not [name for name in texts if name.endswith("stderr")]
    assert groma("show", "one.zip").code == 0


def rewritten(more: str = "", without: str = "") -> None:
    """Write bad.zip: the files of one.zip, with one more, or without one."""
    with zipfile.ZipFile("one.zip") as archive:
        files = {name: archive.read(name) for name in archive.namelist() if name != without}
    with zipfile.ZipFile("bad.zip", "w") as archive:
        for name, text in (files | ({more: b"{}"} if more else {})).items():
            archive.writestr(name, text)


STRANGE = (
    *("../evil", "/tmp/evil", "made/../../evil", "made/launches/001/../../../../run.json", "made/stderr", "run.json"),
    *(
        "made/launches/001/points.jsonl/",
        "other/run.json",
        "made\\run.json",
        "made/launches/x/plan.json",
        "C:/run.json",
    ),
)


def test_a_file_that_no_run_has_is_refused(groma: Groma, run: Path) -> None:
    groma("bundle", str(run), "-o", "one.zip")
    for name in STRANGE:
        rewritten(more=name)
        said = groma("show", "bad.zip")
        assert (said.code, said.out) == (2, ""), name
        assert "which no bundle has; it was not opened" in said.err
        assert len(said.err.splitlines()) == 1


def test_a_link_is_written_as_the_text_that_it_is(groma: Groma, run: Path) -> None:
    groma("bundle", str(run), "-o", "one.zip")
    entry = zipfile.ZipInfo("made/pvm.jsonl")
    entry.external_attr = 0o120777 << 16
    with zipfile.ZipFile("one.zip", "a") as archive:
        archive.writestr(entry, "/etc/passwd")
    found = bundle.opened(Path("one.zip")) / "pvm.jsonl"
    assert not found.is_symlink()
    assert found.read_text() == "/etc/passwd"


def test_too_much_is_refused_before_the_disk_is_full(groma: Groma, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    groma("bundle", str(run), "-o", "one.zip")
    monkeypatch.setattr(bundle, "MOST_BYTES", 1000)
    said = groma("show", "one.zip")
    said.refuses("unpacks to more than")
    monkeypatch.setattr(bundle, "MOST_FILES", 3)
    Path("one.zip").rename("two.zip")
    said = groma("show", "two.zip")
    said.refuses("has more than 3 files")


def bomb(name: str, unpacked: int) -> None:
    """Write a small archive of a run whose records unpack to a number of bytes."""
    with zipfile.ZipFile("one.zip") as archive, zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as made:
        for entry in archive.namelist():
            data = b"\n" * unpacked if entry.endswith("001/points.jsonl") else archive.read(entry)
            made.writestr(entry, data)


def test_nothing_of_a_bomb_is_unpacked(groma: Groma, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    groma("bundle", str(run), "-o", "one.zip")
    bomb("bomb.zip", bundle.FREE_BYTES)
    monkeypatch.setattr(bundle, "temporary_folder", lambda _: pytest.fail("unpacked"))
    said = groma("show", "bomb.zip")
    said.refuses(f"unpacks to more than {bundle.MOST_TIMES} times its size")


def test_what_does_not_fit_is_not_unpacked(groma: Groma, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    groma("bundle", str(run), "-o", "one.zip")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    said = groma("show", "one.zip")
    said.refuses("has less free space")


def test_a_bundle_that_is_read_twice_is_unpacked_once(groma: Groma, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    groma("bundle", str(run), "-o", "one.zip")
    made: list[Path] = []

    def counted(prefix: str) -> Path:
        made.append(temporary_folder(prefix))
        return made[-1]

    monkeypatch.setattr(bundle, "temporary_folder", counted)
    assert bundle.opened(Path("one.zip")) == bundle.opened(Path("one.zip").resolve())
    assert groma("report", "one.zip").code == 0
    assert len(made) == 1


ENDED = """
import os, signal, sys
from pathlib import Path
sent = signal.Signals[sys.argv[2]]
signal.signal(sent, signal.SIG_DFL)  # nohup has SIGHUP ignored
from groma.results import bundle
folder = bundle.opened(Path(sys.argv[1])).parent
assert list(folder.rglob("points.jsonl"))
print(folder, flush=True)
os.kill(os.getpid(), sent)
"""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_what_was_unpacked_goes_when_a_signal_ends_the_program(groma: Groma, run: Path, name: str) -> None:
    groma("bundle", str(run), "-o", "one.zip")
    ended = subprocess.run(
        [sys.executable, "-c", ENDED, "one.zip", name],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert ended.returncode == -signal.Signals[name], ended.stderr
    assert not Path(ended.stdout.strip()).exists()


def test_damage_is_one_sentence(groma: Groma, run: Path) -> None:
    groma("bundle", str(run), "-o", "one.zip")
    whole = Path("one.zip").read_bytes()
    place = whole.index(b"points.jsonl") + 40
    flipped = bytearray(whole)
    flipped[place] ^= 0xFF
    encrypted = bytearray(whole)
    entry = whole.index(b"PK\x01\x02")
    encrypted[entry + 8] |= 1  # the flag of the first file in the directory of the archive
    encrypted[6] |= 1
    broken = {"torn": whole[:-100], "empty": b"", "text": b"no archive", "bytes": bytes(flipped)}
    broken["encrypted"] = bytes(encrypted)
    unknown = bytearray(whole)
    unknown[entry + 10] = unknown[8] = 99  # the compression of the same file
    broken["compression"] = bytes(unknown)
    end = whole.rindex(b"PK\x05\x06")
    # With this place of the directory, files begin before the archive.
    broken["shifted"] = whole[: end + 16] + len(whole).to_bytes(4, "little") + whole[end + 20 :]
    for name, data in broken.items():
        Path(f"{name}.zip").write_bytes(data)
        said = groma("show", f"{name}.zip")
        assert (said.code, said.out, len(said.err.splitlines())) == (2, "", 1), name
        assert "groma bundle" in said.err
    rewritten(without="made/run.json")
    said = groma("show", "bad.zip")
    said.refuses("holds no run")


def test_only_a_run_is_bundled(groma: Groma) -> None:
    Path("empty").mkdir()
    said = groma("bundle", "empty")
    said.refuses("it has no run.json")
    assert not Path("empty.groma.zip").exists()


def test_a_name_that_no_archive_should_have_is_made_plain(groma: Groma, run: Path) -> None:
    run.rename("..made of 8 B")
    assert groma("bundle", "..made of 8 B", "-o", "one.zip").code == 0
    assert load_run("one.zip").path.name == "_.made_of_8_B"
