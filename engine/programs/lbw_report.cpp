#include "lbw_report.hpp"

namespace groma::programs {

std::int64_t lbw_bytes(const Options& options) { return options.bytes.value_or(options.latency ? 40 : 1'000'000); }

std::string lbw_report(const Options& options, const Runs& runs, const std::string& system,
                       const std::vector<std::string>& places) {
  constexpr std::size_t edge = 44;
  const std::int64_t bytes = lbw_bytes(options);
  const double messages = 2 * static_cast<double>(runs.times);
  const double mb = 1e-6 * static_cast<double>(bytes);
  const auto one_way_us = [&](double run_s) { return 1e6 * run_s / messages; };
  const auto bandwidth = [&](double run_s) { return mb * messages / run_s; };

  std::string text = " -- ****** LBW " + system + " Benchmark, Groma " GROMA_VERSION " ****** --\n";
  text += line(edge, "Message Passing Style:", options.style == "async" ? "Asynchronous" : "Synchronous");
  text += line(edge, "Number of processes:", "2");
  text += line(edge, "Number of passes:", std::to_string(runs.times));
  text += line(edge, "Message size:", std::to_string(bytes), "bytes");
  text += line(edge, "Total bytes transferred:", fixed(mb * messages), "10e+06 bytes");
  text += line(edge, "Total time:", fixed(runs.best_s()), "s");
  if (options.latency) {
    text += line(edge, "Latency:", fixed(one_way_us(runs.best_s())), "us");
    text += runs.all(one_way_us, "us");
  } else {
    text += line(edge, "Time per message:", fixed(one_way_us(runs.best_s())), "us");
    text += line(edge, "Bandwidth:", fixed(bandwidth(runs.best_s())), "10e+06 Bytes/sec");
    text += runs.all(bandwidth, "10e+06 Bytes/sec");
  }
  if (!options.processes) return text;
  std::vector<Process> processes;
  for (const std::string& place : places) processes.push_back({place, runs.times * bytes, runs.times * bytes});
  return text + process_lines(processes);
}

}  // namespace groma::programs
