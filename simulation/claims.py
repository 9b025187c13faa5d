"""One figure beside the truth."""

from __future__ import annotations

from dataclasses import dataclass

RELATIVE_TOLERANCE, ABSOLUTE_TOLERANCE_NS = 0.005, 5.0


@dataclass(frozen=True)
class Claim:
    """One time that the engine reported, beside the true one."""

    subject: str
    message_bytes: int
    true_ns: float
    claimed_ns: float

    @property
    def error_ns(self) -> float:
        """Claimed minus true."""
        return self.claimed_ns - self.true_ns

    @property
    def holds(self) -> bool:
        """True if the error is within 0.5 % or 5 ns."""
        return abs(self.error_ns) <= max(ABSOLUTE_TOLERANCE_NS, RELATIVE_TOLERANCE * self.true_ns)
