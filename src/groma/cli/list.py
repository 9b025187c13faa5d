"""`groma list`: everything that can be asked."""

from __future__ import annotations

from collections.abc import Iterable

import click

from groma.catalog import Catalog, packaged
from groma.catalog.references import tables
from groma.catalog.registry import programs, registry, styles
from groma.catalog.reporting import CHOICES, DEFAULT, HELP
from groma.catalog.reporting import FIELDS as REPORTING
from groma.catalog.values import write_value
from groma.cli.here import not_here
from groma.cli.programs import parts_of
from groma.cli.wordlists import print_columns, print_heading
from groma.cli.words import Items, beginning
from groma.errors import InputError
from groma.launch.engine import catalog_in_use
from groma.plan import profile_names, profile_summary

_Rows = list[tuple[str, ...]]
_COVERAGE = "coverage"
_LISTED = ("operations", "patterns", "communicators", "fields", "report", "profiles", "programs", "styles")
# Ninety reference tables, and what cannot be measured, would bury what can.
_KINDS = (*_LISTED, "reference", _COVERAGE)


def _begun(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> Items:
    """Return the names that `groma list` explains and that begin so."""
    catalog = packaged()
    named = (catalog.operations, catalog.patterns, catalog.communicators, catalog.fields)
    names = [entry.name for entries in named for entry in entries]
    return beginning(incomplete, dict.fromkeys([*_KINDS, *names, *REPORTING, *profile_names(), *programs()]))


@click.command(name="list")
@click.argument("what", metavar=f"[{'|'.join(_KINDS)}|NAME]", required=False, shell_complete=_begun)
@click.argument("part", nargs=-1)
def list_(what: str | None, part: tuple[str, ...]) -> int:
    """List what can be asked, or explain one name.

    Operations, patterns, communicators, fields of points and plans, settings of the report, profiles, programs, styles,
    reference tables; a name of any of them is explained. Coverage: what is measured of MPI's calls and of the
    benchmarks of OSU and IMB; with a PART, such as a chapter, osu, imb or all, each of them.
    """
    catalog = catalog_in_use()
    if what == _COVERAGE:
        from groma.cli.coverage import print_coverage  # noqa: PLC0415 - reads the programs' folders

        print_coverage(" ".join(part), catalog)
        return 0
    if part:
        raise InputError(f"groma list explains one name; leave out {' '.join(part)}")
    if what is not None and what not in _KINDS:
        from groma.cli.names import explain  # noqa: PLC0415 - takes as long to import as the lists take to print

        explain(what, catalog, _KINDS)
        return 0
    for kind in _LISTED if what is None else [what]:
        if what is None:
            click.echo()
        print_heading(kind.capitalize())
        print_columns(_ROWS[kind](catalog))
    return 0


def _operations(catalog: Catalog) -> _Rows:
    """Return the operations, each with its nonblocking and persistent forms in one line below it."""
    rows: _Rows = []
    for operation in catalog.operations:
        if operation.form_of:
            continue
        lacking = f" (not here: {reason})" if (reason := not_here(operation)) else ""
        rows.append((operation.name, f"{operation.summary}{lacking}"))
        forms = [other for other in catalog.operations if other.form_of == operation.name]
        if here := [form.name for form in forms if not form.lacks]:
            rows.append(("", f"forms: {', '.join(here)}"))
        for lacks in dict.fromkeys(form.lacks for form in forms if form.lacks):
            names = ", ".join(form.name for form in forms if form.lacks == lacks)
            rows.append(("", f"not here: {names}; the MPI library lacks {lacks}"))
    return rows


def _patterns(catalog: Catalog) -> _Rows:
    return [(pattern.written, pattern.summary) for pattern in catalog.patterns]


def _communicators(catalog: Catalog) -> _Rows:
    return [(communicator.written, communicator.summary) for communicator in catalog.communicators]


def _fields(catalog: Catalog) -> _Rows:
    return [
        (field.name, write_value(field.default), _with_words(field.help, [choice.name for choice in field.choices]))
        for field in catalog.fields
    ]


def _report(catalog: Catalog) -> _Rows:
    del catalog
    return [(name, write_value(getattr(DEFAULT, name)), _with_words(HELP[name], CHOICES[name])) for name in REPORTING]


def _with_words(text: str, words: Iterable[str]) -> str:
    listed = ", ".join(words)
    return f"{text} ({listed})" if listed else text


def _profiles(catalog: Catalog) -> _Rows:
    return [(name, profile_summary(name, catalog)) for name in profile_names()]


def _programs(catalog: Catalog) -> _Rows:
    del catalog
    broken = [(name, f"cannot be used: {sentence}") for name, sentence in sorted(registry().broken.items())]
    return [*((name, parts_of(program)) for name, program in programs().items()), *broken]


def _styles(catalog: Catalog) -> _Rows:
    del catalog
    return list(styles().items())


def _reference(catalog: Catalog) -> _Rows:
    del catalog
    return [(entry.name, f"{entry.title} ({entry.rows} values)") for entry in tables()]


_ROWS = {
    "operations": _operations,
    "patterns": _patterns,
    "communicators": _communicators,
    "fields": _fields,
    "report": _report,
    "profiles": _profiles,
    "programs": _programs,
    "styles": _styles,
    "reference": _reference,
}
