"""This machine, and what each of its properties means for a measurement (`groma check`)."""

from __future__ import annotations

from groma.machine.examine import Examination, examine

__all__ = ["Examination", "examine"]
