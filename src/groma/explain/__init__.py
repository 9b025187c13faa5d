"""Why two methods report different times: the factors in which they differ, and the share of each in the ratio."""

from groma.explain.attribution import Attribution, Term, attribute
from groma.explain.factors import Change, MethodPair, pair_methods

__all__ = ["Attribution", "Change", "MethodPair", "Term", "attribute", "pair_methods"]
