"""What a program measures by its profile's plan: variants that depend on the machine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groma.plan import Variant


@dataclass(frozen=True)
class Offered:
    """The variants that this machine has, in their order, and why it lacks others: a sentence by what is lacking."""

    variants: tuple[Variant, ...]
    lacking: dict[str, str] = field(default_factory=dict)
