"""What a run needs later is imported while it waits for the answers of other programs."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager

# A tenth of a second: what finds the embedded launcher, and what prints the figures of a run.
_LATER = ("importlib.metadata", "groma.analysis.launchtable", "groma.report.terminal")


@contextmanager
def imported_meanwhile() -> Iterator[None]:
    """Import beside what is done within; all is imported at the end, so that no import disturbs a launch."""
    thread = threading.Thread(target=lambda: [importlib.import_module(name) for name in _LATER])
    thread.start()
    try:
        yield
    finally:
        thread.join()
