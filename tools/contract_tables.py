"""Writes docs/contract.csv, the members of all documents of docs/contract.md, from the declarations of both sides.

What the engine writes is described by `groma-engine --describe` (src/groma/catalog/catalog.json), from the tables of
the structs in engine/groma/schema. What the front end reads and writes is described by the structs of groma.catalog and
groma.results.documents.

    python -m tools.contract_tables [--check]     with --check: says whether the file is stale, exit code 1
"""

from __future__ import annotations

import csv
import io
import re
import sys
import types
import typing
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from groma.catalog import Catalog, Kind, packaged
from groma.results.documents import LaunchDocument, RunDocument
from groma.results.records import Imported, Printed
from tools.stale import kept

TABLE = Path(__file__).resolve().parents[1] / "docs" / "contract.csv"
DOCUMENTS = ("catalogue", "points.jsonl", "nodes.json", "imported", "run.json", "launch.json")
_WORDS = {int: "integer", float: "number", str: "text", bool: "boolean", Any: "any"}
_SETTINGS = "fields"
_OF_EVERY_RECORD = {"schema", "kind", "crc32"}  # the page says once what they are
Hint = Any  # an annotation, as typing reads it


class Row(NamedTuple):
    """One member: `kind` is its type in the words of the engine's description, without null."""

    name: str
    kind: str
    nullable: bool
    help: str
    unit: str = ""
    left_out: bool = False
    older: bool = False


def snake(name: str) -> str:
    """Return a struct's name as the engine's description has it: TcpRow is tcp_row."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def camel(name: str) -> str:
    """Return the name of the struct for a kind: tcp_row is TcpRow."""
    return "".join(word.capitalize() for word in name.split("_"))


def rows(struct: type[msgspec.Struct]) -> list[Row]:
    """Return the members of a Python struct in the words of the engine's description."""
    hints = typing.get_type_hints(struct, include_extras=True)
    found = []
    for field in msgspec.structs.fields(struct):
        notes = list(_metas(hints[field.name]))
        kind, nullable = kind_of(hints[field.name])
        words = next((meta.description for meta in notes if meta.description), "")
        older = any((meta.extra or {}).get("older") for meta in notes)
        found.append(Row(field.encode_name, kind, nullable, words, older=older))
    return found


def kind_of(hint: Hint) -> tuple[str, bool]:
    """Return the type of an annotation in the words of the engine's description, and whether it may be None."""
    bare = _bare(hint)
    arguments = typing.get_args(bare)
    origin: Hint = typing.get_origin(bare)
    if origin in (typing.Union, types.UnionType):
        kinds = dict.fromkeys(kind_of(one)[0] for one in arguments if one is not type(None))
        scalars = kinds.keys() <= {"integer", "number", "text", "boolean"} and len(kinds) == len(_SCALARS)
        named = _SETTINGS if scalars else " or ".join(kinds)
        return "number" if named == "integer or number" else named, type(None) in arguments
    if origin is typing.Literal:
        return " or ".join(f'`"{one}"`' for one in arguments), False
    if origin is np.ndarray:
        return "list of integer", False
    if origin in (list, tuple):
        return f"list of {kind_of(arguments[0])[0]}", False
    if origin is dict:
        values = kind_of(arguments[1])[0]
        return (_SETTINGS if values == _SETTINGS else f"map of {values}"), False
    return _WORDS.get(bare) or snake(bare.__name__), False


_SCALARS = ("integer", "number", "text", "boolean")


def parts(struct: type[msgspec.Struct]) -> list[type[msgspec.Struct]]:
    """Return the structs that a struct holds, and those that they hold, each once."""
    found: dict[type[msgspec.Struct], None] = {}
    for hint in typing.get_type_hints(struct, include_extras=True).values():
        for inner in _structs(hint):
            found |= dict.fromkeys([inner, *parts(inner)])
    return list(found)


def _metas(hint: Hint) -> Iterator[msgspec.Meta]:
    if _is_annotated(hint):
        yield from (meta for meta in hint.__metadata__ if isinstance(meta, msgspec.Meta))


def _bare(hint: Hint) -> Hint:
    return _bare(hint.__origin__) if _is_annotated(hint) else hint


def _is_annotated(hint: Hint) -> bool:
    origin: Hint = typing.get_origin(hint)
    return origin is typing.Annotated


def _structs(hint: Hint) -> Iterator[type[msgspec.Struct]]:
    bare = _bare(hint)
    if isinstance(bare, type) and issubclass(bare, msgspec.Struct):
        yield bare
    for argument in typing.get_args(bare):
        yield from _structs(argument)


def _shown(row: Row) -> str:
    kind = row.kind + (f" [{row.unit}]" if row.unit else "") + (" or null" if row.nullable else "")
    kind += ", not in all" if row.left_out else ""
    return kind + (", only of older engines" if row.older else "")


class Table(NamedTuple):
    """An object of a document: its name, what it is, and its members."""

    kind: str
    help: str
    members: list[Row]


def _of_kind(kind: Kind, older: Iterable[Row]) -> Table:
    members = [Row(one.name, one.type, one.nullable, one.help, one.unit, one.left_out) for one in kind.members]
    if {row.name for row in members} >= _OF_EVERY_RECORD:
        members = [row for row in members if row.name not in _OF_EVERY_RECORD]
    return Table(kind.name, kind.help, [*members, *older])


def _of_struct(struct: type[msgspec.Struct]) -> Table:
    words = (struct.__doc__ or "").partition("\n")[0]
    return Table(snake(struct.__name__).removesuffix("_document"), words, rows(struct))


def _of_own(struct: type[msgspec.Struct]) -> Table:
    """Return the table of the members that a record declares itself, beside those of the record it takes after."""
    own = [row for row in rows(struct) if row.help and not row.older]
    return Table(snake(struct.__name__), (struct.__doc__ or "").partition("\n")[0], own)


def older_rows(structs: Iterable[type[msgspec.Struct]]) -> dict[str, list[Row]]:
    """Return the members that only older engines wrote, by the kind that has them."""
    return {snake(struct.__name__): [row for row in rows(struct) if row.older] for struct in structs}


def tables(name: str, catalog: Catalog) -> list[Table]:
    """Return the objects of one of DOCUMENTS, in its order."""
    if name in ("points.jsonl", "nodes.json"):
        from groma.results import documents, instruments, records  # noqa: PLC0415

        known = [one for module in (documents, instruments, records) for one in vars(module).values()]
        older = older_rows(one for one in known if isinstance(one, type) and issubclass(one, msgspec.Struct))
        kinds = [kind for kind in catalog.records if _document(kind, catalog) == name]
        return [_of_kind(kind, older.get(kind.name, [])) for kind in kinds]
    if name == "imported":
        return [_of_own(struct) for struct in (Imported, Printed)]
    structs: dict[str, type[msgspec.Struct]] = {
        "catalogue": Catalog,
        "launch.json": LaunchDocument,
        "run.json": RunDocument,
    }
    struct = structs[name]
    shown = parts(RunDocument) if name == "launch.json" else []  # the page has run.json first
    return [_of_struct(one) for one in [struct, *parts(struct)] if one not in shown]


def _document(kind: Kind, catalog: Catalog) -> str:
    """Return the document in which a kind stands; a part stands in that of the first record before it."""
    place = [one.name for one in catalog.records].index(kind.name)
    return next(one.document for one in catalog.records[place::-1] if one.document)


def written(catalog: Catalog) -> str:
    """Return the text of the file: a row for each object, and below it one for each of its members."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(("document", "kind", "member", "type", "meaning"))
    for document in DOCUMENTS:
        for table in tables(document, catalog):
            lines.writerow((document, table.kind, "", "", table.help))
            lines.writerows((document, table.kind, row.name, _shown(row), row.help) for row in table.members)
    return text.getvalue()


if __name__ == "__main__":
    sys.exit(kept(TABLE, written(packaged()), sys.argv[1:], "it differs from the declarations"))
