"""Who is slow, on planted times: rounds, the fit, and what the stages name among 0 to 3 slow nodes and links."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pytest

from groma.programs.pairs.fit import fit
from groma.programs.pairs.observe import STAGES, Edges, Phase
from groma.programs.pairs.outliers import outliers
from groma.programs.pairs.rounds import Pair, Round, all_rounds, disjoint, drawn_rounds, screening
from groma.programs.pairs.slow import BOTH, LEVEL, PAIR, RECEIVES, SENDS, Limits, Slow, judge
from groma.programs.pairs.suspects import ALL_ALONE, Suspects, confirmed, duels, suspects
from groma.programs.pairs.verdict import unexplained

LATENCY, STREAM = "pingpong 8 B", "stream 65536 B"
LAUNCHES = 4


@pytest.mark.parametrize("units", range(2, 34))
def test_rounds_are_disjoint_and_have_every_pair_once(units: int) -> None:
    rounds = all_rounds(units)
    pairs = [pair for one in rounds for pair in one]
    assert sorted(pairs) == list(itertools.combinations(range(units), 2))
    assert all(len({unit for pair in one for unit in pair}) == 2 * len(one) for one in rounds)
    assert {len(one) for one in rounds} == {units // 2}


def test_beyond_the_limit_every_node_has_as_many_partners_as_asked() -> None:
    rounds = screening(1024, most_pairs=2016, least_rounds=12, seed=3)
    met = Counter(unit for one in rounds for pair in one for unit in pair)
    assert (len(rounds), set(met.values()), len(met)) == (12, {12}, 1024)
    assert len({pair for one in rounds for pair in one}) == 12 * 512
    assert rounds == drawn_rounds(1024, 12, 3)
    assert rounds != drawn_rounds(1024, 12, 4)
    assert len(screening(64, most_pairs=2016, least_rounds=12, seed=3)) == 63


def test_on_one_host_ranks_meet_no_more_others_than_asked() -> None:
    rounds = screening(64, most_pairs=2016, least_rounds=12, seed=3, one_host=True)
    met = Counter(unit for one in rounds for pair in one for unit in pair)
    assert (len(rounds), set(met.values()), len(met)) == (12, {12}, 64)
    assert screening(12, most_pairs=2016, least_rounds=12, seed=3, one_host=True) == all_rounds(12)
    assert len(screening(16, most_pairs=50, least_rounds=4, seed=3, one_host=True)) == 4


def test_any_pairs_are_put_into_disjoint_rounds() -> None:
    pairs = [(0, 1), (0, 2), (1, 2), (3, 4), (2, 3)]
    rounds = disjoint(pairs)
    assert sorted(pair for one in rounds for pair in one) == sorted(pairs)
    assert all(len({unit for pair in one for unit in pair}) == 2 * len(one) for one in rounds)
    assert len(rounds) <= 5  # of a unit with three pairs, twice as many less one


def test_the_fit_is_exact_where_times_are_products_of_parts() -> None:
    rng = np.random.default_rng(5)
    sender, receiver = rng.normal(0, 0.3, 9), rng.normal(0, 0.2, 9)
    ends = np.array(list(itertools.permutations(range(9), 2)))
    parts = fit(9, ends[:, 0], ends[:, 1], 2.0 + sender[ends[:, 0]] + receiver[ends[:, 1]])
    assert parts.sender == pytest.approx(sender - np.median(sender), abs=1e-6)
    assert parts.receiver == pytest.approx(receiver - np.median(receiver), abs=1e-6)
    assert parts.residual == pytest.approx(0, abs=1e-6)
    assert parts.parts == 17


def test_the_fit_agrees_with_least_squares_where_nothing_is_an_outlier() -> None:
    rng = np.random.default_rng(6)
    ends = np.array(list(itertools.permutations(range(12), 2)))
    values = rng.uniform(-0.01, 0.01, len(ends)) + rng.normal(0, 0.2, 12)[ends[:, 0]]
    design = np.zeros((len(ends), 24))
    design[np.arange(len(ends)), ends[:, 0]] = design[np.arange(len(ends)), 12 + ends[:, 1]] = 1
    solved = np.linalg.lstsq(design, values, rcond=None)[0][:12]
    parts = fit(12, ends[:, 0], ends[:, 1], values)
    assert parts.sender == pytest.approx(solved - np.median(solved), abs=0.004)


def test_units_without_a_pair_have_no_effect() -> None:
    ends = np.array(list(itertools.permutations((0, 2, 3, 5), 2)))
    parts = fit(6, ends[:, 0], ends[:, 1], np.zeros(len(ends)))
    assert np.isnan(parts.sender).tolist() == [False, True, False, False, True, False]


@pytest.mark.slow
def test_outliers_are_named_as_often_as_the_level_says_and_no_more() -> None:
    rng = np.random.default_rng(7)
    for size, most in ((4, 1), (6, 2), (12, 5), (64, 6)):
        named = sum(bool(outliers(rng.normal(3, 0.1, size), level=0.05, most=most).places) for _ in range(800))
        assert named <= 0.05 * 800 + 3 * np.sqrt(0.05 * 0.95 * 800), size
        assert named > 0, size


def test_several_outliers_do_not_hide_each_other() -> None:
    values = np.concatenate([np.random.default_rng(8).normal(0, 0.1, 20), [2.0, 2.1, 2.2], [np.nan]])
    assert set(outliers(values, level=0.05, most=6).places) == {20, 21, 22}


def test_the_reach_is_the_value_from_which_one_more_would_be_named() -> None:
    values = np.random.default_rng(9).normal(0, 0.1, 15)
    reach = outliers(values, level=0.05, most=1).reach
    centre = values.mean()
    # One more value changes mean and correction a little: beyond the reach by 15 % it is named, below it is not.
    assert outliers(np.append(values, centre + 1.15 * reach), level=0.05, most=1).places == (15,)
    assert outliers(np.append(values, centre + 0.85 * reach), level=0.05, most=1).places == ()


@dataclass
class Cluster:
    """Planted times: slow nodes by part, slow directed pairs, late pairs, and how nodes, pairs and launches scatter."""

    nodes: int
    seed: int
    slow: dict[tuple[int, str], float] = field(default_factory=dict)
    thin: dict[Pair, float] = field(default_factory=dict)
    late: dict[Pair, float] = field(default_factory=dict)
    spread: float = 0.03
    tails: float = float("inf")  # degrees of freedom of the pairs' distribution
    one_host: bool = False
    until: dict[str, bool] = field(default_factory=lambda: dict.fromkeys(STAGES, True))

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)
        draw = (lambda n: self.rng.standard_t(self.tails, n)) if np.isfinite(self.tails) else self.rng.standard_normal
        self.effects = {part: self.spread * draw(self.nodes) for part in (SENDS, RECEIVES, BOTH)}
        self.own = {quantity: self.spread * draw((self.nodes, self.nodes)) for quantity in (LATENCY, STREAM)}
        self.own[LATENCY] = np.triu(self.own[LATENCY]) + np.triu(self.own[LATENCY]).T

    def phase(self, name: str, rounds: list[Round]) -> Phase:
        """Return what a stage of these rounds would measure."""
        pairs = sorted(pair for one in rounds for pair in one)
        both = np.array([*pairs, *(pair[::-1] for pair in pairs)])
        return Phase(
            name,
            {
                LATENCY: self._edges(LATENCY, np.array(pairs), name, symmetric=True),
                STREAM: self._edges(STREAM, both, name, symmetric=False),
            },
            "",
            "",
        )

    def _edges(self, quantity: str, ends: np.ndarray, name: str, *, symmetric: bool) -> Edges:
        a, b = ends[:, 0], ends[:, 1]
        log_s = self.own[quantity][a, b].copy()
        for part, unit in ((BOTH, a), (BOTH, b)) if symmetric else ((SENDS, a), (RECEIVES, b)):
            effect = self.effects[part].copy()
            for (node, of), ratio in self.slow.items():
                effect[node] += np.log(ratio) if of == part and self.until[name] else 0
            log_s += effect[unit]
        for (x, y), ratio in (self.late if symmetric else self.thin).items():
            log_s[(a == x) & (b == y)] += np.log(ratio) if self.until[name] else 0
        rows = log_s + self.spread / 2 * self.rng.standard_normal((LAUNCHES, log_s.size))
        return Edges(quantity, symmetric, a, b, rows)

    @property
    def true(self) -> set[tuple[object, ...]]:
        """Everything that is slow, as `Slow.key` has it."""
        nodes = {((node,), LATENCY if part == BOTH else STREAM, part) for node, part in self.slow}
        pairs = {((a, b), STREAM, PAIR) for a, b in self.thin} | {((a, b), LATENCY, PAIR) for a, b in self.late}
        return nodes | pairs


def staged(cluster: Cluster) -> tuple[set[tuple[object, ...]], list[Slow]]:
    """Return the keys of what lasts, and what was slow alone, by the stages of a run."""
    most = 6
    screen = cluster.phase("screen", screening(cluster.nodes, 2016, 12, cluster.seed, one_host=cluster.one_host))
    limits = Limits(1.25, most, sum(edges.senders.size for edges in screen.edges.values()))
    few = cluster.nodes <= ALL_ALONE
    found = suspects(cluster.nodes, screen, limits.slow, most if few else 2 * most)
    if found.any and not few:
        again = cluster.phase("suspects", disjoint(duels(cluster.nodes, found)))
        found = suspects(cluster.nodes, again, limits.slow, most)
    if not found.any:
        return set(), []
    pairs = [[pair] for pair in duels(cluster.nodes, found)]
    alone = judge(cluster.nodes, cluster.phase("alone", pairs), limits)
    pairs = [[pair] for pair in duels(cluster.nodes, confirmed(found, alone))]
    later = judge(cluster.nodes, cluster.phase("later", pairs), limits)
    return {one.key for one in alone} & {one.key for one in later}, alone


def planted(nodes: int, seed: int) -> Cluster:
    """Return a cluster with one to three slow nodes and links each, as the size allows, by 2 to 6 times."""
    rng = np.random.default_rng(1000 + seed)
    order = [int(node) for node in rng.permutation(nodes)]
    most = 1 if nodes < 8 else 3
    slow_nodes = int(rng.integers(0, most + 1))
    slow_links = int(rng.integers(0 if slow_nodes else 1, most + 1)) if nodes >= 8 or not slow_nodes else 0
    slow: dict[tuple[int, str], float] = {}
    thin: dict[Pair, float] = {}
    late: dict[Pair, float] = {}
    for node in order[:slow_nodes]:
        for part in [(SENDS,), (RECEIVES,), (SENDS, RECEIVES), (BOTH,)][rng.integers(4)]:
            slow[node, part] = float(rng.uniform(2, 6))
    screened = {pair for one in screening(nodes, 2016, 12, seed) for pair in one}
    free = sorted(pair for pair in screened if not set(pair) & set(order[:slow_nodes]))
    for a, b in [free[at] for at in rng.choice(len(free), slow_links, replace=False)]:
        if rng.random() < 0.3:
            late[a, b] = float(rng.uniform(2, 6))
        else:
            thin |= dict.fromkeys([[(a, b)], [(b, a)], [(a, b), (b, a)]][rng.integers(3)], float(rng.uniform(2, 6)))
    return Cluster(nodes, seed, slow, thin, late, spread=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("nodes", [5, 6, 8, 12, 16, 24, 48])
def test_what_is_planted_is_found_and_nothing_else(nodes: int) -> None:
    wrong = []
    for seed in range(25):
        cluster = planted(nodes, seed)
        named, _ = staged(cluster)
        if named != cluster.true:
            wrong.append((seed, cluster.true - named, named - cluster.true))
    assert len(wrong) <= 1, wrong  # the level allows one in twenty an invented name


@pytest.mark.parametrize("ranks", [16, 64])
def test_a_core_at_three_quarters_of_its_speed_is_named_on_one_host(ranks: int) -> None:
    slow = dict.fromkeys([(5, SENDS), (5, RECEIVES), (5, BOTH)], 4 / 3)
    named = [staged(Cluster(ranks, seed, slow=slow, spread=0.02, one_host=True))[0] for seed in range(10)]
    found = [{key[0] for key in keys} for keys in named]
    assert found.count({(5,)}) >= 9


def test_what_is_cleared_alone_judges_what_is_not() -> None:
    chosen = Suspects((4, 5), ((0, 1), (2, 3)), (8, 9))
    slow = Slow((4,), STREAM, SENDS, 2.0, 1.9, 2.1)
    assert confirmed(chosen, [slow]) == Suspects((4,), (), (8, 9, 5, 0, 1, 2, 3))
    pair = Slow((3, 2), STREAM, PAIR, 2.0, 1.9, 2.1)
    assert confirmed(chosen, [pair]) == Suspects((), ((2, 3),), (8, 9, 4, 5, 0, 1))


def test_of_1024_nodes_all_planted_are_found_and_nothing_else() -> None:
    for seed in range(2):
        cluster = planted(1024, seed)
        assert staged(cluster)[0] == cluster.true


@pytest.mark.one_case
@pytest.mark.parametrize(("nodes", "count"), [(4, 100), (6, 80), (12, 50), (24, 30)])
@pytest.mark.parametrize("spread", [0.01, 0.2])
def test_where_nothing_is_slow_names_are_as_rare_as_stated(nodes: int, count: int, spread: float) -> None:
    false = sum(bool(staged(Cluster(nodes, seed, spread=spread))[0]) for seed in range(count))
    assert false <= LEVEL * count + 2 * np.sqrt(LEVEL * (1 - LEVEL) * count)


def test_heavier_tails_than_normal_within_the_margin_are_no_names() -> None:
    false = sum(bool(staged(Cluster(16, seed, spread=0.01, tails=5))[0]) for seed in range(40))
    assert false <= 2


def test_one_direction_is_told_from_both_and_a_node_from_its_links() -> None:
    one_way, _ = staged(Cluster(10, 1, thin={(2, 7): 3.0}))
    assert one_way == {((2, 7), STREAM, PAIR)}
    both, _ = staged(Cluster(10, 1, thin={(2, 7): 3.0, (7, 2): 3.0}))
    assert both == {((2, 7), STREAM, PAIR), ((7, 2), STREAM, PAIR)}
    node, _ = staged(Cluster(10, 1, slow={(2, SENDS): 3.0}))
    assert node == {((2,), STREAM, SENDS)}


def test_what_has_passed_is_no_name_that_lasts() -> None:
    cluster = Cluster(10, 2, slow={(4, SENDS): 4.0})
    cluster.until["later"] = False
    lasting, alone = staged(cluster)
    assert lasting == set()
    assert [one.key for one in alone] == [((4,), STREAM, SENDS)]


@pytest.mark.slow
def test_ratio_and_interval_are_those_that_were_planted() -> None:
    within = 0
    for seed in range(50):
        _, alone = staged(Cluster(10, seed, slow={(4, SENDS): 3.0}, spread=1e-3))
        (one,) = [one for one in alone if one.who == (4,)]
        assert one.ratio == pytest.approx(3.0, rel=0.02)
        within += one.low <= 3.0 * 1.004 and one.high >= 3.0 / 1.004  # other nodes scatter by 0.1 % too
    assert within >= 44


def test_a_slow_pair_is_explained_by_a_name_or_by_being_fast_alone() -> None:
    quiet, thin = Cluster(10, 3), Cluster(10, 3, thin={(2, 7): 3.0})
    everyone = all_rounds(10)
    screen, fast, slow_alone = (
        one.phase(name, everyone) for one, name in ((thin, "screen"), (quiet, "alone"), (thin, "alone"))
    )
    name = Slow((2, 7), STREAM, PAIR, 3.0, 2.9, 3.1)
    assert [one.who for one in unexplained({"screen": screen}, [])] == [(2, 7)]
    assert [one.stage for one in unexplained({"screen": screen, "alone": slow_alone}, [])] == ["alone"]
    assert unexplained({"screen": screen, "alone": fast}, []) == []
    assert unexplained({"screen": screen, "alone": slow_alone}, [name]) == []
