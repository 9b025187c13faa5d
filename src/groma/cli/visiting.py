"""Asking the hosts of a prepared run what they have, before anything is measured."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from groma.run.visiting import visit

if TYPE_CHECKING:
    from groma.cli.prepared import Prepared


def visited(prepared: Prepared) -> Prepared:
    """Return the same with the engine and library of every host; raises LaunchError where a host lacks one."""
    setups = [prepared.setup, *(setup for setup in prepared.setups.values() if setup != prepared.setup)]
    return replace(prepared, host_files=tuple(files for setup in setups for files in visit(setup)))
