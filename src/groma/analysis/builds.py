"""Whether one build of the engine and of the MPI library measured all launches."""

from __future__ import annotations

from groma.results import Launch
from groma.results.spans import these_launches
from groma.text.checks import Check


def builds(started: list[Launch]) -> list[Check]:
    """Name the launches that other builds measured than the first of their variant; empty if there are none."""
    first: dict[str | None, dict[str, str]] = {}
    others: dict[str, list[int]] = {}
    for launch in started:
        now = _files(launch)
        before = first.setdefault(launch.variant, now)
        for what in now.keys() & before.keys():
            if now[what] != before[what]:
                others.setdefault(what, []).append(launch.number)
        first[launch.variant] = now | before
    if not others:
        return []
    said = [f"another {what} measured {these_launches(numbers)}" for what, numbers in sorted(others.items())]
    text = f"Compared with earlier launches, {' and '.join(said)}: the figures mix builds."
    return [Check("builds", "warn", text)]


def _files(launch: Launch) -> dict[str, str]:
    """Return the known builds of a launch."""
    build, start = launch.meta.build if launch.meta else None, launch.start
    known = {
        "build of the engine": build.engine if build else "",
        "build of the MPI library": build.library if build else "",
        "version of the MPI library": f"{start.library.name} {start.library.version}" if start else "",
    }
    return {what: value for what, value in known.items() if value}
