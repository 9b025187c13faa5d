// ATA, the all-to-all test of the NAS page: MPI_Alltoall, the two arrays changing places with every call.
#include "groma/operations/exchanges.hpp"
#include "over_mpi.hpp"
#include "programs.hpp"

namespace groma::programs {
namespace ata {
namespace {

const Syntax syntax{.letters = "n:BLb:ha",
                    .words = {"best-of", "min-seconds", "check", "out"},
                    .usage =
                        "usage: ata -n num_times [-B|-L] [-b buff_size] [-h] [-a]\n"
                        "           [--best-of K] [--min-seconds T] [--check] [--out FILE]\n"
                        "  -n num_times     calls of MPI_Alltoall; left out: as many as last T seconds\n"
                        "  -B | -L          bandwidth (default) or latency test\n"
                        "  -b buff_size     bytes for each destination: 100000 (-B) or 40 (-L)\n"
                        "  -a               one line for each process\n"
                        "  --best-of K      K runs, of which the shortest is reported (1)\n"
                        "  --min-seconds T  the least time of a run, without -n (1)\n"
                        "  --check          compare what arrived after every run, not only before\n"
                        "  --out FILE       append Groma's records to FILE\n"};

std::string report(const Options& options, std::int64_t bytes, int ranks, const Runs& runs) {
  constexpr std::size_t edge = 40;
  const auto times = static_cast<double>(runs.times);
  const double mb = 1e-6 * static_cast<double>(ranks * bytes);  // of one process, its own block counted
  const auto call_us = [&](double run_s) { return 1e6 * run_s / times; };
  const auto bandwidth = [&](double run_s) { return mb * times / run_s; };

  std::string text = " -- ****** AllToAll MPI Benchmark, Groma " GROMA_VERSION " ****** --\n";
  text += line(edge, "Number of processes:", std::to_string(ranks));
  text += line(edge, "Number of passes:", std::to_string(runs.times));
  text += line(edge, "Buffer size/destination:", std::to_string(bytes), "bytes");
  text += line(edge, "Total bytes transferred:", fixed(mb * ranks * times), "10e+06 bytes");
  text += line(edge, "Total time:", fixed(runs.best_s()), "s");
  if (options.latency) {
    return text + line(edge, "Latency:", fixed(call_us(runs.best_s())), "us") + runs.all(call_us, "us");
  }
  text += line(edge, "Time per call:", fixed(1e-3 * call_us(runs.best_s())), "ms");
  constexpr std::size_t edge_of_bandwidth = 22;
  text += line(edge_of_bandwidth, "Bandwidth:", fixed(bandwidth(runs.best_s())), "10e+06 bytes/sec/proc");
  return text + runs.all(bandwidth, "10e+06 bytes/sec/proc");
}

int measure(const Options& options, const Program& program) {
  const std::int64_t bytes = options.bytes.value_or(options.latency ? 40 : 100'000);
  const int ranks = program.ranks();
  Point point = timed_point(AlltoallAlternating::info, options);
  point.bytes = bytes;
  return program.measure(study_of(point, options, [&, where = places()](const Measured& measured) {
    const Runs runs = runs_of(measured);
    std::vector<Process> processes;
    for (const std::string& place : where) {
      processes.push_back({place, runs.times * ranks * bytes, runs.times * ranks * bytes});
    }
    print(report(options, bytes, ranks, runs) + (options.processes ? process_lines(processes) : ""));
  }));
}

}  // namespace
}  // namespace ata

int run_ata(int argc, char** argv) { return over_mpi(argc, argv, ata::syntax, ata::measure); }

}  // namespace groma::programs
