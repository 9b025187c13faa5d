"""A plan that was checked, with what would start it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from groma.catalog import Catalog
from groma.launch import Setup
from groma.plan import Plan, Variant
from groma.results.documents import HostFiles
from groma.run.visiting import visit


@dataclass(frozen=True)
class Prepared:
    """A checked plan and what would start it; variants with a library of their own have theirs in `setups`.

    `refused` has for these the points that their engines do not measure, and why, by place in the plan. With
    `any_placement` ranks may be elsewhere than asked; with `any_build` engine and library may be replaced between
    launches. No more than `pause_after` launches are made now. `host_files` is what each of several hosts has of engine
    and library.
    """

    plan: Plan
    catalog: Catalog
    setup: Setup
    setups: Mapping[str, Setup] = field(default_factory=dict)
    refused: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    any_placement: bool = False
    pause_after: int | None = None
    host_files: tuple[HostFiles, ...] = ()
    any_build: bool = False

    def setup_of(self, variant: Variant | None) -> Setup:
        """Return what starts the launches of a variant."""
        return self.setups.get(variant.name, self.setup) if variant else self.setup


def visited(prepared: Prepared) -> Prepared:
    """Return the same with the engine and library of every host; raises LaunchError if a host lacks one."""
    setups = [prepared.setup, *(setup for setup in prepared.setups.values() if setup != prepared.setup)]
    return replace(prepared, host_files=tuple(files for setup in setups for files in visit(setup)))
