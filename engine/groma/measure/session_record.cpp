// What a session says of itself when it is over: the record of its point.
#include <nlohmann/json.hpp>

#include "groma/clock/calendar.hpp"
#include "groma/measure/interval.hpp"
#include "groma/measure/session.hpp"
#include "groma/record/point_json.hpp"

namespace groma {

nlohmann::ordered_json Session::skew_json() const {
  if (arrival_skew_.empty()) return nullptr;
  nlohmann::ordered_json out{
      {"arrival", five_numbers(arrival_skew_)}, {"completion", nullptr}, {"invariant_excess", excess_ns_}};
  if (entry_.info.family == Family::collective) out["completion"] = completion_;
  return out;
}

nlohmann::ordered_json Session::replaced_json() const {
  auto out = nlohmann::ordered_json::object();
  if (replaced_.empty()) return out;
  std::string because;
  for (const Replaced& one : replaced_) because += (because.empty() ? "" : "; ") + one.because;
  out["sync"] = {{"asked", name_of(replaced_.front().asked)}, {"because", because}};
  return out;
}

nlohmann::ordered_json Session::ranks_json() const {
  if (!point_.per_rank) return nullptr;
  auto out = nlohmann::ordered_json::array();
  const auto n = static_cast<std::ptrdiff_t>(samples_.size());
  for (std::ptrdiff_t rank = 0; rank < seats_; ++rank) {
    const auto begin = all_ranks_.begin() + rank * n;
    out.push_back(std::vector<std::int64_t>(begin, begin + n));
  }
  return out;
}

nlohmann::ordered_json Session::phases_json() const {
  if (entry_.phases.empty()) return nullptr;
  const std::size_t width = entry_.phases.size();
  nlohmann::ordered_json out;
  for (std::size_t phase = 0; phase < width; ++phase) {
    std::vector<std::int64_t> values;
    for (std::size_t at = phase; at < phases_.size(); at += width) values.push_back(phases_[at]);
    out[std::string(entry_.phases[phase])] = values;
  }
  return out;
}

nlohmann::ordered_json Session::record() const {
  const Shape shape = shape_of(point_, site_.ranks);
  const auto interval = median_interval(samples_);
  const auto optional = [](bool there, const auto& value) {
    return there ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
  };
  constexpr std::size_t most_listed = 64;
  const std::size_t listed = std::min(most_listed, party_.members.size());
  nlohmann::ordered_json record{{"schema", 1},
                                {"kind", "point"},
                                {"index", index_},
                                {"sequence", 0},
                                {"point", point_json(asked_, workshop_.entries)}};
  record["members"] =
      std::vector<int>(party_.members.begin(), party_.members.begin() + static_cast<std::ptrdiff_t>(listed));
  record["member_count"] = party_.members.size();
  record["groups"] = party_.groups;
  record["group_ranks"] = site_.ranks;
  record["message_bytes"] = point_.bytes;
  record["hosts"] = party_.hosts;
  record["first_call_ns"] = first_call_ns_;
  record["warmup_ns"] = warmup_;
  record["samples_ns"] = samples_;
  record["ranks_ns"] = ranks_json();
  record["invalid"] = invalid_;
  record["repetitions_per_sample"] = block_;
  record["divisor"] = entry_.info.divisor;
  record["bytes_moved"] = configured_.bytes_moved(shape);
  record["messages"] = configured_.messages(shape);
  const bool rated = entry_.info.bus != Bus::undefined;
  record["algorithm_bytes"] = optional(rated, algorithm_bytes(entry_.info, shape));
  record["bus_factor"] = optional(rated, bus_factor(entry_.info.bus, shape.ranks));
  record["median_ns"] = median_of(samples_) / static_cast<double>(block_) / entry_.info.divisor;
  record["half_width"] = optional(interval.has_value(), interval ? interval->half_width() : 0);
  record["stopped_by"] = stopped_by(stopped_);
  add_steadiness(record);
  record["validated"] = entry_.info.result != Result::none;
  record["checked_elements"] = checked_;
  record["window_ns"] = optional(pacer_.window_ns() > 0, pacer_.window_ns());
  record["lead_ns"] = optional(pacer_.lead_ns() > 0 && pacer_.window_ns() == 0, pacer_.lead_ns());
  record["replaced"] = replaced_json();
  record["skew_ns"] = skew_json();
  record["phases_ns"] = phases_json();
  const std::vector<int> grid = configured_.grid(shape);
  record["grid"] = optional(!grid.empty(), grid);
  record["elapsed_ns"] = closed_ns_ - opened_ns_;
  record["finished_unix_ns"] = unix_now_ns();
  return record;
}

}  // namespace groma
