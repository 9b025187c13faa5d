"""An attribution in words: a sentence with the causes, and rows for table and page."""

from __future__ import annotations

import numpy as np

from groma.analysis.order import MINIMUM_FOR_INTERVAL
from groma.explain.attribution import Attribution, Term
from groma.explain.factors import MethodPair
from groma.text.lines import Styled
from groma.text.numbers import TIMES, significant
from groma.text.tables import Table

_DIGITS = 3
# A ratio that is printed as 1.00 is no cause worth naming.
_LEAST_LOG = 0.005
_TINY = "by less than 0.5 %"


def ratio_text(term: Term) -> str:
    """Return the ratio with a sign of multiplication before it."""
    return f"{TIMES}{significant(term.ratio, _DIGITS)}"


def interval_text(term: Term) -> str:
    """Return the interval of the ratio, or an empty string."""
    if term.interval is None:
        return ""
    low, high = np.exp([term.interval.low, term.interval.high])
    return f"{significant(float(low), _DIGITS)} to {significant(float(high), _DIGITS)}"


def ratio_and_interval(term: Term) -> str:
    """Return the ratio and its interval, such as 1.50 (1.42 to 1.61) with the sign before it."""
    return ratio_text(term) + (f" ({interval_text(term)})" if term.interval else "")


def not_shown(term: Term) -> str:
    """Return the remark after a ratio that is no cause: no interval, one that holds 1, or too small an effect."""
    if term.interval is None:
        return "no interval"
    return "not shown to differ from 1" if 0.0 in term.interval else f"differs {_TINY}"


def is_shown(term: Term) -> bool:
    """Return whether the interval excludes a ratio of 1, and the printed ratio is not 1."""
    return term.interval is not None and 0.0 not in term.interval and abs(term.log) >= _LEAST_LOG


def sentences(comparison: MethodPair, attribution: Attribution) -> list[str]:
    """Return what the second method reports against the first, why, and which factors were not shown to matter."""
    pairs = sorted(zip(comparison.changes, attribution.shares, strict=True), key=lambda pair: -abs(pair[1].log))
    causes = [f"{change.words()} {ratio_and_interval(share)}" for change, share in pairs if is_shown(share)]
    unshown = [change.words() for change, share in pairs if not is_shown(share)]
    sentence = _whole_ratio(comparison, attribution)
    sentence += f": {', '.join(causes)}." if causes else "; no factor alone is shown to change it."
    doubt = [*_whole_doubt(attribution.total), *separate_runs(attribution)]
    return [
        sentence,
        *([f"Little or no effect is shown of: {', '.join(unshown)}."] if causes and unshown else []),
        *doubt,
    ]


def _whole_doubt(total: Term) -> list[str]:
    """Return what is said of a whole ratio that is no difference worth naming."""
    if is_shown(total):
        return []
    tiny = total.interval is not None and 0.0 not in total.interval
    return [f"As a whole, the two {f'differ {_TINY}' if tiny else 'are not shown to differ'}."]


def separate_runs(attribution: Attribution) -> list[str]:
    """Say what separate runs cannot show; nothing if the same launches measured both."""
    if not attribution.separate:
        return []
    if attribution.run_sd is None:
        text = (
            "These are separate runs, and how much runs of one plan differ here is not known: two single runs cannot "
            "show it. To compare methods, measure them in turns: groma explain --between, or groma run with "
            "--variant. Or make each run three times."
        )
        return [text]
    return [
        f"These are separate runs: the intervals include how much runs differ, {attribution.run_sd:.1%} (one sigma)."
    ]


def too_few_launches(attribution: Attribution) -> list[str]:
    """Say why there is no interval, if the launches are too few for one."""
    if attribution.total.interval is not None or attribution.launches >= MINIMUM_FOR_INTERVAL:
        return []
    return [f"Fewer than {MINIMUM_FOR_INTERVAL} launches give no 95% intervals; measure 10."]


def whole_sentence(comparison: MethodPair, attribution: Attribution) -> str:
    """Say by how much two methods differ in all, and in which factors, if these cannot be separated."""
    settings = "; ".join(change.settings() for change in comparison.changes)
    return f"{_whole_ratio(comparison, attribution)}. They differ in {settings}."


def _whole_ratio(comparison: MethodPair, attribution: Attribution) -> str:
    first, second = comparison.names
    ratio = f"{significant(attribution.total.ratio, _DIGITS)}{TIMES}"
    interval = f" (95%: {interval_text(attribution.total)})" if attribution.total.interval else ""
    return f"{second} reports {ratio} the time of {first} for {comparison.what}{interval}"


def factors_table(comparison: MethodPair, attribution: Attribution) -> Table:
    """Return factor, settings, ratio and interval: every change in the order of the plan's fields, then the total."""
    rows: list[tuple[str, ...]] = [
        (change.words(), change.settings(), ratio_text(share), interval_text(share))
        for change, share in zip(comparison.changes, attribution.shares, strict=True)
    ]
    times = f"{significant(attribution.before_ns / 1e3)} → {significant(attribution.after_ns / 1e3)} µs"
    total = ("together", times, ratio_text(attribution.total), interval_text(attribution.total))
    rows.append(tuple(Styled(cell, "bold") for cell in total))
    return Table("Factors", ["factor", "settings", "ratio", "95% interval"], rows)
