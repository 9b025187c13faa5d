"""A launcher that Groma does not know, described by its command: `mylauncher -n {ranks} --hosts {hosts}`.

In the words after the program, names in braces are replaced as `filled` says. A word with {env} is repeated for each
variable that the ranks need, as NAME=VALUE. The engine and its arguments follow. No shell reads any of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from groma.errors import InputError, LaunchError
from groma.launch.families.base import Family, LaunchRequest, filled, placeholders

_OF_HOSTS = ("nodes", "ppn", "hosts", "slots", "ranks_hosts")
_KNOWN = ("ranks", *_OF_HOSTS, "env")


class Template(Family, frozen=True):
    """Placement and binding are the template's own business."""

    def host_words(self, request: LaunchRequest) -> list[str]:
        """Return nothing, since the template has the words; raises InputError if it has no place for hosts."""
        if not set(placeholders(request.arguments)) & set(_OF_HOSTS):
            raise InputError(
                "the launcher's template has no place for hosts; write {hosts} or {slots} where they belong, or leave "
                "the hosts out"
            )
        return []

    def assembled(self, path: str, words: list[str], request: LaunchRequest, env: Mapping[str, str]) -> list[str]:
        """Return the template with all places filled; raises InputError if it asks for hosts that are not known."""
        del words
        needed = [name for name in placeholders(request.arguments) if name in _OF_HOSTS]
        if needed and not request.hosts:
            raise InputError(f"the launcher's template has {{{needed[0]}}}; name the hosts with --hosts or --hostfile")
        command = [path]
        for word in request.arguments:
            variables = [f"{name}={value}" for name, value in env.items()] if "{env}" in word else [""]
            for variable in variables:
                command += filled([word], request, "a template with {ppn}", {"env": variable})
        return command


def is_template(words: Sequence[str]) -> bool:
    """Return whether a launcher's words are a template; raises LaunchError if it lacks ranks or has unknown names."""
    names = placeholders(words)
    if not names:
        return False
    unknown = next((name for name in names if name not in _KNOWN), None)
    listed = ", ".join(f"{{{name}}}" for name in _KNOWN)
    if unknown is not None:
        raise LaunchError(f"the launcher's template has {{{unknown}}}, which means nothing; there are {listed}")
    if "ranks" not in names:
        raise LaunchError(
            f"the launcher's template has no {{ranks}}, so it cannot be told how many; there are {listed}"
        )
    return True


FAMILY = Template(name="template", count=(), ways={"by-slot": ()})
