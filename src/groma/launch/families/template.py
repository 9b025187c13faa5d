"""A launcher that Groma does not know, described by its command: `mylauncher -n {ranks} --hosts {hosts}`.

In the words after the program, {ranks} is replaced by the number of ranks, {nodes} by the number of hosts, {ppn} by
the ranks of each, {hosts} by `a,b`, {slots} by `a:2,b:2` and {ranks_hosts} by the host of every rank, `a,a,b,b`. A word
with {env} is repeated for each variable that the ranks need, as NAME=VALUE. The engine and its arguments follow. No
shell reads any of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from groma.errors import InputError, LaunchError
from groma.launch.families.base import Family, equal_share

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groma.launch.families.base import LaunchRequest
    from groma.plan.placement import Way

_PLACEHOLDER = re.compile(r"\{([A-Za-z_]*)\}")
_OF_HOSTS = ("nodes", "ppn", "hosts", "slots", "ranks_hosts")
_KNOWN = ("ranks", *_OF_HOSTS, "env")


class Template(Family):
    """Placement and binding are the template's own business."""

    name = "template"
    ways: ClassVar[Mapping[Way, tuple[str, ...]]] = {"by-slot": ()}

    def words(self, request: LaunchRequest) -> tuple[list[str], dict[str, str]]:
        """Return nothing: the template has the words."""
        del request
        return [], {}

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
        values = {"ranks": str(request.ranks)}
        needed = [name for name in placeholders(request.arguments) if name in _OF_HOSTS]
        if needed and not request.hosts:
            raise InputError(f"the launcher's template has {{{needed[0]}}}; name the hosts with --hosts or --hostfile")
        if request.hosts:
            values["nodes"] = str(len(request.shares))
            values["hosts"] = ",".join(request.shares)
            values["slots"] = request.listed_shares()
            values["ranks_hosts"] = ",".join(request.hosts)
        if "ppn" in needed:
            values["ppn"] = str(equal_share(request, "a template with {ppn}"))
        filled = [path]
        for word in request.arguments:
            variables = [f"{name}={value}" for name, value in env.items()] if "{env}" in word else [""]
            filled += [_filled(word, values | {"env": variable}) for variable in variables]
        return filled


def placeholders(words: Sequence[str]) -> list[str]:
    """Return the names in braces of a launcher's own words."""
    return [name for word in words for name in _PLACEHOLDER.findall(word)]


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


def _filled(word: str, values: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda match: values[match[1]], word)


FAMILY = Template()
