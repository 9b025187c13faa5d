#include "groma/timed/harness.hpp"

#include <vector>

#include "groma/stopping/interval.hpp"

namespace groma {

/// What one repetition of nothing costs, beyond two readings of the clock (call) and in a block.
schema::HarnessCost harness_cost(const Entry& noop, const ClockFacts& clock) {
  const std::shared_ptr<void> operation = Configured(noop, {}).make({}, {});
  constexpr std::int64_t calls = 1000;
  constexpr std::int64_t block = 200'000;
  std::vector<std::int64_t> start(calls);
  std::vector<std::int64_t> end(calls);
  std::vector<std::int64_t> call_ns;
  std::vector<std::int64_t> block_ns;
  const Batch called{start.data(), end.data(), nullptr, calls, {}};
  const Batch blocked{start.data(), end.data(), nullptr, block, {}};
  for (int i = 0; i < 21; ++i) {
    const std::int64_t before = Monotonic::now();
    noop.loops[0].call(operation.get(), called);
    call_ns.push_back(Monotonic::now() - before);
    noop.loops[0].block(operation.get(), blocked);
    block_ns.push_back(end[0] - start[0]);
  }
  return {.call_ns = median_of(call_ns) / static_cast<double>(calls) - 2 * clock.read_ns,
          .block_ns = median_of(block_ns) / static_cast<double>(block)};
}

}  // namespace groma
