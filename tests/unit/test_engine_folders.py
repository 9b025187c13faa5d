"""The engine's folders stand in layers: no two of them include each other, not even by way of others."""

from __future__ import annotations

import re
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ENGINE = Path(__file__).parents[2] / "engine" / "groma"
_INCLUDED = re.compile(r'^#include "groma/(\w+)/', re.MULTILINE)


def folders_included(files: dict[str, str]) -> dict[str, set[str]]:
    """Return for every folder those that its files include; `files` has their texts by `folder/name`."""
    included: dict[str, set[str]] = defaultdict(set)
    for name, text in files.items():
        folder = name.split("/")[0]
        included[folder] |= set(_INCLUDED.findall(text)) - {folder}
    return included


def test_no_folders_include_each_other() -> None:
    sources = [path for path in ENGINE.glob("*/*") if path.suffix in (".hpp", ".cpp")]
    included = folders_included({str(path.relative_to(ENGINE)): path.read_text() for path in sources})
    assert {"clock", "launch", "machine", "measure", "plan", "record"} <= included.keys()
    order = list(TopologicalSorter(included).static_order())
    assert order[-1] in ("launch", "operations")


def test_a_cycle_is_found() -> None:
    files = {"a/x.hpp": '#include "groma/b/y.hpp"\n', "b/y.hpp": '#include "groma/c/z.hpp"\n'}
    assert list(TopologicalSorter(folders_included(files)).static_order()) == ["c", "b", "a"]
    files["c/z.hpp"] = '#include "groma/a/x.hpp"\n'
    with pytest.raises(CycleError):
        list(TopologicalSorter(folders_included(files)).static_order())
