#include "groma/engine.hpp"

#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "groma/launch/check.hpp"
#include "groma/launch/launch.hpp"
#include "groma/machine/cpus.hpp"
#include "groma/mpi/handles.hpp"
#include "groma/mpi/simulated.hpp"
#include "groma/mpi/spawned.hpp"
#include "groma/mpi/startup.hpp"
#include "groma/plan/fields.hpp"
#include "groma/record/describe.hpp"
#include "groma/text/output.hpp"

namespace groma {
namespace {

/// Help, descriptions and the check of a plan need no MPI; under a launcher only the first process prints.
int answer(Command::Verb verb, const std::vector<std::string>& arguments, const std::vector<Entry>& entries,
           const Launcher& launcher) {
  if (launcher.rank.value_or(0) != 0) return 0;
  try {
    if (verb == Command::Verb::check) return check_plan(arguments, entries);
    if (verb == Command::Verb::help) print(help(entries));
    if (verb == Command::Verb::describe) print(describe(entries).dump(1) + "\n");
    if (verb == Command::Verb::version) print(engine_version() + "\n");
  } catch (const InputError& error) {
    complain(error.what());
    return 2;
  } catch (const OutputError& error) {
    complain(error.what());
    return 1;
  }
  return 0;
}

int end_with(int code, int rank, const std::string& message) {
  if (rank == 0) complain(message);
  return code;
}

/// Processes that cannot meet: the others give the first one time to say why, since many launchers end all when one has
/// failed.
int end_apart(int rank, const std::string& message) {
  using namespace std::chrono_literals;
  if (rank != 0) std::this_thread::sleep_for(2s);
  return end_with(2, rank, message);
}

/// Between MPI_Init and MPI_Finalize. InputError and OutputError reach every rank alike; anything else is one rank's
/// own.
int guarded(const Launcher& launcher, const std::function<int()>& body) {
  const Comm world(MPI_COMM_WORLD);
  const std::string fault = launch_fault(launcher, world.size(), library().text);
  if (!fault.empty()) return end_apart(launcher.rank.value_or(0), fault);
  try {
    return body();
  } catch (const InputError& error) {
    return end_with(2, world.rank(), error.what());
  } catch (const OutputError& error) {
    return end_with(1, world.rank(), error.what());
  } catch (const std::exception& error) {
    complain("rank " + std::to_string(world.rank()) + ": " + error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }
}

/// Why this process is not on the CPU that the plan has for it; empty if it is. A single process is its host's
/// first.
std::string bind(const Beforehand& asked, const Launcher& launcher) {
  if (asked.cpus.empty()) return "";
  if constexpr (simulated) return "cpus=" + asked.cpus + " can't be kept in a simulation; leave it out";
  return stay_on_own(asked.cpus, launcher.ranks ? launcher.host_rank : 0);
}

/// The exit code of a launch that writes its last records when MPI has ended.
int said_at_end(AfterEnd& last, std::int64_t finalize_ns, int code) {
  try {
    last.say(finalize_ns);
  } catch (const OutputError& error) {
    complain(error.what());
    return 1;
  }
  return code;
}

Measured measured_of(const nlohmann::ordered_json& record) {
  Measured measured{.index = record.at("index"),
                    .samples_ns = record.at("samples_ns"),
                    .ranks_ns = {},
                    .repetitions_per_sample = record.at("repetitions_per_sample"),
                    .divisor = record.at("divisor"),
                    .bytes_moved = record.at("bytes_moved"),
                    .messages = record.at("messages")};
  if (!record.at("ranks_ns").is_null()) measured.ranks_ns = record.at("ranks_ns");
  return measured;
}

}  // namespace

int run_engine(int argc, char** argv, const std::vector<Entry>& entries) {
  if (served_parent(argc, argv)) return 0;
  const Launcher launcher = launcher_from_environment();
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const Command::Verb verb = verb_of(arguments);
  if (verb != Command::Verb::measure) return answer(verb, arguments, entries, launcher);
  const Beforehand asked = asked_beforehand(arguments, entries);
  const std::string unbound = bind(asked, launcher);  // before MPI, whose memory is then near this CPU
  Mpi mpi(argc, argv, asked.thread_level);
  if (asked.first_messages) exchange_first_messages();
  AfterEnd last;
  const int code = guarded(launcher, [&] {
    const Client client{
        .ask = [&] { return read_command(arguments, entries); },
        .beforehand = asked,
        .unbound = unbound.empty() ? bind(asked, launcher) : unbound,  // some libraries bind ranks when they start
        .last = &last};
    return measure_launch(entries, client, arguments, launcher);
  });
  return last.due ? said_at_end(last, mpi.end(), code) : code;
}

int run_program(int argc, char** argv, const std::function<int(const Program&)>& body) {
  if (served_parent(argc, argv)) return 0;
  const char* slash = std::strrchr(argv[0], '/');
  program_name = slash == nullptr ? argv[0] : slash + 1;
  const Launcher launcher = launcher_from_environment();
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const Mpi mpi(argc, argv, default_plan().thread_level);
  const Comm world(MPI_COMM_WORLD);
  const Program program(world.rank(), world.size(), [&](const Study& study) {
    const Client client{.ask = [&] { return Command{.plan = study.plan, .out = study.out, .nodes = {}, .pairs = {}}; },
                        .hear =
                            [&](const nlohmann::ordered_json& record) {
                              if (study.report) study.report(measured_of(record));
                            },
                        .beforehand = {.thread_level = default_plan().thread_level, .cpus = {}}};
    return measure_launch(catalogue(), client, arguments, launcher);
  });
  return guarded(launcher, [&] { return body(program); });
}

}  // namespace groma
