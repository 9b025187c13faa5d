"""Further rounds for a run that has all that were asked for: `groma run --resume RUN --launches N`."""

from __future__ import annotations

from collections.abc import Collection

from groma.errors import InputError
from groma.results.documents import Extension, RunDocument
from groma.run.writer import now_iso


def extend(document: RunDocument, present: Collection[int], launches: int) -> None:
    """Let a run ask for `launches` launches of each rank count and variant; run.json keeps what it asked before.

    `present` are the numbers of the launches that it has. The further rounds come after all of these, so that they are
    whole rounds beside launches of a budget too. A budget is forgotten: it was for the launches before.

    Raises InputError if the run has asked for more already.
    """
    if launches < document.launches:
        raise InputError(
            f"--launches {launches} is less than the {document.launches} that the run has; give the total number of "
            "launches of each rank count and variant"
        )
    if launches == document.launches:
        return
    last, length = max({0, *document.asked_numbers, *present}), document.round_length
    first = -(-last // length) * length + 1
    document.extensions.append(Extension(now_iso(), document.launches, first, document.budget_s))
    document.launches, document.budget_s = launches, None
