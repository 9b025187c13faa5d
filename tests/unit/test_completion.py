"""Shell completion: `groma --completion SHELL`, and what a shell asks Groma at a press of the tab key."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import beds
import pytest

from groma.cli.main import VERBS

GROMA = "from groma.cli.main import main; main()"
MODULES = f"import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); {GROMA}"


def completed(words: str, code: str = GROMA) -> beds.Result:
    """Return what Groma answers a bash whose line ends with the last of these words."""
    count = words.count(" ")
    asked = {"_GROMA_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(count)}
    return beds.run([sys.executable, "-c", code], environment=dict(os.environ) | asked)


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("groma rep", ["plain,report", "plain,reproduce"]),
        ("groma --comp", ["plain,--completion"]),
        ("groma run --prof", ["plain,--profile"]),
        ("groma --completion f", ["plain,fish"]),
        ("groma nothing", []),
        ("groma help rep", ["plain,report", "plain,reproduce"]),
        ("groma run halo/i", ["plain,halo/isend_recv", "plain,halo/isend_irecv"]),
        ("groma run pla", ["plain,plan.toml"]),
        ("groma run none", ["file,none"]),
        (
            "groma run --profile osu,skampi",
            ["plain,osu,skampi", "plain,osu,skampi5", "plain,osu,skampi5_rma"],
        ),
        ("groma explain --between sk", ["plain,skampi", "plain,skampi5", "plain,skampi5_rma"]),
        ("groma run bcast --set cach", ["plain,cache=", "plain,cache_pool="]),
        ("groma run bcast --set cache = s", ["plain,sweep"]),  # as bash divides it
        ("groma run bcast --set cache =", ["plain,warm", "plain,rotate", "plain,sweep", "plain,flush"]),
        ("groma run bcast --set cache=s --set estim", ["plain,estimator="]),
        ("groma --completion = f", ["plain,fish"]),
        ("groma list rep", ["plain,report", "plain,repetitions", "plain,reprompi"]),
        ("groma show qu", ["plain,quick-20260102-030405"]),
        ("groma run --resume qu", ["plain,quick-20260102-030405"]),
        ("groma show somewhere/e", ["file,somewhere/e"]),
        ("groma compare quick s", ["plain,spring"]),
        ("groma gate qu", ["plain,quick-20260102-030405"]),
        ("groma gate --mpi a,b halo/p", ["plain,halo/persistent"]),
        ("groma baseline show s", ["plain,spring"]),
    ],
)
def test_words_are_completed(words: str, answer: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GROMA_CONFIG", str(tmp_path / "config"))
    (tmp_path / "config" / "baselines" / "spring").mkdir(parents=True)
    (tmp_path / "plan.toml").touch()
    run = tmp_path / "runs" / "quick-20260102-030405"
    run.mkdir(parents=True)
    (run / "run.json").touch()
    said = completed(words)
    assert said.exit_code == 0, said.errors
    assert said.output.split() == answer


def test_every_verb_is_offered_without_an_import() -> None:
    said = completed("groma ", MODULES)
    assert said.output.split() == [f"plain,{verb}" for verb in VERBS]
    loaded = said.errors.split()
    assert "groma.cli.main" in loaded
    assert [f"groma.cli.{verb}" for verb in VERBS if f"groma.cli.{verb}" in loaded] == []
    assert "polars" not in loaded


def test_a_bash_that_reads_the_script_completes(tmp_path: Path) -> None:
    program = tmp_path / "groma"
    program.write_text(f"#!{sys.executable}\n{GROMA}\n")
    program.chmod(0o755)
    script = (
        'eval "$(groma --completion bash)"; complete -p groma >&2; COMP_WORDS=(groma bas); COMP_CWORD=1; '
        '_groma_completion groma; echo "${COMPREPLY[*]}"'
    )
    environment = dict(os.environ) | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    said = beds.run(["bash", "-c", script], environment=environment)
    assert said.output == "baseline\n"
    assert "_groma_completion groma" in said.errors
    divided = script.replace("groma bas); COMP_CWORD=1", "groma run bcast --set cache = s); COMP_CWORD=6")
    assert divided != script
    said = beds.run(
        ["bash", "-c", divided], environment=dict(os.environ) | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    )
    assert said.output == "sweep\n"


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_have_their_script_and_answers(shell: str) -> None:
    said = beds.run([sys.executable, "-c", GROMA, "--completion", shell])
    assert said.exit_code == 0
    assert f"_GROMA_COMPLETE={shell}_complete" in said.output
    words = "groma run bcast --set cache=s"
    asked = {"_GROMA_COMPLETE": f"{shell}_complete", "COMP_WORDS": words}
    asked["COMP_CWORD"] = {"zsh": str(words.count(" ")), "fish": words.rpartition(" ")[2]}[shell]
    said = beds.run([sys.executable, "-c", GROMA], environment=dict(os.environ) | asked)
    assert "cache=sweep" in said.output
    assert "warm" not in said.output


def test_an_unknown_shell_is_refused() -> None:
    said = beds.run([sys.executable, "-c", GROMA, "--completion", "tcsh"])
    assert said.exit_code == 2
    assert "not one of 'bash', 'zsh', 'fish'" in said.errors
