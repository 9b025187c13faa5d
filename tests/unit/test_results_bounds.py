"""Settings as records hold them."""

from __future__ import annotations

import pytest

from groma.results.bounds import cpu_list


@pytest.mark.parametrize(
    ("text", "cpus"), [("", []), ("3", [3]), ("0-2", [0, 1, 2]), ("0-1,8,10-11", [0, 1, 8, 10, 11])]
)
def test_cpu_lists(text: str, cpus: list[int]) -> None:
    assert cpu_list(text) == cpus
