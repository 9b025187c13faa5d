#include "lbw_pvm_record.hpp"

#include <nlohmann/json.hpp>

#include "groma/clock/calendar.hpp"
#include "groma/stopping/interval.hpp"
#include "lbw_report.hpp"

namespace groma::programs {
namespace {

using Json = nlohmann::ordered_json;

constexpr int directions = 2;  // messages of a pass

}  // namespace

std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

Json start_record(const PvmRun& run, const std::vector<std::string>& arguments) {
  return {{"schema", 1},
          {"kind", "start"},
          {"engine", GROMA_VERSION},
          {"compiler", "g++ " __VERSION__},
          {"library", {{"name", "PVM"}, {"version", run.version}, {"text", "PVM " + run.version}, {"standard", ""}}},
          {"ranks", 2},
          {"nodes", run.hosts},
          {"points", 1},
          {"order", "sequential"},
          {"started_unix_ns", unix_now_ns()},
          {"arguments", arguments},
          {"launcher", "pvmd"}};
}

Json point_record(const PvmRun& run, const Options& options, const Runs& runs) {
  const std::int64_t bytes = lbw_bytes(options);
  const Json point{{"operation", "lbw_pvm"},
                   {"bytes", bytes},
                   {"style", options.style == "async" ? "async" : "sync"},
                   {"route", options.direct ? "direct" : "daemons"},
                   {"clock", "monotonic"},
                   {"timing", "block"},
                   {"block", runs.times},
                   {"stop", "reps"},
                   {"repetitions", runs.ns.size()},
                   {"check", options.check}};
  return {{"schema", 1},
          {"kind", "point"},
          {"index", 0},
          {"sequence", 0},
          {"point", point},
          {"members", {0, 1}},
          {"member_count", 2},
          {"message_bytes", bytes},
          {"hosts", run.hosts},
          {"samples_ns", runs.ns},
          {"repetitions_per_sample", runs.times},
          {"divisor", directions},
          {"bytes_moved", directions * bytes},
          {"messages", directions},
          {"median_ns", median_of(runs.ns) / static_cast<double>(runs.times) / directions},
          {"stopped_by", "repetitions"},
          {"validated", true},
          {"checked_elements", directions * bytes},
          {"elapsed_ns", monotonic_ns() - run.began_ns},
          {"finished_unix_ns", unix_now_ns()}};
}

Json failure_record(const std::string& message, int rank) {
  return {{"schema", 1},        {"kind", "failure"},           {"index", 0}, {"reason", "wrong_data"},
          {"message", message}, {"ranks", Json::array({rank})}};
}

Json end_record(const PvmRun& run, int failures) {
  return {{"schema", 1},
          {"kind", "end"},
          {"points", 1 - failures},
          {"failures", failures},
          {"elapsed_ns", monotonic_ns() - run.began_ns},
          {"load", Json::array()}};
}

}  // namespace groma::programs
