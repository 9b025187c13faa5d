"""A figure that the engine records costs three places: a member with its row, where it is set, and its column."""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import subprocess
from pathlib import Path

import beds
import pytest

pytestmark = pytest.mark.slow  # compiles a part of the engine

MEMBER = ("  std::optional<std::vector<double>> line_ns;\n", "  std::optional<std::int64_t> cache_misses;\n")
ROW = (
    '        member("line_ns", &Point::line_ns,\n',
    '        member("cache_misses", &Point::cache_misses, "of one repetition"),\n',
)
PROGRAM = """
#include <iostream>

#include "groma/schema/describe.cpp"
#include "groma/schema/point.hpp"

int main() {
  using namespace groma::schema;
  nlohmann::ordered_json record = json_of(Point{});
  set<&Point::cache_misses>(record, std::optional<std::int64_t>{7});
  std::cout << nlohmann::ordered_json{{"record", record}, {"kinds", describe_kinds()}};
}
"""


def test_the_engine_writes_and_describes_it_by_a_member_and_its_row(tmp_path: Path) -> None:
    shutil.copytree(beds.ROOT / "engine" / "groma", tmp_path / "groma")
    header = tmp_path / "groma" / "schema" / "point.hpp"
    text = header.read_text(encoding="utf-8")
    for before, added in (MEMBER, ROW):
        assert text.count(before) == 1
        text = text.replace(before, added + before)
    header.write_text(text, encoding="utf-8")
    (tmp_path / "program.cpp").write_text(PROGRAM, encoding="utf-8")
    files = importlib.metadata.files("nlohmann-json") or []
    json_folder = Path(str(next(file for file in files if file.name == "json.hpp").locate())).parents[1]
    flags = ("-std=c++20", "-O0", f"-I{tmp_path}", f"-isystem{json_folder}")
    compiler = os.environ.get("CXX", "g++")
    built = beds.run([compiler, *flags, str(tmp_path / "program.cpp"), "-o", str(tmp_path / "program")], timeout_s=300)
    assert built.exit_code == 0, built.errors
    said = json.loads(subprocess.run([tmp_path / "program"], capture_output=True, text=True, check=True).stdout)
    assert said["record"]["cache_misses"] == 7
    (point,) = (kind for kind in said["kinds"] if kind["name"] == "point")
    described = {member["name"]: member for member in point["members"]}
    assert (described["cache_misses"]["type"], described["cache_misses"]["nullable"]) == ("integer", True)
