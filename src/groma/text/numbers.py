"""Numbers for people: significant digits, units that fit, and columns aligned at the decimal point."""

from __future__ import annotations

import math

FIGURE_SPACE, PUNCTUATION_SPACE = "\u2007", "\u2008"
DIGITS = 4
MOST_DECIMALS = 4
DASH, TIMES = "\u2013", "\u00d7"


def significant(value: float | None, digits: int = DIGITS) -> str:
    """Return the value with `digits` significant digits, at most 4 decimals and no exponent; a dash for None."""
    if value is None or math.isnan(value):
        return DASH
    if value == 0:
        return "0"
    decimals = digits - 1 - math.floor(math.log10(abs(value)))
    rounded = round(value, decimals)
    if abs(rounded) >= 10 ** (digits - decimals):  # 9.9999 became 10.000: one digit too many
        decimals -= 1
    return f"{rounded:.{min(max(0, decimals), MOST_DECIMALS)}f}"


def aligned(texts: list[str]) -> list[str]:
    """Pad numbers to one length so that their decimal points are aligned.

    The spaces are as wide as a digit and as a point in proportional type; `typewriter` makes them plain.
    """
    places = max((len(_fraction(text)) for text in texts), default=0)
    padded = []
    for text in texts:
        point = PUNCTUATION_SPACE if places and "." not in text else ""
        padded.append(text + point + FIGURE_SPACE * (places - len(_fraction(text))))
    width = max(map(len, padded), default=0)
    return [text.rjust(width, FIGURE_SPACE) for text in padded]


def right(texts: list[str]) -> list[str]:
    """Pad texts on the left to one length."""
    width = max(map(len, texts))
    return [text.rjust(width) for text in texts]


def typewriter(text: str) -> str:
    """Return the text for a monospaced font."""
    return text.translate({ord(FIGURE_SPACE): " ", ord(PUNCTUATION_SPACE): " "})


def _fraction(number: str) -> str:
    return number.partition(".")[2]


def percent(share: float | None) -> str:
    """Return a share in percent with two significant digits, whole from 10% on."""
    if share is None:
        return DASH
    return f"{share:.0%}" if share >= 0.0995 else f"{share * 100:.1f}%"


def multiple(value: float | None) -> str:
    """Return `4.4x`; a dash for None."""
    return DASH if value is None else f"{significant(value, 2)}{TIMES}"


def microseconds(time_ns: float | None) -> str:
    """Return a time in microseconds."""
    return significant(None if time_ns is None else time_ns / 1e3)


def short(value: float) -> float:
    """Return the value with four significant digits, as an int if it is whole; a drawing shows no more."""
    rounded = float(f"{value:.4g}")
    return int(rounded) if rounded.is_integer() else rounded
