"""Why two methods report different times: the factors in which they differ, and how much of the ratio is each one's."""

from groma.explain.attribution import Attribution, Term, attribute
from groma.explain.factors import Change, Comparison, compare

__all__ = ["Attribution", "Change", "Comparison", "Term", "attribute", "compare"]
