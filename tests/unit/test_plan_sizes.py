"""Message sizes as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.errors import InputError
from groma.text.sizes import format_size, parse_size, parse_sizes, write_sizes


@pytest.mark.parametrize(
    ("text", "size"),
    [("0", 0), ("8", 8), ("8B", 8), ("1K", 1024), ("1k", 1024), ("4M", 4 << 20), ("1MiB", 1 << 20), ("2 GiB", 2 << 30)],
)
def test_a_size_counts_in_powers_of_1024(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "K", "1.5K", "-1", "8X", "1e3", "eight", "8:16"])
def test_what_is_not_a_size_is_named(text: str) -> None:
    with pytest.raises(InputError, match="is not a size"):
        parse_size(text)


@pytest.mark.parametrize("text", ["1KB", "4MB"])
def test_a_unit_with_two_meanings_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="1000 or of 1024"):
        parse_size(text)


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("8:64", [8, 16, 32, 64]),
        ("8:100", [8, 16, 32, 64]),
        ("0:4", [0, 1, 2, 4]),
        ("8:1K:*4", [8, 32, 128, 512]),
        ("0:24:+8", [0, 8, 16, 24]),
        ("8,64,1K", [8, 64, 1024]),
        ("64,8:64", [64, 8, 16, 32]),
        ("1M:1M", [1 << 20]),
    ],
)
def test_lists_and_ranges(text: str, sizes: list[int]) -> None:
    assert parse_sizes(text) == sizes


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1M:8", "is empty"),
        ("8:64:*1", "never reaches"),
        ("8:64:+0", "never reaches"),
        ("8:64:4", "is not a step"),
        ("1:2:*2:3", "is not a size range"),
        ("0:1T:+1", "use a larger step"),
        ("8,,16", "is not a size"),
    ],
)
def test_a_wrong_range_says_why(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        parse_sizes(text)


@given(first=st.integers(1, 1 << 40), factor=st.integers(2, 64), steps=st.integers(0, 12))
def test_a_range_grows_by_its_factor_and_stays_inside(first: int, factor: int, steps: int) -> None:
    last = first * factor**steps
    sizes = parse_sizes(f"{first}:{last}:*{factor}")
    assert sizes == [first * factor**step for step in range(steps + 1)]


@given(st.integers(0, 1 << 50))
def test_a_plain_number_means_itself(size: int) -> None:
    assert parse_size(str(size)) == size


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 B"), (8, "8 B"), (1024, "1 KiB"), (1536, "1.5 KiB"), (4 << 20, "4 MiB")]
)
def test_sizes_for_people(size: int, text: str) -> None:
    assert format_size(size) == text


def test_steps_of_the_square_root_of_two() -> None:
    assert parse_sizes("1:64:*sqrt2") == [1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64]
    assert parse_sizes("1024:4096:*sqrt2") == [1024, 1448, 2048, 2896, 4096]
    assert parse_sizes("0:4:*sqrt2") == [0, 1, 2, 3, 4]
    sizes = parse_sizes("1:1M:*sqrt2")
    assert (len(sizes), sizes[-2:]) == (40, [741455, 1048576])


@pytest.mark.parametrize("sizes", [[8], [8, 16], [8, 16, 32], [0, 1, 2, 4], [0, 8, 1024, 3 << 20], [1000, 1536]])
def test_sizes_are_written_as_they_are_read(sizes: list[int]) -> None:
    assert parse_sizes(write_sizes(sizes)) == sizes
    assert write_sizes([8, 16, 32]) == "8:32"
    assert write_sizes([0, 1024]) == "0,1K"
