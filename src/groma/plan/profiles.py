"""Named plans: those of programs, and a site's own (`groma.catalog.registry`)."""

from __future__ import annotations

import fnmatch
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from groma.catalog import Catalog
from groma.catalog.registry import Profile, program_of, registry, require_profile
from groma.catalog.synonyms import operations_named, understood
from groma.errors import GromaError, InputError
from groma.plan.draft import Draft, Written, name_of
from groma.plan.expand import operations_of
from groma.plan.parts import call_of
from groma.plan.toml import parse_plan, plan_text
from groma.plan.variants import Variant


def profile_names() -> list[str]:
    """Return the names of all profiles, sorted."""
    return sorted(registry().profiles)


def read_profile(name: str, catalog: Catalog) -> Draft:
    """Return the draft of a profile.

    Raises InputError with the nearest name if there is none, PlanError if the file is wrong.
    """
    profile = require_profile(name)
    draft = parse_plan(_text(profile), profile.place, catalog)
    draft.profile = name
    return draft


def profile_summary(name: str, catalog: Catalog) -> str:
    """Return what a profile is or, of a site's own that cannot be read, why.

    Groma's own profiles are known to be right, so only their first keys are read: all of them take as long as the rest
    of `groma list`.
    """
    try:
        profile = require_profile(name)
        program = registry().programs.get(profile.program)
        if program is None or not program.is_ours:
            return read_profile(name, catalog).summary
        head, _, _ = _text(profile).partition("\n[")
        return str(tomllib.loads(head)["summary"])
    except GromaError as error:
        return f"cannot be used: {error}"


def _text(profile: Profile) -> str:
    try:
        return plan_text(profile.file, profile.place)
    except OSError as error:
        raise InputError(f"the profile {profile.place} cannot be read ({error.strerror})") from None


def part_of_profile(name: str, words: Sequence[str], catalog: Catalog) -> Draft:
    """Return the profile's draft with nothing but the operations that these words stand for, tests of its program too.

    A nonblocking or persistent form is measured as the profile measures the blocking operation. Raises InputError for
    an operation that it lacks.
    """
    draft = read_profile(name, catalog)
    measured = list(dict.fromkeys(own for block in draft.blocks for own in operations_of(draft, block, catalog)))
    forms = [form.name for form in catalog.operations if form.form_of in measured and form.name not in measured]
    wanted: dict[str, list[Mapping[str, Any]]] = {}
    for word in words:
        found = understood(word, catalog)
        chosen = fnmatch.filter(measured, found.operation) or fnmatch.filter(forms, found.operation)
        if found.program not in ("", name) or not chosen:
            raise InputError(f"the profile {name} does not measure {word}; it measures {', '.join(measured)}")
        for operation in chosen:
            wanted.setdefault(operation, []).append(found.settings)
    parts = [
        (block, chosen)
        for whole in draft.blocks
        for block, chosen in _with_phases(draft, whole, _wanted(draft, whole, wanted, catalog), catalog)
    ]
    draft.blocks = [
        {field: value for field, value in block.items() if _used(field, chosen, catalog)}
        | {"operation": Written(chosen)}
        for block, chosen in parts
        if chosen
    ]
    draft.common = {field: value for field, value in draft.common.items() if _used(field, list(wanted), catalog)}
    draft.name = name_of([f"{name}-{next(iter(wanted))}" if len(wanted) == 1 else name])
    return draft


def _with_phases(
    draft: Draft, block: dict[str, Written], chosen: list[str], catalog: Catalog
) -> list[tuple[dict[str, Written], list[str]]]:
    """Return the block with its operations, apart from those with phases if it times many calls at once.

    These would lose their phases: they are timed call by call, as many as a block has.
    """
    own = draft.common | block
    phased = [name for name in chosen if catalog.operation(name).phases]
    if not phased or "timing" not in own or own["timing"].value != "block":
        return [(block, chosen)]
    calls = {name: value for name, value in block.items() if name != "block"}
    calls |= {"timing": Written("call"), "repetitions": own["block"]}
    return [(block, [name for name in chosen if name not in phased]), (calls, phased)]


def _wanted(
    draft: Draft, block: dict[str, Written], wanted: Mapping[str, Sequence[Mapping[str, Any]]], catalog: Catalog
) -> list[str]:
    """Return the operations of a block, and forms of them, that are wanted in the way in which it measures them."""
    written = {field: value.value for field, value in (draft.common | block).items()}
    measured = operations_of(draft, block, catalog)
    forms = [form for form in wanted if catalog.operation(form).form_of in measured]
    ways = {own: catalog.resolve(written | {"operation": own}) for own in dict.fromkeys([*measured, *forms])}
    return [
        own
        for own, way in ways.items()
        if any(all(way[field] == value for field, value in settings.items()) for settings in wanted.get(own, ()))
    ]


def several_profiles(names: Sequence[str], words: Sequence[str], catalog: Catalog) -> Draft:
    """Return the draft of profiles that take turns, at these operations or at those that two of them measure.

    Raises InputError for an operation that fewer than two measure, and for a profile that cannot take turns.
    """
    drafts = {name: read_profile(name, catalog) for name in names}
    for name in names:
        _check_turns(name, names)
    operations = [own for word in words for own in operations_named(word, catalog)]
    measured = {name: _measured(draft, operations, catalog) for name, draft in drafts.items()}
    calls = {name: list(dict.fromkeys(map(call_of, own))) for name, own in measured.items()}
    having = {call: [name for name in names if call in calls[name]] for own in calls.values() for call in own}
    asked = tuple(dict.fromkeys(map(call_of, operations))) or tuple(
        call for call, own in having.items() if len(own) > 1
    )
    for call in asked:
        if len(own := having.get(call, [])) < 2:
            whom = f"only the profile {own[0]} measures" if own else f"none of the profiles {', '.join(names)} measures"
            raise InputError(f"{whom} {call}; name two profiles that do (groma list profiles), or leave it out")
    for name in names:
        if not set(asked) & set(calls[name]):
            raise InputError(
                f"the profile {name} measures none of {', '.join(asked)}; leave it out: {_list(calls[name])}"
            )
    draft = Draft(name=name_of(list(names)), blocks=[], variants=tuple(Variant(name, {}) for name in names))
    draft.programs = tuple(
        part_of_profile(name, [own for own in dict.fromkeys(measured[name]) if call_of(own) in asked], catalog)
        for name in names
    )
    draft.lacking = {
        f"{call} by {name}": "the profile does not measure it"
        for call in asked
        for name in names
        if call not in calls[name]
    }
    return draft


def _measured(draft: Draft, asked: Sequence[str], catalog: Catalog) -> list[str]:
    """Return the operations that a profile measures, and the asked forms of them, which it measures alike."""
    own = [operation for block in draft.blocks for operation in operations_of(draft, block, catalog)]
    return own + [form for form in asked if form not in own and catalog.operation(form).form_of in own]


def _check_turns(name: str, names: Sequence[str]) -> None:
    """Refuse a profile that is named twice, or that decides itself what is measured next and in what variants."""
    if names.count(name) > 1:
        raise InputError(f"--profile {name} is given twice; name each profile once")
    program = program_of(name)
    if program is not None and (program.stages or program.variants):
        raise InputError(f"the profile {name} decides itself what is measured next; measure it in a run of its own")


def _list(calls: Sequence[str]) -> str:
    return f"it measures {', '.join(calls)}"


def _used(field: str, operations: Sequence[str], catalog: Catalog) -> bool:
    """Return whether one of the operations looks at the field: a part of a profile must not carry what was others'."""
    return field not in catalog.payload or any(field in catalog.operation(operation).uses for operation in operations)
