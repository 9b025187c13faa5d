#include "groma/measure/load.hpp"

#include <algorithm>

#include "groma/timed/syncs.hpp"

namespace groma {

namespace {
constexpr std::int64_t most_calls = 4096;
}

Load::Load(const LaunchContext& context, const Configured& operation, const Point& point, const Party& party)
    : party_(party),
      subject_(operation, point, party, context.arena, lay_out(context.arena, point)),
      loop_(subject_.entry().loops[clock_index(point.clock)].block),
      roots_(most_calls, 0) {}

void Load::make_calls() {
  std::int64_t start = 0;
  std::int64_t end = 0;
  loop_(subject_.operation(), {&start, &end, roots_.data(), batch_, {}, 0});
  calls_ += batch_;
}

void Load::run(const std::function<void()>& begun, const std::function<bool()>& over) {
  constexpr double batch_s = 0.001;
  const bool first = party_.control.rank() == 0;
  const double begin_s = MPI_Wtime();
  make_calls();
  MPI_Barrier(party_.control.get());
  if (first) begun();
  std::int64_t next = batch_;
  while (next > 0) {
    const double before_s = MPI_Wtime();
    make_calls();
    if (first && MPI_Wtime() - before_s < batch_s) next = std::min(2 * batch_, most_calls);
    if (first && over()) next = 0;
    MPI_Bcast(&next, 1, MPI_INT64_T, 0, party_.control.get());
    batch_ = std::max(next, batch_);
  }
  seconds_ += MPI_Wtime() - begin_s;
}

}  // namespace groma
