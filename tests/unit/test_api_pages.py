"""docs/api: every public name is on its page, with its meaning; `make docs` fills the pages from the sources."""

from __future__ import annotations

import inspect
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import groma
from groma.columns import OF_LAUNCHES, OF_POINTS
from tools import docs_api

PAGES = Path(docs_api.ROOT) / "docs" / "api"
# Of these headers an owner of an operation uses everything but INNER, which the engine uses.
HEADERS = ("engine.hpp", "info.hpp", "parameter.hpp", "errors.hpp")
INNER = {
    *("bus_factor", "thread_stride", "algorithm_bytes", "OperationList", "Placed"),
    *("same_parameter", "Value", "read_value", "value_text", "Settings", "choice_index", "owner_of", "held_by"),
    *("assign_member", "read_member", "NoOptions", "OptionsType", "OptionsOf", "option_table", "options_of"),
    "set_options",
}


def filled(page: str) -> str:
    text: str = docs_api.on_page_markdown((PAGES / page).read_text(encoding="utf-8"))
    assert "<!--" not in text, "a directive that nothing fills"
    return text


@pytest.mark.parametrize("name", sorted(set(groma.__all__) - {"__version__"}))
def test_a_function_says_its_table_its_arguments_and_its_errors(name: str) -> None:
    function = getattr(groma, name)
    words = inspect.getdoc(function) or ""
    assert "row per" in words
    assert "unit" in words
    raised = re.findall(r"^    (\w+): ", words.partition("Raises:")[2], re.MULTILINE)
    assert raised, "what is raised"
    assert all(hasattr(groma.errors, error) for error in raised)
    described = re.findall(r"^    \*?(\w+): ", words.partition("Args:")[2].partition("Raises:")[0], re.MULTILINE)
    assert described == list(inspect.signature(function).parameters)


def test_the_python_page_has_all_that_groma_exports_and_all_columns() -> None:
    text = filled("python.md")
    assert re.search(r"^::: groma$", text, re.MULTILINE), "mkdocstrings shows what __all__ names"
    for column in (*OF_POINTS, *OF_LAUNCHES):
        unit = f", {re.escape(column.unit)}" if column.unit else ""
        assert re.search(rf"^\| `{column.name}` \| \*[a-z ]+{unit}\*: .+ \|$", text, re.MULTILINE)


def test_the_python_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(Path(docs_api.ROOT) / "tests" / "recorded" / "two-launches", tmp_path / "runs" / "quick-...")
    monkeypatch.chdir(tmp_path)
    found = re.findall(r"^```python\n(.*?)^```$", filled("python.md"), re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    for text in found:
        exec(text, names)  # noqa: S102 - the page's own lines
    assert names["launches"].height == 2 * names["table"].height
    assert 0 < names["slow"].height < names["table"].height
    assert set(names["altix"]["name"]) == {"altix_ata"}


@pytest.mark.parametrize("header", HEADERS)
def test_the_engine_page_has_every_public_declaration_with_its_meaning(header: str) -> None:
    text = filled("engine.md")
    declared = docs_api.declared(f"engine/groma/{header}")
    shown = set(re.findall(r"^### (\w+)$", text, re.MULTILINE))
    assert set(declared) - shown == INNER & set(declared)
    without = {name for name in set(declared) & shown if not declared[name][0]}
    assert without <= {"parameter"}, "no /// above"


def test_a_name_that_is_gone_fails() -> None:
    with pytest.raises(KeyError):
        docs_api.declarations("engine/groma/info.hpp", "Gone")


def test_members_are_a_table_and_what_has_code_is_code() -> None:
    text = docs_api.declarations("engine/groma/info.hpp", "Shape", "Buffers")
    assert "| `std::int64_t bytes = 0` | of one message |" in text
    assert "| `constexpr std::int64_t pairs() const` | in the group, of two ranks each |" in text
    assert "```cpp\nstruct Buffers {" in text
    assert "int run(int argc, char** argv);\n" in docs_api.declarations("engine/groma/engine.hpp", "run")
