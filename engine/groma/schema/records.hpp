// The records of a launch beside its points: the lines of points.jsonl (docs/contract.md).
#pragma once

#include <cstdint>

#include "groma/schema/clocks.hpp"
#include "groma/schema/devices.hpp"
#include "groma/schema/machine.hpp"

namespace groma::schema {

struct Library {
  std::string name;
  std::string version;
  std::string text;
  std::string standard;
  static constexpr std::string_view kind = "library";
  static constexpr std::string_view help = "The MPI library that ran, as it names itself.";
  static constexpr auto table() {
    return std::tuple{member("name", &Library::name, "such as MPICH"), member("version", &Library::version, "its own"),
                      member("text", &Library::text, "first line of MPI_Get_library_version"),
                      member("standard", &Library::standard, "version of the MPI standard")};
  }
};

struct ThreadLevel {
  std::string asked;
  std::string provided;
  static constexpr std::string_view kind = "thread_level";
  static constexpr std::string_view help = "The thread level of MPI: `single`, `funneled`, `serialized` or `multiple`.";
  static constexpr auto table() {
    return std::tuple{member("asked", &ThreadLevel::asked, "by the plan"),
                      member("provided", &ThreadLevel::provided, "by the library")};
  }
};

struct Start {
  int schema = 1;
  std::string record = "start";
  std::string engine;
  std::string compiler;
  bool abi = false;
  Library library;
  ThreadLevel thread_level;
  int ranks = 0;
  int nodes = 0;
  std::size_t points = 0;
  std::string order;
  std::int64_t seed = 0;
  std::int64_t started_unix_ns = 0;
  std::vector<std::string> arguments;
  bool oversubscribed = false;
  std::string launcher;
  std::vector<Clock> clocks;
  HarnessCost harness;
  Limits limits;
  std::vector<Noise> noise;
  std::vector<GlobalClock> global_clock;
  std::vector<Search> searches;
  Memory memory;
  std::optional<ProcessMemory> process_memory;
  std::optional<DeviceSupport> device_support;
  std::optional<std::vector<RankDevice>> devices;
  std::optional<std::vector<DeviceCopy>> device_copies;
  std::optional<NcclLibrary> nccl;
  static constexpr std::string_view kind = "start";
  static constexpr std::string_view help =
      "The first record of a launch: who measures, where, and with what instruments.";
  static constexpr auto table() {
    return std::tuple{
        member("schema", &Start::schema, "1"),
        member("kind", &Start::record, "`start`"),
        member("engine", &Start::engine, "its version"),
        member("compiler", &Start::compiler, "that built the engine"),
        member("abi", &Start::abi, "whether the engine was built for the standard ABI of MPI"),
        member("library", &Start::library, "the MPI library"),
        member("thread_level", &Start::thread_level, "asked and provided"),
        member("ranks", &Start::ranks, "of the launch"),
        member("nodes", &Start::nodes, "on which they are"),
        member("points", &Start::points, "of the plan"),
        member("order", &Start::order, "in which they are measured"),
        member("seed", &Start::seed, "of the plan"),
        member("started_unix_ns", &Start::started_unix_ns, "when it began, since 1970"),
        member("arguments", &Start::arguments, "of the engine's command line"),
        member("oversubscribed", &Start::oversubscribed, "whether a node has more ranks than CPUs they may use"),
        member("launcher", &Start::launcher, "that started the ranks, as far as they can know"),
        member("clocks", &Start::clocks, "each as measured before anything was timed"),
        member("harness", &Start::harness, "what measuring itself costs"),
        member("limits", &Start::limits, "of the machine, without MPI"),
        member("noise", &Start::noise, "of each rank, before the first point; the end record has it after the last"),
        member("global_clock", &Start::global_clock, "one for each clock made global; empty if no point needs one"),
        member("searches", &Start::searches, "for pairs of ranks"),
        member("memory", &Start::memory, "needed and available"),
        some_have("process_memory", &Start::process_memory, "of the ranks, before and after MPI's start"),
        some_have("device_support", &Start::device_support, "what the MPI library says of devices"),
        some_have("devices", &Start::devices, "of each rank, if points use memory other than the host's"),
        some_have("device_copies", &Start::device_copies,
                  "by the driver of rank 0's device, of the lengths of those points up to 64 MiB"),
        some_have("nccl", &Start::nccl, "of rank 0, if points use it")};
  }
};

struct Revisit {
  int schema = 1;
  std::string record = "revisit";
  std::int64_t index = 0;
  std::size_t count = 0;
  std::optional<double> median_ns;
  std::optional<double> half_width;
  std::optional<double> ratio;
  std::optional<bool> agrees;
  std::int64_t elapsed_ns = 0;
  std::int64_t visits = 1;
  static constexpr std::string_view kind = "revisit";
  static constexpr std::string_view help = "The same point again, after all others of its launch.";
  static constexpr auto table() {
    return std::tuple{
        member("schema", &Revisit::schema, "1"),
        member("kind", &Revisit::record, "`revisit`"),
        member("index", &Revisit::index, "of the point in the plan"),
        member("count", &Revisit::count, "how many samples, 40 at most"),
        member("median_ns", &Revisit::median_ns, "as in the point's record; null if no repetition was valid"),
        member("half_width", &Revisit::half_width, "as in the point's record; null if no repetition was valid"),
        member("ratio", &Revisit::ratio, "its median over that of the point's samples"),
        member("agrees", &Revisit::agrees, "whether the intervals of both medians are within 2 % of each other"),
        member("elapsed_ns", &Revisit::elapsed_ns, "wall time of the visit"),
        member("visits", &Revisit::visits,
               "how many were made: up to two more, each after all others, until it agrees; the last is recorded")};
  }
};

struct Failure {
  int schema = 1;
  std::string record = "failure";
  std::int64_t index = 0;
  std::string reason;
  std::string message;
  std::vector<int> ranks;
  static constexpr std::string_view kind = "failure";
  static constexpr std::string_view help = "A point that gave no figure, and why.";
  static constexpr auto table() {
    return std::tuple{member("schema", &Failure::schema, "1"),
                      member("kind", &Failure::record, "`failure`"),
                      member("index", &Failure::index, "of the point in the plan"),
                      member("reason", &Failure::reason,
                             "`timeout`, `wrong_data`, `mpi_error`, `device`, `nccl`, `file`, `no_samples`, or "
                             "`lacking`: the library has no such call"),
                      member("message", &Failure::message, "what happened, and what to change if that helps"),
                      member("ranks", &Failure::ranks, "of MPI_COMM_WORLD, as far as they are known")};
  }
};

struct LeftOut {
  int schema = 1;
  std::string record = "left_out";
  std::size_t index = 0;
  std::string message;
  static constexpr std::string_view kind = "left_out";
  static constexpr std::string_view help = "A point with `optional`, skipped: the launch has too few ranks or nodes.";
  static constexpr auto table() {
    return std::tuple{member("schema", &LeftOut::schema, "1"), member("kind", &LeftOut::record, "`left_out`"),
                      member("index", &LeftOut::index, "of the point in the plan"),
                      member("message", &LeftOut::message, "what it needs")};
  }
};

struct End {
  int schema = 1;
  std::string record = "end";
  std::int64_t points = 0;
  std::int64_t failures = 0;
  std::int64_t elapsed_ns = 0;
  std::vector<NodeLoad> load;
  std::vector<Noise> noise;
  std::vector<ClockOutcome> global_clock;
  static constexpr std::string_view kind = "end";
  static constexpr std::string_view help = "The last record: only a launch that ran to its end has one.";
  static constexpr auto table() {
    return std::tuple{member("schema", &End::schema, "1"),
                      member("kind", &End::record, "`end`"),
                      member("points", &End::points, "that were measured"),
                      member("failures", &End::failures, "points that gave no figure"),
                      member("elapsed_ns", &End::elapsed_ns, "wall time since the start record was begun"),
                      member("load", &End::load, "of each node; empty in a simulation"),
                      member("noise", &End::noise, "as in the start record"),
                      member("global_clock", &End::global_clock, "one for each clock made global")};
  }
};

}  // namespace groma::schema
