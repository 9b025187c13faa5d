#include "groma/timed/stamps.hpp"

namespace groma {

RankTimes Stamps::times(std::int64_t count) const {
  const auto n = static_cast<std::size_t>(count);
  RankTimes times;
  times.enter.resize(n);
  times.leave.resize(n);
  times.late.assign(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    times.enter[i] = clock_.to_ns(start_[i]);
    times.leave[i] = clock_.to_ns(end_[i]);
    if (global_ == nullptr) continue;
    times.enter[i] = global_->to_global(times.enter[i]);
    times.leave[i] = global_->to_global(times.leave[i]);
  }
  return times;
}

}  // namespace groma
