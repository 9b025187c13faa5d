#include "groma/measure/samples.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "groma/stopping/interval.hpp"

namespace groma {
namespace {

void append(std::vector<std::int64_t>& values, const std::vector<std::int64_t>& more) {
  values.insert(values.end(), more.begin(), more.end());
}

void drop_front(std::vector<std::int64_t>& values, std::size_t count) {
  values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(std::min(count, values.size())));
}

}  // namespace

void Samples::keep(const Reduced& batch) {
  kept_.invalid += batch.invalid;
  kept_.excess_ns = std::max(kept_.excess_ns, batch.excess_ns);
  append(kept_.ns, batch.samples);
  if (wanted_.every_rank) append(kept_.own, batch.own);
  append(kept_.phases, batch.phases);
  append(kept_.arrival_skew, batch.arrival_skew);
  if (wanted_.completion) append(kept_.own_completion, batch.own_completion);
}

void Samples::leave_out_start(std::size_t count) {
  discarded_.assign(kept_.ns.begin(), kept_.ns.begin() + static_cast<std::ptrdiff_t>(count));
  drop_front(kept_.ns, count);
  drop_front(kept_.own, count);
  drop_front(kept_.phases, count * wanted_.phases.size());
  drop_front(kept_.arrival_skew, count);
  drop_front(kept_.own_completion, count);
}

void Samples::forget() {
  kept_ = {};
  discarded_.clear();
}

void Samples::complete() {
  if (wanted_.completion) summarise_completion();
  if (wanted_.every_rank && !ranks_apart()) gather_ranks();
}

/// How the ranks were done: the medians over samples of the quantiles over ranks. These need several times the memory
/// of the samples they are of, and are therefore made of some at a time.
void Samples::summarise_completion() {
  constexpr std::size_t most = 4096;
  const auto& own = kept_.own_completion;
  if (own.empty()) return;
  std::array<std::vector<std::int64_t>, 5> numbers;
  for (std::size_t from = 0; from < own.size(); from += most) {
    const auto begin = own.begin() + static_cast<std::ptrdiff_t>(from);
    const auto end = begin + static_cast<std::ptrdiff_t>(std::min(most, own.size() - from));
    for (const FiveNumbers& one : over_ranks(control_, {begin, end})) {
      for (std::size_t k = 0; k < one.size(); ++k) numbers[k].push_back(one[k]);
    }
  }
  for (std::size_t k = 0; k < completion_.size(); ++k) completion_[k] = std::llround(median_of(numbers[k]));
}

bool Samples::ranks_apart() const {
  return wanted_.every_rank && kept_.own.size() * static_cast<std::size_t>(control_.size()) > wanted_.most_listed;
}

/// The one thing whose size grows with the ranks, and therefore made only if it was asked for.
void Samples::gather_ranks() {
  const auto n = static_cast<int>(kept_.own.size());
  if (control_.rank() == 0) all_ranks_.resize(kept_.own.size() * static_cast<std::size_t>(control_.size()));
  MPI_Gather(kept_.own.data(), n, MPI_INT64_T, all_ranks_.data(), n, MPI_INT64_T, 0, control_.get());
}

std::optional<schema::Skew> Samples::skew(bool collective) const {
  if (kept_.arrival_skew.empty()) return std::nullopt;
  return schema::Skew{.arrival = five_numbers(kept_.arrival_skew),
                      .completion = collective ? std::optional(completion_) : std::nullopt,
                      .invariant_excess = kept_.excess_ns};
}

std::optional<std::vector<std::vector<std::int64_t>>> Samples::of_ranks() const {
  if (!wanted_.every_rank || ranks_apart()) return std::nullopt;
  std::vector<std::vector<std::int64_t>> out;
  const auto n = static_cast<std::ptrdiff_t>(kept_.ns.size());
  for (std::ptrdiff_t rank = 0; rank < control_.size(); ++rank) {
    const auto begin = all_ranks_.begin() + rank * n;
    out.emplace_back(begin, begin + n);
  }
  return out;
}

std::optional<schema::RanksAt> Samples::ranks_at() const {
  if (!ranks_apart()) return std::nullopt;
  return schema::RanksAt{.ranks = control_.size(), .samples = static_cast<std::int64_t>(kept_.own.size())};
}

std::optional<schema::Named<std::vector<std::int64_t>>> Samples::phases() const {
  if (wanted_.phases.empty()) return std::nullopt;
  const std::size_t width = wanted_.phases.size();
  schema::Named<std::vector<std::int64_t>> out;
  for (std::size_t phase = 0; phase < width; ++phase) {
    std::vector<std::int64_t> values;
    for (std::size_t at = phase; at < kept_.phases.size(); at += width) values.push_back(kept_.phases[at]);
    out.emplace_back(wanted_.phases[phase], values);
  }
  return out;
}

}  // namespace groma
