"""This machine, and what each of its properties means for a measurement (`groma check`)."""

from __future__ import annotations

from groma.machine.examine import Examination, examine
from groma.machine.probe import Probe, probe

__all__ = ["Examination", "Probe", "examine", "probe"]
