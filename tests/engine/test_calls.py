"""What a preloaded library writes down of a program's MPI calls, for `make fidelity`."""

from __future__ import annotations

from pathlib import Path

import beds
import pytest

from benchmarks.fidelity.calls import build, read

pytestmark = pytest.mark.mpi


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
    preload = build(library.mpicc, tmp_path)
    command = library.command(2, f"LD_PRELOAD={preload}", tmp_path / "program", engine="env")
    ended = beds.run(command, library.environment({"GROMA_CALLS": str(tmp_path / "rank")}))
    assert ended.exit_code == 0, ended.errors
    for number in range(2):
        kinds = {kind.function: kind for kind in read((tmp_path / f"rank.{number}").read_text())}
        reduced, sent = kinds["Allreduce"], kinds["Bcast"]
        assert (reduced.calls, reduced.bytes, sent.calls, sent.bytes) == (100, 32, 100, 16)
        assert (reduced.facts["send buffers"], reduced.facts["receive buffers"], sent.facts["roots"]) == (4, 1, 2)
        assert (reduced.facts["operation"], reduced.facts["datatype"]) == ("MPI_MAX", "MPI_INT")
        assert [tuple(pair) for pair in reduced.next] == [(sent.place, 100)]
        assert [tuple(pair) for pair in sent.next] == [(reduced.place, 99)]
