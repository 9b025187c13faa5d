"""Named plans that come with Groma."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

from groma.catalog import suggestion
from groma.errors import InputError
from groma.plan.draft import Written
from groma.plan.toml import parse_plan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.catalog import Catalog
    from groma.plan.draft import Draft

_FOLDER = "profiles"


def profile_names() -> list[str]:
    """Return the names of the packaged profiles, sorted."""
    folder = resources.files("groma") / _FOLDER
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))


def read_profile(name: str, catalog: Catalog) -> Draft:
    """Return the draft of a packaged profile, or raise InputError with the nearest name."""
    known = profile_names()
    if name not in known:
        hint = suggestion(name, known) or f"; there are {', '.join(known)}"
        raise InputError(f"there is no profile '{name}'{hint}")
    text = (resources.files("groma") / _FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    draft = parse_plan(text, f"profile {name}", catalog)
    draft.profile = name
    return draft


def part_of_profile(name: str, operations: Sequence[str], catalog: Catalog) -> Draft:
    """Return the profile's draft with nothing but these operations; raises InputError for one that it lacks."""
    draft = read_profile(name, catalog)
    has = list(dict.fromkeys(one for block in draft.blocks for one in _operations(draft, block)))
    for operation in operations:
        if operation not in has:
            raise InputError(f"the profile {name} does not measure {operation}; it measures {', '.join(has)}")
    parts = [(block, [one for one in _operations(draft, block) if one in operations]) for block in draft.blocks]
    draft.blocks = [
        {field: value for field, value in block.items() if _used(field, chosen, catalog)}
        | {"operation": Written(chosen)}
        for block, chosen in parts
        if chosen
    ]
    draft.common = {field: value for field, value in draft.common.items() if _used(field, operations, catalog)}
    draft.name = f"{name}-{operations[0]}" if len(operations) == 1 else name
    return draft


def _operations(draft: Draft, block: dict[str, Written]) -> list[str]:
    """Return the operations of a block as a list, however they were written."""
    value = block.get("operation", draft.common.get("operation", Written([]))).value
    return [str(one) for one in value] if isinstance(value, list) else [one.strip() for one in str(value).split(",")]


def _used(field: str, operations: Sequence[str], catalog: Catalog) -> bool:
    """Tell whether one of the operations looks at the field: a part of a profile must not carry what was others'."""
    return field not in catalog.payload or any(field in catalog.operation(one).uses for one in operations)
