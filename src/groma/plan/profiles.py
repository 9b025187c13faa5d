"""Named plans: those of programs, and a site's own (`groma.registry`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.errors import InputError, PlanError
from groma.plan.draft import Written
from groma.plan.toml import parse_plan
from groma.registry import registry, require_profile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.catalog import Catalog
    from groma.plan.draft import Draft


def profile_names() -> list[str]:
    """Return the names of all profiles, sorted."""
    return sorted(registry().profiles)


def read_profile(name: str, catalog: Catalog) -> Draft:
    """Return the draft of a profile.

    Raises InputError with the nearest name where there is none, PlanError where the file is wrong.
    """
    profile = require_profile(name)
    try:
        text = profile.file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise PlanError("the file is not UTF-8 text; save it as plain TOML", profile.place) from None
    except OSError as error:
        raise InputError(f"the profile {profile.place} cannot be read ({error.strerror})") from None
    draft = parse_plan(text, profile.place, catalog)
    draft.profile = name
    return draft


def part_of_profile(name: str, operations: Sequence[str], catalog: Catalog) -> Draft:
    """Return the profile's draft with nothing but these operations; raises InputError for one that it lacks."""
    draft = read_profile(name, catalog)
    measured = list(dict.fromkeys(operation for block in draft.blocks for operation in _operations(draft, block)))
    for operation in operations:
        if operation not in measured:
            raise InputError(f"the profile {name} does not measure {operation}; it measures {', '.join(measured)}")
    parts = [(block, [name for name in _operations(draft, block) if name in operations]) for block in draft.blocks]
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
    return (
        [str(name) for name in value] if isinstance(value, list) else [name.strip() for name in str(value).split(",")]
    )


def _used(field: str, operations: Sequence[str], catalog: Catalog) -> bool:
    """Tell whether one of the operations looks at the field: a part of a profile must not carry what was others'."""
    return field not in catalog.payload or any(field in catalog.operation(operation).uses for operation in operations)
