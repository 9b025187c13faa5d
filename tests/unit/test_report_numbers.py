"""Numbers for people: digits, units and alignment."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.text.numbers import (
    aligned,
    microseconds,
    multiple,
    percent,
    significant,
    typewriter,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.2797, "0.2797"),
        (0.00012345, "0.0001"),
        (1.0, "1.000"),
        (9.99951, "10.00"),
        (99.996, "100.0"),
        (279.74, "279.7"),
        (9999.5, "10000"),
        (123456.0, "123500"),
        (0.0, "0"),
        (-2.7312, "-2.731"),
        (None, "–"),  # noqa: RUF001 - that is what is printed
        (math.nan, "–"),  # noqa: RUF001
    ],
)
def test_four_significant_digits(value: float | None, text: str) -> None:
    assert significant(value) == text


@given(st.floats(1e-3, 1e12))
def test_what_is_printed_is_the_value_to_four_digits(value: float) -> None:
    assert float(significant(value)) == pytest.approx(value, rel=5.1e-4, abs=5.1e-5)


def test_points_stand_below_each_other() -> None:
    assert [typewriter(text) for text in aligned(["0.2797", "10.25", "1523", "–"])] == [  # noqa: RUF001
        "   0.2797",
        "  10.25  ",
        "1523     ",
        "   –     ",  # noqa: RUF001
    ]
    assert aligned(["3", "12"]) == ["\u20073", "12"]
    assert aligned([]) == []


@given(st.lists(st.floats(1e-3, 1e6), min_size=1))
def test_aligned_numbers_are_equally_long_and_unchanged(values: list[float]) -> None:
    texts = [significant(value) for value in values]
    padded = aligned(texts)
    assert len(set(map(len, padded))) == 1
    assert [typewriter(text).strip() for text in padded] == texts


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0123, "1.2%"), (0.0994, "9.9%"), (0.0996, "10%"), (1.2, "120%"), (None, "–")],  # noqa: RUF001
)
def test_percent(share: float | None, text: str) -> None:
    assert percent(share) == text
    assert microseconds(279.7) == "0.2797"
    assert multiple(4.42) == "4.4\u00d7"
