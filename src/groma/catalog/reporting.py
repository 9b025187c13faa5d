"""How the samples of a launch become the one figure that is reported: a plan's [report] table, kept in run.json.

It affects the reported figure only. Every sample stays in the records, and another rule can be applied at any time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated

import msgspec
from msgspec import Meta

from groma.catalog.words import suggestion
from groma.errors import InputError

ESTIMATORS = {
    "median": "the median of the samples",
    "mean": "the mean of the samples",
    "min": "the smallest sample",
    "min_of_means": "the smallest mean of a block: a sample if samples are blocks, else a tenth of the samples",
    "trimmed_mean": "the mean without the lowest and the highest tenth of the samples",
    "mode": "the middle of the densest half of the samples, halved repeatedly",
}
OUTLIERS = {
    "keep": "every sample counts",
    "trim_quarters": "the lowest and the highest quarter are discarded",
    "factor_of_mean": "samples above outlier_factor times the mean are discarded",
    "tukey": "samples further than 1.5 interquartile ranges from the quartiles are discarded",
}
_QUANTILE = re.compile(r"p(\d{1,2}(?:\.\d+)?)")
_LEAST_FACTOR = 1.0


class Reporting(msgspec.Struct, frozen=True):
    """One choice of estimator and outlier rule; the defaults drop nothing and take the median."""

    estimator: Annotated[str, Meta(description="statistic of its samples that is a launch's figure")] = "median"
    outliers: Annotated[str, Meta(description="rule that discards samples before")] = "keep"
    outlier_factor: Annotated[float, Meta(description="of the outlier rule")] = 5.0

    def __post_init__(self) -> None:
        """Refuse words that mean nothing, by the ValueError that msgspec expects."""
        if self.estimator not in ESTIMATORS and self.level is None:
            raise ValueError(f"no estimator is '{self.estimator}'")
        if self.outliers not in OUTLIERS:
            raise ValueError(f"no rule for outliers is '{self.outliers}'")

    @property
    def level(self) -> float | None:
        """The quantile that an estimator such as `p95` or `p99.9` asks for; None for the others."""
        match = _QUANTILE.fullmatch(self.estimator)
        return float(match[1]) / 100 if match else None

    @property
    def is_default(self) -> bool:
        """True if figures are plain medians of all samples."""
        return self.estimator == "median" and self.outliers == "keep"

    def sentence(self) -> str:
        """Say what a launch's figure is."""
        statistic = ESTIMATORS.get(self.estimator, f"the {self.estimator[1:]} % quantile of the samples")
        rule = OUTLIERS[self.outliers].replace("outlier_factor", f"{self.outlier_factor:g}")
        return f"A launch's figure is {statistic}" + ("." if self.outliers == "keep" else f"; before that, {rule}.")


DEFAULT = Reporting()
FIELDS = tuple(field.name for field in msgspec.structs.fields(Reporting))
HELP = {
    "estimator": "The statistic of a launch's samples that is its figure.",
    "outliers": "Which samples are discarded for a launch's figure; all stay in the records.",
    "outlier_factor": "With outliers=factor_of_mean: samples above this multiple of the mean are discarded.",
}
CHOICES = {
    "estimator": ESTIMATORS | {"p95": "a quantile of the samples: p and its percent, such as p5, p95 or p99.9"},
    "outliers": OUTLIERS,
    "outlier_factor": {},
}


def read_reporting(written: Mapping[str, object]) -> Reporting:
    """Return the choice that these settings make; raises InputError with what would be valid."""
    estimator = _word("estimator", written.get("estimator", "median"), [*ESTIMATORS, "p95"], _QUANTILE)
    outliers = _word("outliers", written.get("outliers", "keep"), list(OUTLIERS), None)
    try:
        factor = float(str(written.get("outlier_factor", DEFAULT.outlier_factor)))
    except ValueError:
        factor = 0.0
    if not _LEAST_FACTOR < factor < float("inf"):
        raise InputError(f"outlier_factor needs a number above {_LEAST_FACTOR:g}, not '{written['outlier_factor']}'")
    return Reporting(estimator, outliers, factor)


def _word(name: str, written: object, allowed: list[str], pattern: re.Pattern[str] | None) -> str:
    word = str(written)
    if word in allowed or (pattern is not None and pattern.fullmatch(word)):
        return word
    raise InputError(f"{name} cannot be '{word}'{suggestion(word, allowed)}; use {', '.join(allowed)}")
