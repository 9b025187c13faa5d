"""Deciding by measurements: one run against another, point by point, and a gate against a baseline.

The only comparison of times is `groma.analysis.compare`; here it is asked about runs. docs/adr/0024 says why so.
"""

from groma.decide.comparing import Compared, Row, compare_sides, compare_variants
from groma.decide.sides import Side

__all__ = ["Compared", "Row", "Side", "compare_sides", "compare_variants"]
