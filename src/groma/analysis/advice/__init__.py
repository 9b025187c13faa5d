"""The cost of anti-patterns, and the best placement and number of ranks, from the figures of a run."""

from groma.analysis.advice.costs import RULES, Cost, Rule, clearest, costs
from groma.analysis.advice.placement import Best, RankPlacements, best_placements, rank_placements

__all__ = [
    "RULES",
    "Best",
    "Cost",
    "RankPlacements",
    "Rule",
    "best_placements",
    "clearest",
    "costs",
    "rank_placements",
]
