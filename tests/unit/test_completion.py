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
    ],
)
def test_words_are_completed(words: str, answer: list[str]) -> None:
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
    said = beds.run(["bash", "-c", script], environment=dict(os.environ) | {"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert said.output == "baseline\n"
    assert "_groma_completion groma" in said.errors


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_have_their_script(shell: str) -> None:
    said = beds.run([sys.executable, "-c", GROMA, "--completion", shell])
    assert said.exit_code == 0
    assert f"_GROMA_COMPLETE={shell}_complete" in said.output


def test_an_unknown_shell_is_refused() -> None:
    said = beds.run([sys.executable, "-c", GROMA, "--completion", "tcsh"])
    assert said.exit_code == 2
    assert "not one of 'bash', 'zsh', 'fish'" in said.errors
