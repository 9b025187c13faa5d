"""What preloaded libraries write down of a program for `make fidelity`: its MPI calls, and the state of the machine."""

from __future__ import annotations

from pathlib import Path

import beds
import pytest

from benchmarks.fidelity import calls, line
from benchmarks.fidelity.shared import build

pytestmark = pytest.mark.mpi


@pytest.mark.one_case
def test_a_program_s_calls_are_written_down(library: beds.Library, tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text("""
#include <mpi.h>
int main(int argc, char** argv) {
  static int sent[64], received[64];
  MPI_Init(&argc, &argv);
  for (int call = 0; call < 100; ++call) {
    MPI_Allreduce(sent + 16 * (call % 4), received, 8, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Bcast(sent, 4, MPI_INT, call % 2, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
""")
    beds.run([library.mpicc, str(source), "-o", str(tmp_path / "program")])
    preload = build(str(library.mpicc), calls.SOURCE, tmp_path)
    command = library.command(2, f"LD_PRELOAD={preload}", tmp_path / "program", engine="env")
    ended = beds.run(command, library.environment({"GROMA_CALLS": str(tmp_path / "rank")}))
    assert ended.exit_code == 0, ended.errors
    for number in range(2):
        kinds = {kind.function: kind for kind in calls.read((tmp_path / f"rank.{number}").read_text())}
        reduced, sent = kinds["Allreduce"], kinds["Bcast"]
        assert (reduced.calls, reduced.bytes, sent.calls, sent.bytes) == (100, 32, 100, 16)
        assert (reduced.facts["send buffers"], reduced.facts["receive buffers"], sent.facts["roots"]) == (4, 1, 2)
        assert (reduced.facts["operation"], reduced.facts["datatype"]) == ("MPI_MAX", "MPI_INT")
        assert [tuple(pair) for pair in reduced.next] == [(sent.place, 100)]
        assert [tuple(pair) for pair in sent.next] == [(reduced.place, 99)]


@pytest.mark.one_case
def test_a_cache_line_s_way_is_measured_before_and_after_a_program(library: beds.Library, tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text("""
#include <mpi.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
""")
    beds.run([library.mpicc, str(source), "-o", str(tmp_path / "program")])
    page = tmp_path / "line"
    page.write_bytes(bytes(4096))
    preload = build(str(library.mpicc), line.SOURCE, tmp_path)
    command = library.command(2, f"LD_PRELOAD={preload}", tmp_path / "program", engine="env")
    ended = beds.run(command, library.environment({"GROMA_LINE": str(page)}))
    assert ended.exit_code == 0, ended.errors
    before_ns, after_ns = map(float, page.with_name("line.ns").read_text().split())
    assert before_ns > 1
    assert after_ns > 1
