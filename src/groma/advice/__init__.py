"""What a bad habit costs on this machine, and where and how many ranks do best; nothing here measures."""

from groma.advice.costs import Cost, costs, telling
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
    "costs",
    "rank_placements",
    "telling",
]
