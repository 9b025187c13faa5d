"""Explanation of one name, for `groma list NAME`."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable
from dataclasses import replace

from groma.catalog import Catalog, Field, Operation, Pattern, suggestion
from groma.catalog.references import tables
from groma.catalog.registry import Program, programs, registry, require_profile
from groma.catalog.reporting import CHOICES, DEFAULT, HELP
from groma.catalog.reporting import FIELDS as REPORTING
from groma.catalog.synonyms import meaning, refuse_unmeasured
from groma.catalog.values import write_value
from groma.catalog.words import same_here
from groma.cli.here import not_here
from groma.cli.programs import parts_of
from groma.cli.wordlists import print_columns
from groma.errors import InputError
from groma.launch.cores import allowed_cores
from groma.plan import expand, profile_names, read_profile
from groma.run.forecast import crowding, forecast
from groma.run.offering import allocated_hosts, variants_here


def explain(name: str, catalog: Catalog, kinds: Iterable[str]) -> None:
    """Print all there is to say about one name; a field and an operation may share it.

    Raises InputError for a profile or program that cannot be used, and if nothing has the name, nor one of the
    `kinds` of names.
    """
    registry().refuse(name)
    explanations = [
        *(_operation(operation, catalog) for operation in catalog.operations if operation.name == name),
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
        print_columns(rows)
    known_tables = {table.name for table in tables()}
    if name in known_tables:
        from groma.cli.reference import print_reference  # noqa: PLC0415 - imports the console too
        from groma.text.console import out  # noqa: PLC0415 - takes as long to import as a name takes to explain

        print_reference(name, out())
    elif not explanations and not _called_elsewhere(name, catalog):
        listed = (catalog.operations, catalog.patterns, catalog.communicators, catalog.fields)
        names = [entry.name for entries in listed for entry in entries]
        hint = (
            suggestion(name, [*names, *REPORTING, *profile_names(), *programs(), *known_tables, *kinds])
            or "; see groma list"
        )
        raise InputError(f"there is nothing called '{name}'{hint}")


def _called_elsewhere(name: str, catalog: Catalog) -> bool:
    """Explain the operations and fields that another name stands for; return whether there are any.

    Raises InputError for what is not measured yet.
    """
    if same_here(name) in catalog.names("point"):
        field = catalog.field(same_here(name))
        print_columns([("name", f"{name} is the field {field.name}"), *_field(field)])
        return True
    if (found := meaning(name, catalog)) is None:
        refuse_unmeasured(name, catalog)
        return False
    operations = [own for own in catalog.operations if fnmatch.fnmatchcase(own.name, found.operation)]
    if len(operations) == 1:
        method = f"{found.method}: groma run {name}" if found.program else ""
        differs = [("differs", found.differs)] if found.differs else []
        named = ("name", f"{name} is {operations[0].name}{method}")
        print_columns([named, *differs, *_operation(operations[0], catalog)])
    else:
        print_columns([(own.name, own.summary) for own in operations])
    return bool(operations)


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
        ("default", write_value(getattr(DEFAULT, name))),
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
    return [("program", program.name), ("has", parts_of(program)), *place, *(style if program.style else [])]


def _operation(operation: Operation, catalog: Catalog) -> list[tuple[str, str]]:
    forms = ", ".join(other.name for other in catalog.operations if other.form_of == operation.name)
    return [
        ("operation", operation.name),
        ("what", operation.summary),
        *([("form of", operation.form_of)] if operation.form_of else []),
        *([("forms", forms)] if forms else []),
        *([("needs", f"{nccl.cuda}, or {nccl.hip}, and a device for each rank")] if (nccl := operation.nccl) else []),
        *([("not here", reason)] if (reason := not_here(operation)) else []),
        ("family", operation.family.replace("_", " ")),
        ("calls", operation.calls),
        ("time", operation.time),
        ("bandwidth", operation.bandwidth or "none"),
        ("checked", operation.validation or "nothing is received"),
        ("ranks", f"at least {operation.min_ranks}"),
        ("uses", ", ".join(operation.uses) or "no payload fields"),
        (
            "defaults",
            ", ".join(f"{name}={write_value(value)}" for name, value in operation.defaults.items())
            or "as in groma list fields",
        ),
    ]


def _pattern(noun: str, pattern: Pattern) -> list[tuple[str, str]]:
    return [(noun, pattern.written), ("what", pattern.summary)]


def _field(field: Field) -> list[tuple[str, str]]:
    limits = [
        f"at least {field.minimum}" if field.minimum is not None else "",
        f"at most {field.maximum}" if field.maximum is not None else "",
    ]
    rows = [
        ("field", f"{field.name} ({field.type}{', ' + field.unit if field.unit else ''}, of a {field.scope})"),
        ("what", field.help),
        ("default", write_value(field.default)),
        ("range", " and ".join(filter(None, limits))),
    ]
    rows += [(f"  {choice.name}", choice.help) for choice in field.choices]
    return [row for row in rows if row[1]]
