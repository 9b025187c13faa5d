"""The cost of anti-patterns, and the best placement and number of ranks, from the figures of a run."""

from groma.analysis.advice.costs import Cost, clearest, costs
from groma.analysis.advice.placement import Best, best_placements
from groma.analysis.advice.ranks import RankPlacements, rank_placements
from groma.analysis.advice.rules import RULES, Rule

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
