"""What clang-tidy reads of changed files: all of them, in few groups (tools/tidy_sources.py)."""

from __future__ import annotations

from itertools import chain

from tools.tidy_sources import ENGINE, TOGETHER, headers_of, to_check, together

SOURCES = sorted(ENGINE.rglob("*.cpp"))
HEADERS = sorted(ENGINE.rglob("*.hpp"))


def test_all_that_changed_is_read() -> None:
    groups = [*together(to_check([*SOURCES, *HEADERS], SOURCES))]
    assert sorted(chain.from_iterable(groups)) == SOURCES
    assert set(HEADERS) <= {header for source in SOURCES for header in headers_of(source)}
    assert len(groups) < len(SOURCES) / 3


def test_a_changed_header_is_read_where_a_source_includes_it() -> None:
    for header in HEADERS:
        (source,) = to_check([header], SOURCES)
        assert header in headers_of(source)


def test_few_sources_are_read_for_many_headers() -> None:
    chosen = to_check(HEADERS, SOURCES)
    assert set(HEADERS) <= {header for source in chosen for header in headers_of(source)}
    assert len(chosen) < len(HEADERS) / 3


def test_an_unchanged_source_is_not_read_where_a_changed_one_includes_the_header() -> None:
    source = ENGINE / "groma" / "plan" / "fields.cpp"
    assert to_check([source, *headers_of(source)], SOURCES) == [source]


def test_a_group_is_of_one_folder_and_a_main_or_the_catalogue_is_alone() -> None:
    for group in together(SOURCES):
        assert len({source.parent for source in group}) == 1
        assert len(group) <= TOGETHER
        alone = [source for source in group if "\nint main(" in source.read_text() or source.name == "catalogue.cpp"]
        assert not alone or len(group) == 1
