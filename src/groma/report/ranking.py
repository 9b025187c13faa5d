"""Which alternative is best, in words: a sentence for every set of alternatives, and the key figures of variants."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from groma.analysis import PointSummary, SideBySide
from groma.analysis.compare import fewest_launches
from groma.analysis.grouping import grouped
from groma.analysis.order import MINIMUM_FOR_INTERVAL
from groma.analysis.otherruns import OtherRuns
from groma.analysis.ranking import Lead, Place, Stretch, of_neighbours, places
from groma.analysis.remedies import resume
from groma.report.figures import ShownFigure, figures_of
from groma.text.counts import counted
from groma.text.numbers import DASH, percent, significant
from groma.text.sizes import format_size
from groma.text.tables import Table

_DIGITS, _MOST_DECIMALS = 3, 4
_MOST_NAMED = 4  # of alternatives in one sentence
_MOST_LAUNCHES = 100  # more are no advice
_MOST_TIED = 0.25  # that may differ by more are not said to be tied
_APART = "cannot be compared, since the machine was in another state"


def rankings(compared: Sequence[SideBySide]) -> list[tuple[SideBySide, str]]:
    """Return a sentence on every set of alternatives: which is fastest, by how much, and what is tied with it.

    The last says which rounds count, if the machine was in several states.
    """
    alternatives = [(both, placed) for both in compared if not both.call and (placed := places(both))]
    if too_few := _too_few(alternatives):
        return [(alternatives[0][0], too_few)]
    ranked = [
        (both, f"{both.title}: {sentence}" if len(alternatives) > 1 else sentence)
        for both, placed in alternatives
        if (sentence := _ranking(both, placed))
    ]
    return [*ranked[:-1], *((both, f"{sentence} {both.states}".rstrip()) for both, sentence in ranked[-1:])]


def _ranking(both: SideBySide, placed: list[Place]) -> str:
    if not any(place.decides for place in placed):
        return _nothing_decided(both, placed)
    decided = [trimmed for one in of_neighbours(both, placed) if (trimmed := _trimmed(one)).leads]
    named = {size for one in decided for size in one.leads}
    rest = [format_size(place.size or 0) for place in placed if place.size not in named]
    open_ = [f"Nothing is decided at {_few(rest, 'other sizes')}."] if rest else []
    return " ".join([*(_stretch(one, placed) for one in decided), *open_])


def _trimmed(stretch: Stretch) -> Stretch:
    """Return the stretch without the sizes at its ends at which no other one is shown slower."""
    sizes = [*stretch.leads]
    decided = [
        at for at, size in enumerate(sizes) if any(lead.verdict == "slower" for lead in stretch.leads[size].values())
    ]
    kept = sizes[decided[0] : decided[-1] + 1] if decided else []
    return Stretch(stretch.best, {size: stretch.leads[size] for size in kept})


def _too_few(alternatives: Sequence[tuple[SideBySide, list[Place]]]) -> str:
    """Say that launches are too few for any ratio of the run to be decided; empty if they are not."""
    family = sum(len(by_size) for both, _ in alternatives for by_size in both.pairs.values())
    leads = [lead for _, placed in alternatives for place in placed for lead in place.leads.values()]
    launches = max((lead.judged.comparison.launches for lead in leads), default=0)
    fewest = max(MINIMUM_FOR_INTERVAL, fewest_launches(family))
    if not leads or launches >= fewest or any(both.states for both, _ in alternatives):
        return ""
    return (
        f"Not ranked: {counted(launches, 'launch')} of each cannot decide any of {counted(family, 'ratio')}. "
        f"The fewest that can: {resume(fewest)}"
    )


def _nothing_decided(both: SideBySide, placed: Sequence[Place]) -> str:
    """Say that no difference is shown, how large it can be, and how many launches could show the largest.

    Nobody knows how many could, where launches in another state of the machine do not count.
    """
    leads = [lead for place in placed for lead in place.leads.values()]
    if not any(lead.is_told for lead in leads):
        return f"No winner: {_listed([*both.curves])} {_APART}."
    undecided = [lead.judged for lead in leads if lead.verdict == "not decided"]
    if not undecided:
        return f"No winner: {_listed([*both.curves])} are the {leads[0].judged.words()}."
    apart = max(lead.apart for lead in leads)
    within = f"; they are within {percent(apart)} of the fastest" if math.isfinite(apart) else ""
    names = [*both.curves]
    none = f"neither {' nor '.join(names)}" if len(names) == 2 else f"none of {_listed(names)}"
    sentence = f"No winner: {none} is shown to be faster{within}."
    fewest = min(undecided, key=lambda judged: judged.further_launches)
    total = fewest.comparison.launches + fewest.further_launches
    if total > _MOST_LAUNCHES or both.states:
        return sentence
    return f"{sentence} {total} launches of each may show the first difference: {resume(total)}"


def _stretch(stretch: Stretch, placed: Sequence[Place]) -> str:
    """Return a sentence such as `At 8 B to 4 KiB A is 1.1 to 1.3 times faster than B; C is tied with it`."""
    of_others: dict[str, list[Lead]] = {}
    for by_name in stretch.leads.values():
        for name, lead in by_name.items():
            of_others.setdefault(name, []).append(lead)
    slower = {name: [lead for lead in leads if lead.verdict == "slower"] for name, leads in of_others.items()}
    beaten = sorted(
        (name for name in slower if slower[name]), key=lambda name: min(lead.ratio for lead in slower[name])
    )
    where = f"At {_sizes(stretch, placed)} " if len(placed) > 1 else ""
    told = [_beaten(name, slower[name], len(of_others[name])) for name in beaten[:_MOST_NAMED]]
    more = [f"{len(beaten) - len(told)} more"] if len(beaten) > len(told) else []
    equal = {name: of_others[name] for name in of_others if not slower[name]}
    return f"{where}{stretch.best} is {_listed([*told, *more])}{_others(equal)}."


def _sizes(stretch: Stretch, placed: Sequence[Place]) -> str:
    sizes = [size or 0 for size in stretch.leads]
    if len(sizes) == len(placed):
        return f"all {len(sizes)} sizes"
    return " to ".join(dict.fromkeys([format_size(sizes[0]), format_size(sizes[-1])]))


def _beaten(name: str, leads: Sequence[Lead], sizes: int) -> str:
    """Return `1.24 ± 0.03 times faster than B`; of several sizes the smallest and the largest ratio."""
    where = f" (at {len(leads)} of {sizes} sizes)" if len(leads) < sizes else ""
    if sizes == 1:
        return f"{times(leads[0])} times faster than {name}"
    ends = [significant(end(lead.ratio for lead in leads), _DIGITS) for end in (min, max)]
    return f"{' to '.join(dict.fromkeys(ends))} times faster than {name}{where}"


def times(lead: Lead) -> str:
    """Return a decided ratio as `1.24 ± 0.03`, by the interval that decides; as its ends if that would hold 1 too."""
    ends = lead.joint
    if ends is None:
        return significant(lead.ratio, _DIGITS)
    reach = max(ends.high - lead.ratio, lead.ratio - ends.low)
    if lead.ratio - reach <= 1:
        digits = next(digits for digits in range(_DIGITS, 9) if float(significant(ends.low, digits)) > 1 or digits == 8)
        return f"{significant(lead.ratio, _DIGITS)} ({ends.text(digits)})"
    decimals = min(_MOST_DECIMALS, max(len(significant(lead.ratio, _DIGITS).partition(".")[2]), -_exponent(reach)))
    return f"{lead.ratio:.{decimals}f} \N{PLUS-MINUS SIGN} {reach:.{decimals}f}"


def _exponent(value: float) -> int:
    return math.floor(math.log10(value)) if value > 0 else 0


def _others(equal: Mapping[str, Sequence[Lead]]) -> str:
    """Return `; C and D are tied with it (within 3 %)`, and which may still be slower; empty if there is no other."""
    known = {name: [lead for lead in leads if lead.is_told] for name, leads in equal.items()}
    apart = {name: max(lead.apart for lead in leads) for name, leads in known.items() if leads}
    tied = [name for name, most in apart.items() if most <= _MOST_TIED]
    undecided = [name for name in apart if name not in tied]
    beyond = [name for name in equal if name not in apart]
    within = percent(max((apart[name] for name in tied), default=0.0))
    parts = [
        f"{_few(tied)} {'is' if len(tied) == 1 else 'are'} tied with it (within {within})" if tied else "",
        f"whether {_few(undecided)} {'is' if len(undecided) == 1 else 'are'} slower is not decided"
        if undecided
        else "",
        f"{_few(beyond)} {_APART}" if beyond else "",
    ]
    return "".join(f"; {part}" for part in parts if part)


def _few(names: Sequence[str], of: str = "others") -> str:
    return _listed(names) if len(names) <= _MOST_NAMED else f"{len(names)} {of}"


def _listed(texts: Sequence[str]) -> str:
    *first, last = texts
    return f"{', '.join(first)} and {last}" if first else last


def figures_of_variants(summaries: Sequence[PointSummary], others: OtherRuns) -> dict[str, list[ShownFigure]]:
    """Return the headline figures of every variant; of a run without variants, by an empty name."""
    variants = grouped(summaries, lambda summary: summary.variant or "")
    return {name: figures_of(points, others) for name, points in variants.items()}


def headline_table(of_variants: Mapping[str, Sequence[ShownFigure]]) -> Table:
    """Return the headline figures of all variants: a row for each figure, a column for each variant."""
    rows: dict[str, dict[str, ShownFigure]] = {}
    for name, figures in of_variants.items():
        for shown in figures:
            rows.setdefault(shown.title, {})[name] = shown
    return Table(
        "Headline figures", ["figure", "unit", *of_variants], [_headlines(row, of_variants) for row in rows.values()]
    )


def _headlines(row: Mapping[str, ShownFigure], variants: Iterable[str]) -> list[str]:
    """Return a row; where a figure was measured is said once, or beside each if variants differ in that."""
    places = {name: shown.place(name) for name, shown in row.items()}
    shared = next(iter(places.values())) if len(set(places.values())) == 1 else ""
    first = next(iter(row.values()))
    cells = [
        " ".join(filter(None, [row[name].value, row[name].uncertainty, "" if shared else f"({places[name]})"]))
        if name in row
        else DASH
        for name in variants
    ]
    return [f"{first.title} {shared}".rstrip(), first.unit, *cells]
