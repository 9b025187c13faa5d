#include "over_mpi.hpp"

#include <array>
#include <cstdio>

#include "groma/mpi/handles.hpp"
#include "groma/mpi/texts.hpp"

namespace groma::programs {

int over_mpi(int argc, char** argv, const Syntax& syntax,
             const std::function<int(const Options&, const Program&)>& body) {
  Options options;
  std::string fault;
  try {
    options = read_options(argc, argv, syntax);
  } catch (const InputError& error) {
    fault = error.what();
  }
  if (options.help) {
    if (launcher_from_environment().rank.value_or(0) == 0) std::fputs(syntax.usage.c_str(), stdout);
    return 0;
  }
  return run_program(argc, argv, [&](const Program& program) {
    if (!fault.empty()) throw InputError(fault);
    return body(options, program);
  });
}

Point timed_point(const Info& info, const Options& options) {
  Point point = default_point(info);
  point.clock = method::Clock::mpi;
  point.timing = method::Timing::block;
  point.sync = method::Sync::barrier;
  point.reduce = method::Reduce::max;
  point.block = options.times;
  point.block_s = options.min_seconds;
  point.stop = method::Stop::reps;
  point.repetitions = options.best_of;
  point.warmups = 0;
  point.check = options.check;
  point.limit_s = 0;  // how long a run is was asked for
  return point;
}

Study study_of(const Point& point, const Options& options, std::function<void(const Measured&)> report) {
  Study study;
  study.plan.order = method::Order::sequential;
  study.plan.points = {point};
  study.out = options.out;
  study.report = std::move(report);
  return study;
}

Runs runs_of(const Measured& measured) { return {measured.repetitions_per_sample, measured.samples_ns}; }

namespace {

std::string own_host() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  return {name.data(), static_cast<std::size_t>(length)};
}

}  // namespace

std::vector<std::string> hosts() { return gather_texts(Comm(MPI_COMM_WORLD), own_host()); }
std::vector<std::string> places() { return gather_texts(Comm(MPI_COMM_WORLD), own_place(own_host())); }

}  // namespace groma::programs
