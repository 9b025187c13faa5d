"""Programs and studies, one folder each, and what their folders share.

A folder's `__init__.py` names its parts (`groma.catalog.registry.Program`); other modules are imported when they are
asked for. Shared are `study` (the parts of a study), `sheet` (what every style writes on), `blocks` (the tables of IMB
and PMB) and `answers` (what the programs say of a run).
"""

from groma.catalog.registry import Option, Program

__all__ = ["Option", "Program"]
