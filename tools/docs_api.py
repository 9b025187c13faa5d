"""A hook of MkDocs: fills the reference pages in docs/api from the sources, so that the pages cannot differ from these.

<!-- declarations: engine/groma/info.hpp Info Size -->    these declarations of a header, with their `///` comments
<!-- columns: OF_POINTS -->                               the columns of a table (groma.columns)
<!-- members: points.jsonl -->                            the objects of a document (docs/contract.csv)
"""

from __future__ import annotations

import csv
import functools
import re
import sys
from collections.abc import Callable
from pathlib import Path

_MEMBER = re.compile(r"^  (?:\[\[nodiscard\]\] )?([^{}]*?(?:\{\}|\{\d[^}]*\})?)(?:[,;]| \{ .* \})?(?: +///< (.*))?$")
ROOT = Path(__file__).resolve().parents[1]
_DIRECTIVE = re.compile(r"^<!-- (declarations|columns|members): (\S+)((?: \S+)*) -->$", re.MULTILINE)
_START = re.compile(
    r"^(?:(?:struct|class|enum class|namespace|concept|using|enum) (?P<type>\w+)"  # a type, a concept, a namespace
    r"|(?!return\b|static_assert\b)[A-Za-z_][\w:<>&*, ]*?[ &*](?P<function>\w+)\(.*"  # a function
    r"|(?:inline )?constexpr [\w:<>]+ (?P<constant>\w+) =.*)"
)


def on_page_markdown(markdown: str, **_: object) -> str:
    """Return a page's text with its directives replaced."""
    return _DIRECTIVE.sub(lambda found: _FILLED[found[1]](found[2], *found[3].split()), markdown)


def declarations(header: str, *names: str) -> str:
    """Return declarations of a header as Markdown: a heading, the comment before it, its members or its code."""
    known = declared(header)
    parts = [f"Header: `{header.removeprefix('engine/')}`"]
    for name in names:
        comment, code = known[name]
        fenced = f"```cpp\n{code}\n```"
        parts.append(f"### {name}\n\n{_as_markdown(comment)}\n\n{_members(code) or fenced}")
    return "\n\n".join(parts)


@functools.cache
def declared(header: str) -> dict[str, tuple[str, str]]:
    """Return what a header declares outside structs, by name: comment and code. Namespaces inside are one thing.

    Overloads, and a template before its specialisations: the first is taken.
    """
    lines = (ROOT / header).read_text(encoding="utf-8").splitlines()
    found: dict[str, tuple[str, str]] = {}
    at = 0
    while at < len(lines):
        start = _START.match(lines[at])
        if start is None or lines[at] == "namespace groma {":
            at += 1
            continue
        end = _end(lines, at)
        first = at
        while first and lines[first - 1].startswith(("template", "requires")):
            first -= 1
        above = first
        while above and lines[above - 1].startswith("///"):
            above -= 1
        comment = " ".join(line.removeprefix("///").strip() or "\n\n" for line in lines[above:first])
        code = "\n".join(lines[first : end + 1])
        if start["function"] and not code.startswith(("consteval", "template <class Timed>\nconsteval")):
            code = re.sub(r"\) (noexcept )?\{.*", ");", code, flags=re.DOTALL)  # a body is no declaration
        found.setdefault(start["type"] or start["function"] or start["constant"], (comment, code))
        at = end + 1
    return found


def _end(lines: list[str], at: int) -> int:
    """Return the line on which the declaration that begins at `at` ends: all brackets closed, `;` or `}` last."""
    depth = 0
    for place in range(at, len(lines)):
        code = re.sub(r"//.*|\"(?:[^\"\\]|\\.)*\"", "", lines[place]).rstrip()
        depth += sum(code.count(one) for one in "({") - sum(code.count(one) for one in ")}")
        if depth == 0 and code.endswith((";", "}")) and not (code.endswith("}") and _goes_on(lines, place)):
            return place
    raise ValueError(f"{lines[at]}: this declaration has no end")


def _goes_on(lines: list[str], place: int) -> bool:
    """Return whether a concept goes on behind a bracket, as after `requires { ... }`."""
    return place + 1 < len(lines) and lines[place + 1].lstrip().startswith(("||", "&&", "noexcept"))


def _as_markdown(comment: str) -> str:
    """Return a comment as Markdown: angle brackets of types are no tags."""
    return re.sub(r" *\n\n *", "\n\n", comment).replace("<", "&lt;")


def _members(code: str) -> str:
    """Return the members of a struct or of an enumeration as a table; nothing if none has a comment, or one is code."""
    _, *body = code.splitlines()
    found = [_MEMBER.match(line) for line in body[:-1]]
    if not body or body[-1] != "};" or "///<" not in code or not all(found):
        return ""
    rows = [f"| `{one[1].removesuffix(' = {}').removesuffix('{}')}` | {one[2] or ''} |" for one in found if one]
    return "\n".join(["| member | meaning |", "|---|---|", *rows])


def columns(table: str) -> str:
    """Return a table of `groma.columns` as Markdown."""
    sys.path.insert(0, str(ROOT / "src"))
    try:
        from groma import columns as of_groma  # noqa: PLC0415 - needs numpy: only when a page asks for it
    finally:
        sys.path.pop(0)
    lines = ["| column | values and meaning |", "|---|---|"]
    for one in getattr(of_groma, table):
        kind = one.kind if table != "OF_POINTS" else one.kind_over_launches
        values = f"{_KINDS[kind]}, {one.unit}" if one.unit else _KINDS[kind]
        lines.append(f"| `{one.name}` | *{values}*: {one.meaning.replace('|', chr(92) + '|')} |")
    return "\n".join(lines)


def members(document: str) -> str:
    """Return a table for each object of a document of docs/contract.md."""
    with (ROOT / "docs" / "contract.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["document"] == document]
    if not rows:
        raise ValueError(f"docs/contract.csv has no document {document}")
    lines = []
    for row in rows:
        if not row["member"]:
            lines += ["", f"**`{row['kind']}`**: {row['meaning']}", "", "| member | type | meaning |", "|---|---|---|"]
            continue
        cells = (f"`{row['member']}`", row["type"], row["meaning"])
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines[1:])


_KINDS = {"text": "text", "texts": "list of texts", "whole": "integer", "real": "number", "truth": "true or false"}
_FILLED: dict[str, Callable[..., str]] = {"declarations": declarations, "columns": columns, "members": members}
