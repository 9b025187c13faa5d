"""What comes from elsewhere is never a command, what looks secret is not recorded, and files are their owner's."""

from __future__ import annotations

import ast
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from campaigns import PLAN
from fakes import Groma
from fakes.libraries import program

import groma as package
from groma.launch.jobs import SCHEDULERS, Job, job_name, job_script
from groma.reproduce.commands import run_command
from groma.reproduce.method import _of_comment
from groma.results import load_run
from groma.text.printable import printable
from groma.text.secret import is_secret, shown_value, without_secrets

HOSTILE = (
    "$(touch owned)",
    "`touch owned`",
    "'; touch owned; '",
    '"; touch owned; "',
    "a\ntouch owned\n",
    "& touch owned",
    "-rf",
)


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        *((name, True) for name in ("SLURM_JWT", "MY_API_KEY", "HF_TOKEN", "DB_PASSWORD", "AWS_SECRET_ACCESS_KEY")),
        *((name, True) for name in ("PGPASSFILE", "KEY", "ssh_key", "HTTP_AUTH", "COOKIE_JAR", "PMI_CRYPTKEY")),
        *((name, False) for name in ("UCX_TLS", "FI_PROVIDER", "OMP_NUM_THREADS", "KMP_HOT_TEAMS", "I_MPI_PIN")),
        *((name, False) for name in ("OMPI_MCA_btl", "MONKEY", "SLURM_JOB_ID", "MPIR_CVAR_BYPASSED")),
    ],
)
def test_which_names_look_secret(name: str, secret: bool) -> None:
    assert is_secret(name) is secret


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("https://me:pass@host/x", "https://(left out)@host/x"),
        ("a,ftp://u:p@h b", "a,ftp://(left out)@h b"),
        ("https://host:80/x@y", "https://host:80/x@y"),
        ("tcp://10.0.0.1:99", "tcp://10.0.0.1:99"),
    ],
)
def test_passwords_in_addresses_are_left_out(text: str, kept: str) -> None:
    assert without_secrets(text) == kept
    assert shown_value("UCX_TLS", text) == kept


def test_a_run_records_no_secret(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UCX_AUTH_TOKEN", "eyJhbGciOi")
    monkeypatch.setenv("FI_PROXY", "http://me:hunter2@proxy")
    monkeypatch.setenv("UCX_TLS", "self")
    assert groma(*PLAN).code == 0
    texts = [path.read_text() for path in Path("out").rglob("*") if path.is_file()]
    assert not [text for text in texts if "eyJhbGciOi" in text or "hunter2" in text]
    recorded = json.loads(Path("out/launches/001/launch.json").read_text())["environment"]
    assert (recorded["UCX_AUTH_TOKEN"], recorded["UCX_TLS"]) == ("(left out)", "self")


def _calls() -> Iterator[tuple[str, ast.Call]]:
    folder = Path(package.__file__).parent
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                yield path.relative_to(folder).as_posix(), node


@pytest.mark.slow
def test_no_program_is_started_by_a_shell_but_the_command_that_a_person_gives_to_the_gate() -> None:
    shells = []
    for path, call in _calls():
        name = ast.unparse(call.func)
        arguments = ast.unparse(call)
        if (
            name in ("os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput")
            or "shell=True" in arguments
        ):
            shells.append(path)
        if name.startswith("subprocess.") and ("'bash'" in arguments or "'sh'" in arguments):
            shells.append(path)
    assert shells == ["cli/gate.py"]


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("text", HOSTILE)
def test_a_job_script_obeys_no_text(fakes: Path, scheduler: str, text: str) -> None:
    words = program(fakes / "words", '#!/bin/sh\nprintf "%s\\n" "$X" "$@" > said\n')
    folder = fakes / f"in {text}"
    folder.mkdir()
    job = Job(job_name(text), 1, 2, 600)
    script = job_script(scheduler, job, str(folder), measuring=[str(words), text], variables={"X": text})
    done = subprocess.run(["sh"], input=script, cwd=fakes, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (folder / "said").read_text() == f"{text}\n{text}\n"
    assert not [*fakes.rglob("owned")]


@pytest.mark.parametrize("text", HOSTILE)
def test_the_commands_of_a_record_are_quoted(groma: Groma, text: str) -> None:
    assert groma(*PLAN).code == 0
    file = Path("out/launches/001/launch.json")
    account = json.loads(file.read_text())
    account["environment"] = {"UCX_TLS": text, f"A{text}": "1", "A;touch owned;B": "1"}
    account["command"] = ["echo", text, "groma-engine", "--plan", "plan.json"]
    file.write_text(json.dumps(account))
    command = run_command("noop", load_run("out").launches[0])
    done = subprocess.run(["sh", "-c", command], text=True, capture_output=True, check=False)
    assert done.stdout == f"{text} ./noop\n"
    assert not [*Path().rglob("owned")]


@pytest.mark.parametrize("text", ["*/ int x;", "a\nb", "\x1b[2J"])
def test_a_text_of_a_record_stays_in_the_comment_of_a_program(text: str) -> None:
    line = _of_comment(f"measured on {text}")
    assert "*/" not in line
    assert "\n" not in line
    assert printable(line) == line


def test_what_groma_writes_is_its_owners(groma: Groma, fakes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROMA_CONFIG", str(fakes / "settings"))
    assert groma(*PLAN).code == 0
    assert groma("bundle", "out", "-o", "one.zip").code == 0
    assert groma("report", "out", "-o", "page.html").code == 0
    assert groma("baseline", "set", "base", "out").code == 0
    assert groma("history", "out").code in (0, 2)
    made = {
        path: path.stat().st_mode & 0o077
        for path in (Path("out"), Path("one.zip"), Path("page.html"), fakes / "settings")
    }
    assert made == dict.fromkeys(made, 0)
    assert not [path for path in (fakes / "cache").iterdir() if path.stat().st_mode & 0o077]


def test_a_file_that_is_there_keeps_its_mode(groma: Groma) -> None:
    assert groma(*PLAN).code == 0
    page = Path("page.html")
    page.touch(0o644)
    page.chmod(0o644)
    assert groma("report", "out", "-o", str(page)).code == 0
    assert page.stat().st_mode & 0o777 == 0o644
