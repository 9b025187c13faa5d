// LBW, the latency and bandwidth test of the NAS page: two processes exchange a message over and over.
#include "groma/operations/point_to_point.hpp"
#include "lbw_report.hpp"
#include "over_mpi.hpp"
#include "programs.hpp"

namespace groma::programs {
namespace lbw {
namespace {

const Syntax syntax{.letters = lbw_letters,
                    .words = {"best-of", "min-seconds", "check", "out"},
                    .usage =
                        "usage: lbw -n num_times [-B|-L] [-b buff_size] [-s sync|async] [-h] [-a]\n"
                        "           [--best-of K] [--min-seconds T] [--check] [--out FILE]\n" +
                        lbw_usage + "  --out FILE       append Groma's records to FILE\n"};

int measure(const Options& options, const Program& program) {
  if (program.ranks() != 2) {
    throw InputError("lbw needs 2 processes and has " + std::to_string(program.ranks()) + "; launch it with -n 2");
  }
  Point point = timed_point(options.style == "async" ? PingPingPosted::info : PingPong::info, options);
  point.bytes = lbw_bytes(options);
  return program.measure(study_of(point, options, [&, where = places()](const Measured& measured) {
    print(lbw_report(options, runs_of(measured), "MPI", where));
  }));
}

}  // namespace
}  // namespace lbw

int run_lbw(int argc, char** argv) { return over_mpi(argc, argv, lbw::syntax, lbw::measure); }

}  // namespace groma::programs
