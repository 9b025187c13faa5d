"""The HTML report: one file that needs no network and, for its figures, no JavaScript."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import vl_convert
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from groma.errors import OutputError
from groma.report.charts import specifications
from groma.report.content import content
from groma.report.environment import environment
from groma.report.grid import kind_of
from groma.report.transfers import figures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.report.grid import Kind
    from groma.results import Run


def write_report(run: Run, path: str | Path, against: Sequence[str] = ()) -> Path:
    """Write the report of a run to `path` and return the path; raises `OutputError` where it cannot be written.

    `against` names reference systems that the study of the run's profile shows beside it.
    """
    target = Path(path)
    try:
        target.write_text(render(run, against), encoding="utf-8")
    except OSError as error:
        reason = error.strerror or error
        raise OutputError(f"{target} cannot be written ({reason}): give another place with -o") from error
    return target


def render(run: Run, against: Sequence[str] = ()) -> str:
    """Return the report of a run as HTML."""
    templates = Environment(
        loader=PackageLoader("groma.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters["anchor"] = _anchor
    templates.filters["kinds"] = _kinds
    said = content(run, against) | environment(run) | figures([run])
    return templates.get_template("page.html").render(
        said,
        specifications=_specifications(),
        data=_script_json(said["data"]),
        vega=_vega(),
    )


def _anchor(term: str) -> str:
    """Return the term as it can stand in an address."""
    return "-".join("".join(letter if letter.isalnum() else " " for letter in term).split())


def _kinds(rows: list[list[str]], columns: int) -> list[Kind]:
    """Return what each column of a table holds, by which the style sheet sets it."""
    return [kind_of([row[column] for row in rows]) for column in range(columns)]


@lru_cache(maxsize=1)
def _vega() -> Markup:
    """Return the libraries that draw the charts, as one script."""
    return Markup(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))  # noqa: S704 - a package's own code


@lru_cache(maxsize=1)
def _specifications() -> Markup:
    return _script_json(specifications())


def _script_json(value: object) -> Markup:
    """Return JSON that cannot end the script element it stands in."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    return Markup(text.replace("<", "\\u003c"))  # noqa: S704 - escaped here, for its place
