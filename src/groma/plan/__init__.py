"""Plans: what people ask for (TOML, profiles, operations on the command line) made into points."""

from __future__ import annotations

from groma.plan.draft import Draft, Written, draft_of_operations
from groma.plan.expand import Plan, Point, expand
from groma.plan.profiles import part_of_profile, profile_names, profile_summary, read_profile, several_profiles
from groma.plan.toml import read_plan
from groma.plan.variants import Variant, parse_libraries, parse_placements, parse_variant

__all__ = [
    "Draft",
    "Plan",
    "Point",
    "Variant",
    "Written",
    "draft_of_operations",
    "expand",
    "parse_libraries",
    "parse_placements",
    "parse_variant",
    "part_of_profile",
    "profile_names",
    "profile_summary",
    "read_plan",
    "read_profile",
    "several_profiles",
]
