// An operation of one's own, with every method, check and record of Groma: an allreduce made of two other collectives.
// A library's MPI_Allreduce should not be slower than this; measure both in one launch and see.
//
//   mpiexec -n 4 own_operation reduce_bcast allreduce --bytes 8:1M
//   GROMA_ENGINE=./own_operation groma run reduce_bcast allreduce -n 4 --bytes 8:1M
#include <groma/engine.hpp>

struct ReduceBcast {
  static constexpr groma::Info info{.name = "reduce_bcast",
                                    .summary = "An allreduce made of MPI_Reduce and MPI_Bcast.",
                                    .calls = "MPI_Reduce, MPI_Bcast",
                                    .send = groma::Size::message,
                                    .receive = groma::Size::message,
                                    .result = groma::Result::reduced,
                                    .reduces = true,
                                    .bandwidth = "message size over time"};
  groma::Site site;
  groma::Buffers buffers;
  void step() noexcept {
    MPI_Reduce(buffers.send, buffers.receive, site.count, site.type, site.reduction, 0, site.comm);
    MPI_Bcast(buffers.receive, site.count, site.type, 0, site.comm);
  }
};

int main(int argc, char** argv) { return groma::run<ReduceBcast>(argc, argv); }
