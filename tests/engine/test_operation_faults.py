"""An operation that lacks something does not compile, and the first error is one sentence about what it lacks."""

from __future__ import annotations

import re
from pathlib import Path

import beds
import pytest

pytestmark = pytest.mark.mpi

WHOLE = {
    "info": 'static constexpr Info info{.name = "own", .summary = "Own.", .calls = "MPI_Barrier"};',
    "place": "Site site; Buffers buffers;",
    "step": "void step() noexcept { MPI_Barrier(site.comm); }",
}
PROGRAM = """
#include <mpi.h>
#include "groma/timed/operation.hpp"
using namespace groma;
struct Own {{ {} }};
static_assert(is_operation<Own>());
"""


def first_error(library: beds.Library, folder: Path, **members: str) -> str:
    """Return the first error of a program with such an operation; empty if it compiles."""
    source = folder / "own.cpp"
    source.write_text(PROGRAM.format(" ".join((WHOLE | members).values())))
    command = [library.mpicc.replace("mpicc", "mpicxx"), "-std=c++20", "-fsyntax-only", f"-I{beds.ROOT / 'engine'}"]
    done = beds.run([*command, str(source)])
    errors = re.findall(r"error: (?:static assertion failed: )?(.*)", done.errors)
    assert bool(errors) == (done.exit_code != 0), done.errors
    return errors[0] if errors else ""


def test_a_whole_operation_compiles(embedded: beds.Library, tmp_path: Path) -> None:
    assert first_error(embedded, tmp_path) == ""
    options = "struct Options { int own = 1; }; Options options;"
    assert first_error(embedded, tmp_path, more=options + " void open() {} void bind() {} void close() {}") == ""


@pytest.mark.parametrize(
    ("member", "instead", "saying"),
    [
        ("info", "", "an operation has `static constexpr groma::Info info"),
        ("place", "Site site;", "an operation has `groma::Site site;` and"),
        ("step", "void step() { MPI_Barrier(site.comm); }", "an operation has `void step() noexcept`"),
        ("more", "struct Options { int own = 1; };", "an operation with a type `Options` has a member"),
        ("more", "void open(int) {}", "open(), bind() and close() of an operation take no arguments"),
        ("more", "std::int64_t bytes_moved() const { return 0; }", "bytes_moved and messages of an operation are"),
        ("more", "static constexpr int phases[1]{};", "an operation with `phases` has"),
    ],
)
def test_the_first_error_says_what_is_missing(
    embedded: beds.Library, tmp_path: Path, member: str, instead: str, saying: str
) -> None:
    assert first_error(embedded, tmp_path, **{member: instead}).startswith(saying)
