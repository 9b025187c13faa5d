"""The cost of anti-patterns, and the best placement and number of ranks, from the figures of a run."""

from groma.advice.costs import Cost, clearest, costs
from groma.advice.placement import Best, best_placements
from groma.advice.ranks import RankPlacements, rank_placements
from groma.advice.rules import RULES, Rule

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
