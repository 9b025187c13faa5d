"""Completion in bash, which divides `--set field=value` at its `=` and ends every word with a space."""

from __future__ import annotations

from typing import Any

from click.shell_completion import BashComplete, CompletionItem, add_completion_class

_ADDED = "COMPREPLY+=($value)"


@add_completion_class
class Bash(BashComplete):
    """Completes the three words around an `=` as one, and puts no space after it."""

    source_template = BashComplete.source_template.replace(
        _ADDED, f"{_ADDED}\n            [[ $value == *= ]] && compopt -o nospace"
    )
    _before = ""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the one that is completed, and that one."""
        words, last = super().get_completion_args()
        if last == "=":
            words, last = [*words, last], ""
        if len(words) > 1 and words[-1] == "=":
            self._before = f"{words[-2]}="
            return words[:-2], f"{self._before}{last}"
        return words, last

    def format_completion(self, item: CompletionItem[Any]) -> str:
        """Return a line for bash's function: of a word with `=`, what stands behind it."""
        return f"{item.type},{item.value.removeprefix(self._before)}"
