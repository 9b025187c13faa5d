"""Named hosts: how they are read, where each rank should be then, and what is said of ranks elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fakes import Groma, refused

from groma.errors import InputError
from groma.launch.families.base import Expected
from groma.plan.hosts import Host, Hosts, dealt, labels_apart, read_hostfile, read_hosts, same_host
from groma.run.launching import misplaced


@pytest.mark.parametrize(
    ("text", "hosts"),
    [("a", [Host("a")]), ("a, b:4", [Host("a"), Host("b", 4)]), ("node-1.site.org:2", [Host("node-1.site.org", 2)])],
)
def test_hosts_are_read(text: str, hosts: list[Host]) -> None:
    assert read_hosts(text) == tuple(hosts)


@pytest.mark.parametrize("text", ["", "a,", "a:0", "a:b", "a b", "-x", "a;b", "$(b)"])
def test_what_is_no_host_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not a list of hosts; write a,b, or a:2,b:4"):
        read_hosts(text)
    with pytest.raises(InputError, match="names a twice; write a:2"):
        read_hosts("a,b,a")


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("a\n\n# two\nb:2 # ranks\n", [Host("a"), Host("b", 2)]),
        ("a slots=4 max_slots=8\nb slots = 2\n", [Host("a", 4), Host("b", 2)]),
        ("a\na\nb\na\n", [Host("a", 3), Host("b", 1)]),
    ],
)
def test_host_files_are_read(tmp_path: Path, text: str, hosts: list[Host]) -> None:
    (tmp_path / "hosts").write_text(text)
    assert read_hostfile(tmp_path / "hosts") == tuple(hosts)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a\nb c\n", "line 2: 'b c' is not a host"),
        ("a:0\n", "line 1"),
        ("# none\n", "names no host"),
        ("a:1\na:2\n", "a twice"),
    ],
)
def test_a_wrong_host_file_is_refused_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "hosts").write_text(text)
    with pytest.raises(InputError, match=says):
        read_hostfile(tmp_path / "hosts")
    with pytest.raises(InputError, match="cannot be read"):
        read_hostfile(tmp_path / "none")


@pytest.mark.parametrize(
    ("hosts", "ppn", "ranks", "way", "expected"),
    [
        ("a,b", None, 4, "by-slot", "aabb"),
        ("a,b", None, 3, "by-slot", "aab"),
        ("a,b,c,d", None, 2, "by-slot", "ab"),
        ("a,b", None, 4, "by-node", "abab"),
        ("a,b:4", None, 3, "by-slot", "abb"),
        ("a:4,b:4", None, 2, "by-slot", "aa"),
        ("a:4,b:4", None, 2, "by-node", "ab"),
        ("a:1,b:3", None, 4, "by-node", "abbb"),
        ("a,b,c", 2, 4, "by-slot", "aabb"),
    ],
)
def test_each_rank_has_its_host(hosts: str, ppn: int | None, ranks: int, way: str, expected: str) -> None:
    placed = Hosts(read_hosts(hosts), ppn).of_ranks(ranks, way)  # type: ignore[arg-type]
    assert "".join(placed) == expected


def test_what_is_expected_is_said_in_a_line() -> None:
    assert str(Expected(tuple("aabb"))) == "a: ranks 0-1; b: ranks 2-3"
    assert str(Expected(tuple("abab"))) == "a: ranks 0,2; b: ranks 1,3"
    assert str(Expected(cpus=("2", "0"))) == "rank 0 on CPU 2, rank 1 on CPU 0"


@refused(
    (("--hosts", "a b"), "'a b' is not a list of hosts"),
    (("--hosts", "a", "--hostfile", "f"), "--hosts and --hostfile both name hosts"),
    (("--hosts", "a:2", "--ppn", "2"), "--ppn 2 and a:2 both say how many ranks a host takes"),
    (("--ppn", "2"), "no hosts are known; name them with --hosts or --hostfile"),
    (("--hostfile", "nowhere"), "the host file nowhere cannot be read"),
    (("--hosts", "a,b", "--ppn", "1", "-n", "3"), "3 ranks do not fit on a,b with 1 ranks on each (2)"),
)
def test_wrong_hosts_are_one_sentence(groma: Groma, arguments: tuple[str, ...], says: str) -> None:
    said = groma("run", "noop", *arguments, "-o", "out")
    said.refuses(says)
    assert len(said.err.strip().splitlines()) == 1
    assert not Path("out").exists()


def test_a_dry_run_says_where_ranks_should_be(groma: Groma) -> None:
    said = groma("run", "noop", "--hosts", "a:1,b:3", "--launches", "1", "--dry-run")
    assert "# 4 ranks: a: rank 0; b: ranks 1-3" in said.out
    assert "-hosts a:1,b:3" in said.out


def test_ranks_elsewhere_than_asked_end_the_run(groma: Groma) -> None:
    said = groma("run", "noop", "--hosts", "other", "-n", "2", "-o", "out")
    said.refuses("rank 0 was on fake, not on other as asked; check the hosts", "--any-placement")
    assert not Path("out").exists()


def test_ranks_that_share_a_host_are_not_on_two(groma: Groma) -> None:
    said = groma("run", "noop", "--hosts", "127.0.0.1,127.0.0.2", "-n", "2", "-o", "out")
    said.refuses("all 2 ranks were on 1 of them, and 2 hosts were asked for (127.0.0.1, 127.0.0.2)")


def test_other_cpus_than_asked_end_the_run(groma: Groma) -> None:
    said = groma("run", "noop", "--placement", "5+6", "-o", "out")
    said.refuses("rank 0 was allowed on 0, not on CPU 5 as asked")


def test_ranks_elsewhere_are_allowed_and_said(groma: Groma) -> None:
    said = groma("run", "noop", "--hosts", "other", "-n", "2", "--launches", "2", "--any-placement", "-o", "out")
    assert said.code == 0, said.err
    assert (
        "! placement        Launch 1: rank 0 was on fake, not on other as asked (in 2 launches)."
        in groma("show", "out", "--checks").out
    )


def test_named_hosts_that_are_the_ranks_hosts(groma: Groma) -> None:
    said = groma("run", "noop", "--hosts", "fake.site.org", "-n", "2", "--launches", "2", "-o", "out")
    assert said.code == 0, said.err
    assert "✓ placement" in groma("show", "out", "--checks").out


@pytest.mark.parametrize(
    ("ranks", "room", "counts"),
    [
        (5, [4, 1], [4, 1]),
        (3, [4, 1], [2, 1]),
        (7, [8, 8, 8], [3, 2, 2]),
        (6, [1, 8, 2], [1, 3, 2]),
        (10, [4, 1], [5, 5]),
        (5, [None, None], [3, 2]),
        (1, [4, 4], [1, 0]),
    ],
)
def test_ranks_are_dealt_in_rounds_as_far_as_hosts_have_room(
    ranks: int, room: list[int | None], counts: list[int]
) -> None:
    assert dealt(ranks, room) == counts


@pytest.mark.parametrize(
    ("names", "name", "other", "same"),
    [
        (["a", "b"], "a", "A.site.org", True),
        (["a.ib", "b.ib"], "a.ib", "a.site", True),
        (["w.1.foo.net", "w.2.foo.net"], "w.1.foo.net", "w.2.foo.net", False),
        (["w.1.foo.net", "w.2.foo.net"], "w.1.foo.net", "w.1", True),
        (["10.0.0.1", "10.0.0.2"], "10.0.0.1", "10.0.0.2", False),
    ],
)
def test_hosts_are_told_apart_by_as_much_of_their_names_as_that_takes(
    names: list[str], name: str, other: str, same: bool
) -> None:
    assert same_host(name, other, labels_apart(names)) == same


def test_ranks_on_the_hosts_of_one_domain_are_on_hosts_of_their_own(tmp_path: Path) -> None:
    asked = ("mpi-worker.1.foo.net", "mpi-worker.2.foo.net")
    for swapped, says in ((False, ""), (True, f"rank 0 was on {asked[1]}, not on {asked[0]} as asked")):
        names = asked[::-1] if swapped else asked
        nodes = [{"name": name, "ranks": 1} for name in names]
        ranks = [{"rank": rank, "node": rank} for rank in (0, 1)]
        (tmp_path / "nodes.json").write_text(json.dumps({"schema": 1, "nodes": nodes, "ranks": ranks}))
        assert misplaced(Expected(asked), tmp_path / "nodes.json") == says
