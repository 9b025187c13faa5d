"""The one comparison of times: is A slower than B, by how much, and how sure is that.

The unit is the launch. Where the same launches (or rounds of launches) measured both, they are compared in pairs, so
that what slows a whole launch down cancels; else as two samples. One exact rank test serves each case, and everything
else follows from it: the interval of the ratio holds exactly the ratios that the test does not reject, so test and
interval never disagree. `judge` corrects a family of comparisons after Holm (1979) and gives each a verdict;
`rank_ways` finds which of many ways are tied with the fastest. docs/adr/0021 says why. Separate runs are compared by
`compare_runs`, whose unit is the run: Student's test, since a rank test needs six runs of each (docs/adr/0024).
"""

from groma.analysis.compare.comparison import Comparison, by_round, compare, compare_points
from groma.analysis.compare.exact import Apart, Paired, Shift
from groma.analysis.compare.family import (
    CANNOT_TELL,
    MARGIN,
    SIGNIFICANCE,
    Judged,
    Verdict,
    fewest_launches,
    further_launches,
    holm,
    judge,
    least_found,
)
from groma.analysis.compare.fastest import Ranking, rank_ways
from groma.analysis.compare.runs import RUN_DEVIATION, AnotherRun, Between, Sample, another_run, compare_runs

__all__ = [
    "CANNOT_TELL",
    "MARGIN",
    "RUN_DEVIATION",
    "SIGNIFICANCE",
    "AnotherRun",
    "Apart",
    "Between",
    "Comparison",
    "Judged",
    "Paired",
    "Ranking",
    "Sample",
    "Shift",
    "Verdict",
    "another_run",
    "by_round",
    "compare",
    "compare_points",
    "compare_runs",
    "fewest_launches",
    "further_launches",
    "holm",
    "judge",
    "least_found",
    "rank_ways",
]
