"""Named plans that come with Groma."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

from groma.catalog import suggestion
from groma.errors import InputError
from groma.plan.toml import parse_plan

if TYPE_CHECKING:
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
