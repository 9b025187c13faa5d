"""Words of the command line that stand for runs, and what a shell can complete: runs, operations, fields, profiles."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Items = list["CompletionItem[str]"]


class RunPath(click.Path):
    """The path of a run or its bundle, or how a run's name under runs/ begins: the newest of these."""

    name = "run"

    def __init__(self) -> None:
        """Take paths as they are; whether there is a run is known when it is read."""
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """Return the path, and say which run a beginning stands for; raises InputError if that could be several."""
        from groma.run.directory import runs_named  # noqa: PLC0415 - most of a verb's help needs no run

        path = Path(str(super().convert(value, param, ctx)))
        found = [] if ctx is None or ctx.resilient_parsing else runs_named(path)
        if not found:
            return path
        if found[-1].name != path.name:
            from groma.text.console import err  # noqa: PLC0415 - takes a tenth of a second to import

            several = f", the newest of {len(found)}" if len(found) > 1 else ""
            err().print(f"{path} is {found[-1]}{several}.", markup=False, soft_wrap=True)
        return found[-1]

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> Items:
        """Return the runs under runs/ whose names begin so; files if there are none."""
        del ctx, param
        return beginning(incomplete, _runs(), files=True)


def beginning(incomplete: str, words: Iterable[str], *, files: bool = False) -> Items:
    """Return the words that begin so, and if none does and `files` can stand there, what makes the shell list them."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415 - only a shell that completes needs it

    found = [CompletionItem(word) for word in words if word.startswith(incomplete)]
    return found or ([CompletionItem(incomplete, type="file")] if files else [])


def complete_operations(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> Items:
    """Return the operations that begin so, and plan files."""
    return beginning(incomplete, _asked(), files=True)


def complete_operations_and_sides(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> Items:
    """Return the same, baselines and runs."""
    return beginning(incomplete, [*_asked(), *_baselines(), *_runs()], files=True)


def complete_profiles(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> Items:
    """Return the profiles that begin as the last name of the list does."""
    from groma.catalog.registry import registry  # noqa: PLC0415 - as above

    others, comma, _ = incomplete.rpartition(",")
    return beginning(incomplete, [f"{others}{comma}{name}" for name in sorted(registry().profiles)])


def complete_settings(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> Items:
    """Return `field=` of the fields that begin so, or the words of a field's value."""
    from groma.catalog import packaged  # noqa: PLC0415 - as above
    from groma.catalog.reporting import CHOICES, FIELDS  # noqa: PLC0415

    catalog = packaged()
    name, equals, _ = incomplete.partition("=")
    if not equals:
        return beginning(incomplete, [f"{field}=" for field in [*(own.name for own in catalog.fields), *FIELDS]])
    words = {own.name: [choice.name for choice in own.choices] for own in catalog.fields}
    words |= {"pattern": [own.name for own in catalog.patterns]}
    words |= {"communicator": [own.name for own in catalog.communicators]}
    words |= {setting: list(choices) for setting, choices in CHOICES.items()}
    return beginning(incomplete, [f"{name}={word}" for word in words.get(name, ())])


def complete_sides(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> Items:
    """Return the baselines and runs whose names begin so."""
    return beginning(incomplete, [*_baselines(), *_runs()], files=True)


def complete_baselines(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> Items:
    """Return the baselines whose names begin so."""
    return beginning(incomplete, _baselines())


def _asked() -> list[str]:
    from groma.catalog import packaged  # noqa: PLC0415 - only a shell that completes needs it

    return [*(operation.name for operation in packaged().operations), *map(str, Path().glob("*.toml"))]


def _runs() -> list[str]:
    from groma.run.directory import PARENT  # noqa: PLC0415 - as above

    return sorted(file.parent.name for file in PARENT.glob("*/run.json"))


def _baselines() -> list[str]:
    from groma.catalog.registry import configuration  # noqa: PLC0415 - as above

    return sorted(path.name for path in (configuration() / "baselines").glob("[!.]*/"))
