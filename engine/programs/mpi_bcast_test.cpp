// MPI_bcast_test of the JET page: a buffer is broadcast whole, then in 4, 16, ... 4096 segments; a row of CSV for each,
// with every process's time.
#include <algorithm>
#include <cstdio>

#include "groma/operations/rooted.hpp"
#include "over_mpi.hpp"
#include "programs.hpp"

namespace groma::programs {
namespace mpi_bcast_test {
namespace {

const Syntax syntax{.letters = "h",
                    .words = {"check", "out"},
                    .usage =
                        "usage: mpi_bcast_test [-h] [--check] [--out FILE]\n"
                        "  Prints CSV: MPI_Wtime, number of transfers, bytes in each, longest and shortest time\n"
                        "  without the root's, then every process's time, in ms.\n"
                        "  --check     compare what arrived after every set too, not only before\n"
                        "  --out FILE  append Groma's records to FILE\n"};

constexpr std::int64_t buffer_bytes = 4096LL * 80;

std::string milliseconds(std::int64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f,", 1e-6 * static_cast<double>(ns));
  return text;
}

/// "143638.984	, 1,	327680,	108.49,	57.34,	1.34,	57.34,	108.49,"
std::string row(double wtime, std::int64_t segments, const std::vector<std::vector<std::int64_t>>& ranks_ns) {
  std::vector<std::int64_t> others;
  std::string every;
  for (std::size_t rank = 0; rank < ranks_ns.size(); ++rank) {
    if (rank > 0) others.push_back(ranks_ns[rank].front());
    every += "\t" + milliseconds(ranks_ns[rank].front());
  }
  const auto [shortest, longest] = std::minmax_element(others.begin(), others.end());
  return fixed(wtime) + "\t, " + std::to_string(segments) + ",\t" + std::to_string(buffer_bytes / segments) + ",\t" +
         milliseconds(*longest) + "\t" + milliseconds(*shortest) + every + "\n";
}

std::string heading(const std::vector<std::string>& hosts) {
  std::string text = "Wtime,\tnt,\tnbt,\tTmax,\tTmin,\t";
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) text += (rank == 0 ? "" : "\t, ") + hosts[rank];
  return text + "\n";
}

Study study_of_segments(const Options& options) {
  Study study;
  study.plan.order = method::Order::sequential;
  study.out = options.out;
  for (int segments = 1; segments <= 4096; segments *= 4) {
    Point point = timed_point(BcastSegmented::info, options);
    point.timing = method::Timing::call;
    point.bytes = buffer_bytes;
    set_options(point.parameters, SegmentOptions{.segments = segments});
    point.per_rank = true;
    study.plan.points.push_back(point);
  }
  return study;
}

int measure(const Options& options, const Program& program) {
  if (program.ranks() < 2) {
    throw InputError("mpi_bcast_test needs at least 2 processes and has 1; launch it with -n 2 or more");
  }
  Study study = study_of_segments(options);
  study.report = [&, columns = hosts()](const Measured& measured) {
    const double wtime = MPI_Wtime();
    const Point& point = study.plan.points[measured.index];
    if (measured.index == 0) print(heading(columns));
    print(row(wtime, options_of<SegmentOptions>(point.parameters).segments, measured.ranks_ns));
  };
  return program.measure(study);
}

}  // namespace
}  // namespace mpi_bcast_test

int run_mpi_bcast_test(int argc, char** argv) {
  return over_mpi(argc, argv, mpi_bcast_test::syntax, mpi_bcast_test::measure);
}

}  // namespace groma::programs
