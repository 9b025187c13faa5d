// STS, the some-to-some test of the NAS page: random messages between random processes, over and over the same list.
#include <cmath>
#include <cstdio>
#include <random>

#include "groma/operations/some_to_some.hpp"
#include "over_mpi.hpp"
#include "programs.hpp"

namespace groma::programs {
namespace sts {
namespace {

const Syntax syntax{
    .letters = "n:m:SDs:r:vah",
    .words = {"best-of", "min-seconds", "check", "separate-buffers", "out"},
    .usage =
        "usage: sts -n num_times -m num_msgs [-S|-D] [-s sync|async] [-r rand_seed] [-v] [-a] [-h]\n"
        "           [--best-of K] [--min-seconds T] [--check] [--separate-buffers] [--out FILE]\n"
        "  -n num_times     passes over the list of messages; left out: as many as last T seconds\n"
        "  -m num_msgs      messages that each process sends on the average (6)\n"
        "  -S | -D          single sided (default), or every pair reversed too\n"
        "  -s sync|async    one message after another, or all receives posted first (default)\n"
        "  -r rand_seed     from which the list is drawn (4 bytes); left out: one is drawn and printed\n"
        "  -v               print the list\n"
        "  -a               one line for each process\n"
        "  --best-of K      K runs, of which the shortest is reported (1)\n"
        "  --min-seconds T  the least time of a run, without -n (1)\n"
        "  --check          compare what arrived after every run, not only before\n"
        "  --separate-buffers\n"
        "                   send each message from a place of its own, and not all from one buffer\n"
        "  --out FILE       append Groma's records to FILE\n"};

std::string report(const Options& options, const TransferRules& rules, std::span<const Transfer> list,
                   const Runs& runs) {
  constexpr std::size_t edge = 40;
  const double ranks = rules.ranks;
  const auto times = static_cast<double>(runs.times);
  const auto pass_bytes = static_cast<double>(total_length(list));
  const double run_mb = 1e-6 * pass_bytes * times;
  const double run_s = runs.best_s();
  const auto bandwidth = [&](double any_run_s) { return run_mb / ranks / any_run_s; };
  const auto whole = [](double value) { return std::to_string(std::llround(value)); };

  std::string text = " -- ****** SomeToSome MPI Benchmark, version 1.0b ****** --\n";
  text +=
      std::string(" Message Passing Style:                 ") + (options.both_ways ? "Double" : "Single") + " Sided\n";
  text += " Global Statistics:\n";
  text += line(edge, "Number of processes:", whole(ranks));
  text += line(edge, "Number of messages/process:", std::to_string(rules.messages));
  text += line(edge, "Number of passes:", std::to_string(runs.times));
  text += line(edge, "Avg. buffer size/process:", whole(pass_bytes / ranks), "bytes");
  text += line(edge, "Avg. message size/ process:", whole(pass_bytes / static_cast<double>(list.size())), "bytes");
  text += line(edge, "Total bytes transferred:", fixed(run_mb), "10e+06 bytes");
  text += line(edge, "Total time:", fixed(run_s), "s");
  text += line(edge, "Bandwidth total:", fixed(run_mb / run_s), "10e+06 bytes/s");
  text += " Per pass statistics:\n";
  text += line(edge, "Total bytes/process", fixed(1e-6 * pass_bytes / ranks), "10e+06 bytes");
  text += line(edge, "Total time:", fixed(1e3 * run_s / times), "ms");
  text += line(edge, "Bandwidth/process:", fixed(bandwidth(run_s)), "10e+06 bytes/s/process");
  return text + runs.all(bandwidth, "10e+06 bytes/s/process");
}

std::string listing(std::span<const Transfer> list) {
  std::string text = " Message   source  destination     bytes\n";
  for (std::size_t i = 0; i < list.size(); ++i) {
    char row[64];
    std::snprintf(row, sizeof row, "%8zu%9d%13d%10d\n", i + 1, list[i].source, list[i].destination, list[i].length);
    text += row;
  }
  return text;
}

std::vector<Process> processes_of(const std::vector<std::string>& where, std::span<const Transfer> list,
                                  std::int64_t times) {
  std::vector<Process> processes;
  for (const std::string& place : where) {
    Process process{.where = place};
    for (const Part& part : parts_of(list, static_cast<int>(processes.size()), SendFrom::one_buffer)) {
      (part.sent ? process.sent_bytes : process.received_bytes) += times * part.length;
    }
    processes.push_back(process);
  }
  return processes;
}

int measure(const Options& options, const Program& program) {
  if (program.ranks() < 2) throw InputError("sts needs at least 2 processes and has 1; launch it with -n 2 or more");
  Point point = timed_point(options.style == "sync" ? StsSync::info : StsAsync::info, options);
  const TransferRules rules{.ranks = program.ranks(),
                            .messages = static_cast<int>(options.messages),
                            .both_ways = options.both_ways,
                            .seed = options.seed.value_or(std::random_device()()),  // rank 0's plan counts
                            .longest = point.bytes};
  set_options(point.parameters,
              TransferOptions{.messages = rules.messages,
                              .sides = rules.both_ways ? MapSides::both_ways : MapSides::one_way,
                              .seed = rules.seed,
                              .send_from = options.separate_buffers ? SendFrom::places : SendFrom::one_buffer});
  const std::vector<Transfer> list = draw_transfers(rules);
  return program.measure(study_of(point, options, [&, where = places()](const Measured& measured) {
    const Runs runs = runs_of(measured);
    std::string text;
    if (!options.seed) text += line(40, "Random number seed:", std::to_string(rules.seed));
    if (options.list) text += listing(list);
    text += std::string(" Messages are sent from:                ") +
            (options.separate_buffers ? "places of their own\n" : "one buffer\n");
    text += report(options, rules, list, runs);
    if (options.processes) text += process_lines(processes_of(where, list, runs.times));
    print(text);
  }));
}

}  // namespace
}  // namespace sts

int run_sts(int argc, char** argv) { return over_mpi(argc, argv, sts::syntax, sts::measure); }

}  // namespace groma::programs
