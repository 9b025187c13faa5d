"""From what people write to what the engine takes, judged by the catalogue."""

from __future__ import annotations

import pytest

from groma.catalog import Catalog
from groma.catalog.values import read_value, read_values, split_values
from groma.errors import InputError


def value(catalog: Catalog, name: str, written: object) -> object:
    return read_value(catalog, catalog.field(name), written)


@pytest.mark.parametrize(
    ("name", "written", "read"),
    [
        ("bytes", "1K", 1024),
        ("bytes", 8, 8),
        ("window", "16", 16),
        ("slot_s", "0.25", 0.25),
        ("slot_s", 1, 1.0),
        ("check", "yes", True),
        ("check", False, False),
        ("clock", "mpi", "mpi"),
        ("operation", "bcast", "bcast"),
        ("pattern", "distance=2", "distance=2"),
        ("pattern", "list=0,3", "list=0,3"),
    ],
)
def test_values_of_every_type(catalog: Catalog, name: str, written: object, read: object) -> None:
    assert value(catalog, name, written) == read


@pytest.mark.parametrize(
    ("name", "written", "says"),
    [
        ("operation", "allredcue", "did you mean 'allreduce'"),
        ("clock", "monotonous", "did you mean 'monotonic'"),
        ("pattern", "neighbors", "did you mean 'neighbours'"),
        ("pattern", "distance", "such as distance=2"),
        ("pattern", "distance=0", "such as distance=2"),
        ("pattern", "all=3", "takes no argument"),
        ("pattern", "list=a", "such as list=0,3"),
        ("window", 1.5, "needs a whole number from 1 to 65536"),
        ("window", True, "needs a whole number"),
        ("window", "many", "needs a whole number"),
        ("window", 0, "out of range"),
        ("bytes", 8.0, "needs a size"),
        ("bytes", "8X", "bytes: '8X' is not a size"),
        ("slot_s", "nan", "needs a number"),
        ("slot_s", 0, "out of range"),
        ("check", "perhaps", "true or false"),
        ("clock", 3, "needs a word"),
    ],
)
def test_a_wrong_value_is_one_sentence_that_helps(catalog: Catalog, name: str, written: object, says: str) -> None:
    with pytest.raises(InputError, match=says) as error:
        value(catalog, name, written)
    assert error.value.exit_code == 2
    assert "\n" not in str(error.value)


def test_the_nearest_field_is_suggested(catalog: Catalog) -> None:
    with pytest.raises(InputError, match="did you mean 'datatype'"):
        catalog.field("datatyp")


def test_lists_lose_repeats_and_keep_their_order(catalog: Catalog) -> None:
    assert read_values(catalog, catalog.field("bytes"), ["8:32", 8, "64"]) == [8, 16, 32, 64]
    with pytest.raises(InputError, match="empty list"):
        read_values(catalog, catalog.field("bytes"), [])


def test_commas_separate_words_but_belong_to_patterns(catalog: Catalog) -> None:
    assert split_values(catalog.field("datatype"), "byte, double") == ["byte", "double"]
    assert split_values(catalog.field("pattern"), "list=0,3") == ["list=0,3"]


def test_every_default_is_a_legal_value(catalog: Catalog) -> None:
    for field in catalog.fields:
        assert read_value(catalog, field, field.default) == field.default
