#include "groma/engine.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "groma/measure/launch.hpp"
#include "groma/plan/fields.hpp"
#include "groma/record/describe.hpp"

namespace groma {
namespace {

/// Help and descriptions need no MPI; under a launcher only the first process prints.
int print_about(Command::Verb verb, const std::vector<Entry>& entries, const Launcher& launcher) {
  if (launcher.rank.value_or(0) != 0) return 0;
  try {
    if (verb == Command::Verb::help) print(help(entries));
    if (verb == Command::Verb::describe) print(describe(entries).dump(1) + "\n");
    if (verb == Command::Verb::version) print(engine_version() + "\n");
  } catch (const OutputError& error) {
    std::fprintf(stderr, "groma-engine: %s\n", error.what());
    return 1;
  }
  return 0;
}

int end_with(int code, int rank, const char* message) {
  if (rank == 0) std::fprintf(stderr, "groma-engine: %s\n", message);
  return code;
}

/// Between MPI_Init and MPI_Finalize. InputError and OutputError reach every rank alike; anything else is one rank's
/// own.
int measure(const std::vector<Entry>& entries, std::vector<std::string> arguments, const Launcher& launcher) {
  const Comm world(MPI_COMM_WORLD);
  const std::string fault = launch_fault(launcher, world.size(), library().text);
  if (!fault.empty()) return end_with(2, launcher.rank.value_or(0), fault.c_str());
  try {
    return Launch(entries, std::move(arguments), launcher).measure();
  } catch (const InputError& error) {
    return end_with(2, world.rank(), error.what());
  } catch (const OutputError& error) {
    return end_with(1, world.rank(), error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "groma-engine: rank %d: %s\n", world.rank(), error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }
}

}  // namespace

int run_engine(int argc, char** argv, const std::vector<Entry>& entries) {
  const Launcher launcher = launcher_from_environment();
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const Command::Verb verb = verb_of(arguments);
  if (verb != Command::Verb::measure) return print_about(verb, entries, launcher);
  const Mpi mpi(argc, argv);
  return measure(entries, std::move(arguments), launcher);
}

}  // namespace groma
