"""CI runs a part of the slow tests by turns: no test may be in none."""

from __future__ import annotations

import pytest
import slow_parts

NODES = [f"tests/engine/test_operations.py::test_every_{place}[openmpi-{place % 7}]" for place in range(900)]


@pytest.mark.parametrize("parts", [1, 2, 3, 9])
def test_each_test_is_in_one_part_and_parts_are_alike(parts: int) -> None:
    chosen = [[node for node in NODES if slow_parts.has(f"{part}/{parts}", node)] for part in range(1, parts + 1)]
    assert sorted(node for part in chosen for node in part) == sorted(NODES)
    assert max(map(len, chosen)) < 1.3 * len(NODES) / parts


@pytest.mark.parametrize("part", ["0/3", "4/3", "3", "1/0", "a/3", "1/3 ", "-1/3", "1/10"])
def test_what_is_no_part_is_refused(part: str) -> None:
    with pytest.raises(ValueError, match=f"^{part} is neither 1 nor a part such as 2/3$"):
        slow_parts.has(part, NODES[0])
