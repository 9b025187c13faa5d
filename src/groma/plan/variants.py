"""Variants of a plan: environments, placements and MPI libraries in which the same points are measured, in turn."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from groma.errors import InputError
from groma.plan.placement import read_placement

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PROGRAM = re.compile(r"(mpi(exec|run|cxx|c\+\+|cc|CC|icpc|icpx)|prterun|orterun|groma-engine)(\..+)?")


class Variant(msgspec.Struct, frozen=True):
    """A name, the variables that its ranks see beside those they have anyway, and where the ranks are put.

    `placement` is one that `read_placement` reads; empty if that is left to the launcher. `mpi` chooses a library
    by a name (`groma mpi list`), a prefix, a launcher or an engine; empty for the library of the whole run. `hosts` is
    what `read_hosts` reads, and set by programs alone; empty for the hosts of the whole run.
    """

    name: Annotated[str, Meta(description='such as `"tcp"`')]
    env: Annotated[dict[str, str], Meta(description='variables, such as `{"FI_PROVIDER": "tcp"}`')] = {}
    placement: Annotated[
        str, Meta(description='where its ranks are put: `""`, `"by-node"`, `"node1+node2"`, `"0+2"`')
    ] = ""
    mpi: Annotated[
        str, Meta(description='the MPI library, such as `"openmpi"` or a prefix; `""` for that of the whole run')
    ] = ""
    hosts: Annotated[
        str, Meta(description='the hosts of its ranks, such as `"a:1,b:1"`; `""` for those of the whole run')
    ] = ""


@dataclass(frozen=True)
class Offered:
    """The variants that a program has on this machine, in their order, and a sentence for each that is lacking."""

    variants: tuple[Variant, ...]
    lacking: dict[str, str] = field(default_factory=dict)


def read_variant(name: object, env: object, placement: object = "", mpi: object = "") -> Variant:
    """Return the variant of a plan's table; raises InputError for a wrong name, variable, placement or library."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InputError(f"a variant needs a name of letters, digits, -, _ and ., not {name!r}")
    if not isinstance(env, dict):
        raise InputError(f"env of the variant {name} must be a table; write env = {{NAME = 'value'}}")
    for variable, value in env.items():
        if not _VARIABLE.fullmatch(variable):
            raise InputError(f"'{variable}' of the variant {name} cannot name an environment variable")
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise InputError(f"{variable} of the variant {name} needs a text or a number, not {value!r}")
    if not isinstance(placement, str):
        raise InputError(f"placement of the variant {name} needs a text such as 'by-node', not {placement!r}")
    read_placement(placement)
    if not isinstance(mpi, str):
        raise InputError(f"mpi of the variant {name} needs a text such as 'openmpi' or '/opt/openmpi', not {mpi!r}")
    return Variant(name, {variable: str(value) for variable, value in env.items()}, placement, mpi)


def parse_variant(text: str) -> Variant:
    """Return the variant of `NAME:KEY=VALUE,KEY=VALUE`; a comma that starts no KEY= belongs to the value before it."""
    name, _, settings = text.partition(":")
    env: dict[str, Any] = {}
    for setting in re.split(rf",(?={_VARIABLE.pattern}=)", settings) if settings else []:
        variable, equals, value = setting.partition("=")
        if not equals:
            raise InputError(f"'{text}' is not a variant; write --variant NAME:KEY=VALUE,KEY=VALUE")
        env[variable.strip()] = value
    return read_variant(name.strip(), env)


def parse_placements(texts: Iterable[str]) -> tuple[Variant, ...]:
    """Return a variant for every placement of `by-slot,by-node,node1+node2`; a list may have a name: `wide=0+4`."""
    variants = []
    for name, placement in _parts(texts):
        way = read_placement(placement).way
        if not placement:
            raise InputError("a placement is missing between the commas; write --placement by-slot,by-node")
        default_name = way if way in ("by-slot", "by-node") else "list"
        variants.append(read_variant(default_name if name is None else name, {}, placement))
    return tuple(variants)


def parse_libraries(texts: Iterable[str]) -> tuple[Variant, ...]:
    """Return a variant for every library of `mpich,openmpi` or `base=/opt/a,head=/opt/b`.

    A path without a name is called by its last part that says something: /opt/openmpi-5 and /usr/bin/mpiexec.mpich are
    openmpi-5 and mpich.
    """
    variants = []
    for name, library in _parts(texts):
        if not library:
            raise InputError("a library is missing between the commas; write --mpi mpich,openmpi or --mpi base=/opt/a")
        variants.append(read_variant(_called(library) if name is None else name, {}, "", library))
    return tuple(variants)


def _parts(texts: Iterable[str]) -> Iterator[tuple[str | None, str]]:
    """Yield name and value of every `name=value` between commas; None for a value without a name."""
    for text in (part for listed in texts for part in listed.split(",")):
        name, equals, value = (part.strip() for part in text.partition("="))
        yield (name, value) if equals else (None, name)


def _called(library: str) -> str:
    """Return a name for a library that was given by a path, or by the name of its launcher."""
    path = PurePath(library)
    if _PROGRAM.fullmatch(path.name):
        suffix = path.name.partition(".")[2]
        return suffix if suffix and suffix != "hydra" else path.parent.parent.name or path.name
    return path.name


def check_names(variants: tuple[Variant, ...]) -> None:
    """Raise InputError if two variants have one name."""
    names = [variant.name for variant in variants]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two variants are called {name}; give each a name of its own")
