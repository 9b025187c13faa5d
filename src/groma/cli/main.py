"""Entry point: finds the verb, and turns every error into one sentence and an exit code."""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import sys
from typing import TYPE_CHECKING

import click

import groma
from groma.cli.streams import check_output, open_streams
from groma.errors import GromaError
from groma.text.printable import printable

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_INTERRUPTED = "interrupted; no measurement was in progress"
# By what people want, and in the order in which they need them, with what `groma --help` says of each: how its own help
# begins. Each is the command of that name in groma.cli.NAME, imported when it is used.
GROUPS = {
    "Measure": {
        "quick": "Check this machine's MPI communication in about a minute.",
        "run": "Measure a plan, a profile or operations.",
        "list": "List what can be asked, or explain one name.",
        "batch": "Write the script of a job that measures a plan: groma run's options, and the size of the job.",
    },
    "Look": {
        "show": "Print a run's figures and what is missing.",
        "report": "Write a run's report, one HTML file that needs no network.",
        "plot": "Draw runs as a figure for a paper: SVG, PDF or PNG.",
        "runs": "List the runs in FOLDER (default: runs), the newest last.",
        "explain": "Explain why two methods report different times.",
        "advice": "Print what anti-patterns cost.",
    },
    "Decide": {
        "gate": "Say whether anything is slower: one library than another, measured in turns, or now than a BASELINE.",
        "compare": "Say which points of B are slower, faster or the same as those of A, and which are not decided.",
        "limits": "Keep limits of a site in a file: make a first one from runs, check one.",
        "baseline": "Keep runs under a name, to compare later runs with: set, list, show.",
        "history": "Say when figures changed from run to run, and what else changed then.",
    },
    "Share": {
        "export": "Write a run as a table, one row per point and launch.",
        "bundle": "Pack a run into one file: its records, environment, catalogue and report.",
        "reproduce": "Write one point of a run as a short C program that needs no Groma.",
        "stand-ins": "Write programs named osu_latency, IMB-MPI1, ... that measure as Groma does.",
        "import": "Read the output of another program as a run: OSU, IMB, SKaMPI, ReproMPI, mpptest.",
    },
    "Set up": {
        "check": "Examine this machine, and say what each finding means for a measurement.",
        "mpi": "List the MPI libraries of this machine, build an engine for one, try devices: list, add, devices.",
        "pack": "Pack this installation into one file that unpacks and runs without a network, a compiler and Python.",
        "stage": "Copy the engine and its MPI library to every host, under the paths that they have here.",
    },
}
VERBS = {verb: text for group in GROUPS.values() for verb, text in group.items()}
_WIDEST = max(map(len, VERBS))


class _Verbs(click.Group):
    """Lists the verbs in the order people need them, and suggests the nearest one."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in the order of `VERBS`."""
        del ctx
        return list(VERBS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what each verb does; importing them all for it would take half a second."""
        del ctx
        for group, verbs in GROUPS.items():
            with formatter.section(group):
                formatter.write_dl([(verb.ljust(_WIDEST), text) for verb, text in verbs.items()])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read `groma help VERB` as `groma VERB --help`."""
        return super().parse_args(ctx, [*args[1:], "--help"] if args[:1] == ["help"] else args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a verb."""
        del ctx
        if cmd_name not in VERBS:
            return None
        keyword, name = cmd_name == "import", cmd_name.replace("-", "_")
        module = importlib.import_module(f"groma.cli.{name}{'_' * keyword}")
        command: click.Command = getattr(module, f"{name}_" if keyword or cmd_name == "list" else name)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the verbs and options that begin so; the verbs need no import."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - only a shell that completes needs it

        verbs = [CompletionItem(verb, help=text) for verb, text in VERBS.items() if verb.startswith(incomplete)]
        return [*verbs, *click.Command.shell_complete(self, ctx, incomplete)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb of these arguments, or say which one is nearest."""
        if args and not args[0].startswith("-") and args[0] not in VERBS:
            from groma.catalog import suggestion  # noqa: PLC0415 - only a wrong word needs it

            hint = suggestion(args[0], VERBS) or f"; there are {', '.join(VERBS)}"
            raise click.UsageError(f"there is no command '{args[0]}'{hint}", ctx)
        return super().resolve_command(ctx, args)


def _print_version(context: click.Context, _option: click.Parameter, is_given: bool) -> None:
    if is_given:
        click.echo(f"groma, version {groma.__version__}")
        context.exit()


def _print_completion(context: click.Context, _option: click.Parameter, shell: str | None) -> None:
    if shell is None:
        return
    from click.shell_completion import get_completion_class  # noqa: PLC0415 - takes time that no other call needs

    importlib.import_module("groma.cli.bash")
    kind = get_completion_class(shell)
    if kind is not None:
        click.echo(kind(groma_command, {}, "groma", "_GROMA_COMPLETE").source())
    context.exit()


@click.group(
    cls=_Verbs,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
@click.option(
    "--completion",
    type=click.Choice(["bash", "zsh", "fish"]),
    is_eager=True,
    expose_value=False,
    callback=_print_completion,
    help="Print the completion script for bash, zsh or fish, and exit (see docs/install.md).",
)
@click.pass_context
def groma_command(context: click.Context) -> None:
    """Measure MPI communication, and say how far each figure can be trusted.

    Start with `groma quick`: the health check of this machine, in about a minute. `groma help COMMAND` explains a
    command.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main(arguments: list[str] | None = None) -> None:
    """Run one command and exit: 0 done, 1 failed or partial, 2 wrong input with nothing run.

    `groma gate` ends with 4 and 125 too (see `groma.decide.gating.Code`).
    """
    if "_GROMA_COMPLETE" in os.environ:
        importlib.import_module("groma.cli.bash")
    open_streams()
    code, message = _run(arguments)
    try:
        check_output()
    except OSError as error:
        failed, why = _output_failed(error)
        code, message = code or failed, message or why
    if message:
        _say(message)
    sys.exit(code)


def _run(arguments: list[str] | None) -> tuple[int, str]:
    """Return the exit code and the sentence, if any, for the standard error output."""
    try:
        code = groma_command.main(arguments, prog_name="groma", standalone_mode=False)
    except GromaError as error:
        return error.exit_code, str(error)
    except click.exceptions.Exit as error:
        return error.exit_code, ""
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        where = f" (see {context.command_path} --help)" if context else ""
        return 2, (_elsewhere(error) or " ".join(error.format_message().split()).rstrip(".")) + where
    except (click.Abort, KeyboardInterrupt):
        return 1, _INTERRUPTED
    except OSError as error:
        return _output_failed(error)
    return (code if isinstance(code, int) else 0), ""


def _elsewhere(error: click.ClickException) -> str:
    """Say how this command writes an option that other programs have; empty if it has nothing like it."""
    if not isinstance(error, click.NoSuchOption) or error.ctx is None:
        return ""
    from groma.catalog.words import table  # noqa: PLC0415 - only a wrong word needs it

    here = table()["options"].get(error.option_name, "")
    known = {name for parameter in error.ctx.command.params for name in parameter.opts}
    return f"there is no option {error.option_name}; write {here}" if here.split(" ")[0] in known else ""


def _output_failed(error: OSError) -> tuple[int, str]:
    """Close the standard output, so that the interpreter does not write to it again at exit."""
    if error.errno not in (errno.ENOSPC, errno.EPIPE, errno.EDQUOT, errno.EIO, errno.EBADF):
        return 1, f"{error.filename or 'a file'} could not be used ({error.strerror}); check it and try again"
    with contextlib.suppress(OSError):  # there is none if it was closed from the start
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if error.errno == errno.EPIPE:
        return 1, ""
    place = error.filename or "the output"
    return 1, f"{place} could not be written ({error.strerror}); nothing that was measured is lost"


def _say(message: str) -> None:
    with contextlib.suppress(OSError):  # if nobody reads it, the exit code says so
        print(printable(f"groma: {message}"), file=sys.stderr, flush=True)
