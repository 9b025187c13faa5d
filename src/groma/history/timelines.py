"""Series of one figure over runs, by plan and machine, and where they change.

One series is one measurement (as `groma compare` matches points: operation, size, ranks and every setting that both
records state) of one plan on one machine with one MPI library. Its version is no part of that, nor is anything else
that an administrator changes: these are facts, whose changes stand on the time line.
"""

from __future__ import annotations
