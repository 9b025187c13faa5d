#include "groma/measure/missed_starts.hpp"

#include <cstdio>

#include "groma/stopping/interval.hpp"

namespace groma {
namespace {

std::string time_text(std::int64_t ns) {
  char text[32];
  const bool long_one = ns >= 1'000'000;
  std::snprintf(text, sizeof text, "%.3g %s", static_cast<double>(ns) / (long_one ? 1e6 : 1e3), long_one ? "ms" : "us");
  return text;
}

}  // namespace

void MissedStarts::count(const Reduced& batch) {
  missed_ns_.insert(missed_ns_.end(), batch.late.begin(), batch.late.end());
  tried_ += batch.invalid + static_cast<std::int64_t>(batch.samples.size());
}

void MissedStarts::begin_anew() {
  missed_ns_.clear();
  tried_ = 0;
}

bool MissedStarts::one_more_chance() {
  if (tried_again_) return false;
  tried_again_ = true;
  begin_anew();
  return true;
}

void MissedStarts::give_up(method::Sync sync, const Pacer& pacer) {
  tried_again_ = false;
  replaced_.push_back({.asked = sync, .because = text(sync, pacer)});
  begin_anew();
}

std::string MissedStarts::text(method::Sync sync, const Pacer& pacer) const {
  const std::string under = " under sync=" + name_of(sync);
  const std::string ahead = time_text(pacer.lead_ns()) + " ahead";
  if (missed_ns_.empty()) return under.substr(1) + " starts would have to be announced " + ahead;
  const std::string text = std::to_string(missed_ns_.size()) + " of " + std::to_string(tried_) +
                           " repetitions missed their starts" + under + ", by " +
                           time_text(static_cast<std::int64_t>(median_of(missed_ns_))) + " in the median";
  return text + (pacer.window_ns() > 0 ? ", with windows of " + time_text(pacer.window_ns())
                                       : ", with starts announced " + ahead);
}

schema::Named<schema::Replacement> MissedStarts::replaced() const {
  if (replaced_.empty()) return {};
  std::string because;
  for (const Replaced& one : replaced_) because += (because.empty() ? "" : "; ") + one.because;
  return {{"sync", {.asked = name_of(replaced_.front().asked), .because = because}}};
}

}  // namespace groma
