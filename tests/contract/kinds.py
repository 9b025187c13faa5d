"""Objects of JSON documents against the kinds that the engine's description declares."""

from __future__ import annotations

from typing import Any

from groma.catalog import Kind, packaged

SCALARS: dict[str, Any] = {"integer": int, "number": (int, float), "text": str, "boolean": bool}


def check_object(value: dict[str, Any], kind: Kind, at: str) -> None:
    """Assert that an object of a record has the members of its kind, all of them, of their types."""
    for member in kind.members:
        assert member.name in value or member.left_out, f"{at} lacks {member.name}"
    check_members(value, kind, at)


def check_members(value: dict[str, Any], kind: Kind, at: str) -> None:
    """Assert that the kind of a record has the members of an object, and of their types."""
    declared = {member.name: member for member in kind.members}
    assert value.keys() <= declared.keys(), at
    for name, held in value.items():
        if held is None:
            assert declared[name].nullable, f"{at}.{name} is null"
        else:
            check_type(held, declared[name].type, f"{at}.{name}")


def check_type(value: Any, kind: str, at: str) -> None:  # noqa: ANN401 - whatever the JSON holds
    """Assert that a value is of a type in the words of the engine's description."""
    if kind.startswith("list of "):
        assert isinstance(value, list), at
        for place, one in enumerate(value):
            check_type(one, kind.removeprefix("list of "), f"{at}[{place}]")
    elif kind.startswith("map of "):
        assert isinstance(value, dict), at
        for name, one in value.items():
            check_type(one, kind.removeprefix("map of "), f"{at}.{name}")
    elif kind in SCALARS:
        assert isinstance(value, SCALARS[kind]), f"{at} is {value!r}, no {kind}"
        assert isinstance(value, bool) == (kind == "boolean"), f"{at} is {value!r}, no {kind}"
    elif kind == "fields":
        assert value.keys() == set(packaged().names("point")), at
    else:
        check_object(value, packaged().kind(kind), at)
