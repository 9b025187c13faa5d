"""`groma list`: everything that can be asked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click
from rich.table import Table
from rich.text import Text

from groma.catalog import Catalog, Field, Operation, Pattern, suggestion
from groma.cli.console import out
from groma.cli.offering import allocated_hosts, variants_here
from groma.cli.reference import print_table
from groma.errors import GromaError, InputError
from groma.launch import allowed_cores, catalog_in_use
from groma.plan import expand, profile_names, read_profile
from groma.references import tables
from groma.registry import Program, programs, registry, require_profile, styles
from groma.reporting import CHOICES, DEFAULT, HELP
from groma.reporting import FIELDS as REPORTING
from groma.run.forecast import crowding, forecast

if TYPE_CHECKING:
    from rich.console import Console

_KINDS = ("operations", "patterns", "communicators", "fields", "report", "profiles", "programs", "styles", "reference")
# Ninety tables would bury what can be measured.
_ASKED = _KINDS[:-1]


@click.command(name="list")
@click.argument("what", metavar=f"[{'|'.join(_KINDS)}|NAME]", required=False)
def list_(what: str | None) -> int:
    """List what can be asked, or explain one name.

    Operations, patterns, communicators, fields of points and plans, settings of the report, profiles, programs, styles,
    reference tables; a name of any of them is explained.
    """
    catalog, console = catalog_in_use(), out()
    for kind in _ASKED if what is None else [what] if what in _KINDS else []:
        console.print(Text(f"\n{kind.capitalize()}" if what is None else kind.capitalize(), style="bold"))
        _TABLES[kind](catalog, console)
    if what is not None and what not in _KINDS:
        _explain(what, catalog, console)
    return 0


def _explain(name: str, catalog: Catalog, console: Console) -> None:
    """Print all there is to say about one name; a field and an operation may share it.

    Raises InputError for a profile or program that cannot be used, and where nothing has the name.
    """
    registry().refuse(name)
    explanations = [
        *(_operation(operation) for operation in catalog.operations if operation.name == name),
        *(_pattern("pattern", pattern) for pattern in catalog.patterns if pattern.name == name),
        *(
            _pattern("communicator", communicator)
            for communicator in catalog.communicators
            if communicator.name == name
        ),
        *(_field(field) for field in catalog.fields if field.name == name),
        *(_setting(setting) for setting in REPORTING if setting == name),
        *(_profile(profile, catalog) for profile in profile_names() if profile == name),
        *(_program(program) for program in programs().values() if program.name == name),
    ]
    for rows in explanations:
        _rows(console, rows)
    known_tables = {table.name for table in tables()}
    if name in known_tables:
        print_table(name, console)
    elif not explanations:
        kinds = (catalog.operations, catalog.patterns, catalog.communicators, catalog.fields)
        names = [entry.name for kind in kinds for entry in kind]
        hint = (
            suggestion(name, [*names, *REPORTING, *profile_names(), *programs(), *known_tables, *_KINDS])
            or "; see groma list"
        )
        raise InputError(f"there is nothing called '{name}'{hint}")


def _profile(name: str, catalog: Catalog) -> list[tuple[str, str]]:
    draft = read_profile(name, catalog)
    offered = variants_here(draft, allocated_hosts())
    plan = replace(expand(draft, catalog), variants=offered.variants if offered else ())
    operations = dict.fromkeys(str(point["operation"]) for point in plan.points)
    doubt = crowding(max(plan.rank_counts), allowed_cores().cpus)
    place = require_profile(name).place
    return [
        ("profile", name),
        ("what", read_profile(name, catalog).summary),
        ("measures", f"{len(plan.points)} points of {', '.join(operations)}"),
        *([("variants", ", ".join(variant.name for variant in plan.variants))] if plan.variants else []),
        *([(f"no {what}", reason) for what, reason in offered.lacking.items()] if offered else []),
        ("launches", f"{plan.launches} on {' and '.join(map(str, plan.rank_counts))} ranks"),
        ("expected", forecast(plan, catalog)),
        *([("here", doubt)] if doubt else []),
        *([("from", place)] if place != f"profile {name}" else []),
    ]


def _setting(name: str) -> list[tuple[str, str]]:
    return [
        ("setting", f"{name} (of the report)"),
        ("what", HELP[name]),
        ("default", _shown(getattr(DEFAULT, name))),
        ("written", f"--set {name}=..., or {name} = ... in a plan's [report] table"),
        *((f"  {word}", text) for word, text in CHOICES[name].items()),
    ]


def _program(program: Program) -> list[tuple[str, str]]:
    style = [
        ("style", program.name),
        ("what", program.prints),
        ("printed by", f"groma show RUN --style {program.name}"),
    ]
    place = [] if program.is_ours else [("from", str(program.folder))]
    return [("program", program.name), ("has", _parts(program)), *place, *(style if program.style else [])]


def _parts(program: Program) -> str:
    """Say what a program has beside its profiles."""
    parts = {
        "a study of its runs": program.study,
        "published figures (--against)": program.references,
        "several runs side by side (groma report RUN RUN)": program.panel,
        f"a style (groma show --style {program.name})": program.style,
        f"options of its style ({', '.join(option.flag for option in program.options)})": program.options,
    }
    profiles = [profile.name for profile in registry().profiles.values() if profile.program == program.name]
    listed = f"profile{'s' * (len(profiles) > 1)} {', '.join(sorted(profiles))}" if profiles else ""
    return ", ".join(filter(None, [listed, *(text for text, value in parts.items() if value)]))


def _operation(operation: Operation) -> list[tuple[str, str]]:
    return [
        ("operation", operation.name),
        ("what", operation.summary),
        ("family", operation.family.replace("_", " ")),
        ("calls", operation.calls),
        ("time", operation.time),
        ("bandwidth", operation.bandwidth or "none"),
        ("checked", operation.validation or "nothing is received"),
        ("ranks", f"at least {operation.min_ranks}"),
        ("uses", ", ".join(operation.uses) or "no payload fields"),
        (
            "defaults",
            ", ".join(f"{name}={_shown(value)}" for name, value in operation.defaults.items())
            or "as in groma list fields",
        ),
    ]


def _pattern(noun: str, pattern: Pattern) -> list[tuple[str, str]]:
    return [(noun, _with_argument(pattern)), ("what", pattern.summary)]


def _field(field: Field) -> list[tuple[str, str]]:
    limits = [
        f"at least {field.minimum}" if field.minimum is not None else "",
        f"at most {field.maximum}" if field.maximum is not None else "",
    ]
    rows = [
        ("field", f"{field.name} ({field.type}{', ' + field.unit if field.unit else ''}, of a {field.scope})"),
        ("what", field.help),
        ("default", _shown(field.default)),
        ("range", " and ".join(filter(None, limits))),
    ]
    rows += [(f"  {choice.name}", choice.help) for choice in field.choices]
    return [row for row in rows if row[1]]


def _operations_table(catalog: Catalog, console: Console) -> None:
    _rows(console, [(operation.name, operation.summary) for operation in catalog.operations])


def _patterns_table(catalog: Catalog, console: Console) -> None:
    _rows(console, [(_with_argument(pattern), pattern.summary) for pattern in catalog.patterns])


def _communicators_table(catalog: Catalog, console: Console) -> None:
    _rows(console, [(_with_argument(communicator), communicator.summary) for communicator in catalog.communicators])


def _fields_table(catalog: Catalog, console: Console) -> None:
    table = _table()
    for field in catalog.fields:
        words = ", ".join(choice.name for choice in field.choices)
        table.add_row(
            Text(field.name, style="bold"),
            Text(_shown(field.default)),
            Text(field.help + (f" ({words})" if words else "")),
        )
    console.print(table)


def _profiles_table(catalog: Catalog, console: Console) -> None:
    _rows(console, [(name, _summary(name, catalog)) for name in profile_names()])


def _summary(name: str, catalog: Catalog) -> str:
    """Return what a profile is or, of a site's own that cannot be read, why."""
    try:
        return read_profile(name, catalog).summary
    except GromaError as error:
        return f"cannot be used: {error}"


def _programs_table(catalog: Catalog, console: Console) -> None:
    del catalog
    broken = [(name, f"cannot be used: {sentence}") for name, sentence in sorted(registry().broken.items())]
    _rows(console, [*((name, _parts(program)) for name, program in programs().items()), *broken])


def _report_table(catalog: Catalog, console: Console) -> None:
    del catalog
    table = _table()
    for name in REPORTING:
        words = ", ".join(CHOICES[name])
        help_text = HELP[name] + (f" ({words})" if words else "")
        table.add_row(Text(name, style="bold"), Text(_shown(getattr(DEFAULT, name))), Text(help_text))
    console.print(table)


def _styles_table(catalog: Catalog, console: Console) -> None:
    del catalog
    _rows(console, list(styles().items()))


def _reference_table(catalog: Catalog, console: Console) -> None:
    del catalog
    _rows(console, [(entry.name, f"{entry.title} ({entry.rows} values)") for entry in tables()])


def _with_argument(pattern: Pattern) -> str:
    return f"{pattern.name}={pattern.argument}" if pattern.argument else pattern.name


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)


def _rows(console: Console, rows: list[tuple[str, str]]) -> None:
    table = _table()
    for name, text in rows:
        table.add_row(Text(name, style="bold"), Text(text))
    console.print(table)


def _table() -> Table:
    return Table(box=None, padding=(0, 2, 0, 0), show_header=False)


_TABLES = {
    "operations": _operations_table,
    "patterns": _patterns_table,
    "communicators": _communicators_table,
    "fields": _fields_table,
    "report": _report_table,
    "profiles": _profiles_table,
    "programs": _programs_table,
    "styles": _styles_table,
    "reference": _reference_table,
}
