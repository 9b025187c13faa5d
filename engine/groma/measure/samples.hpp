// What is kept of the batches of a point: the samples, and what belongs to each of them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "groma/mpi/handles.hpp"
#include "groma/schema/point.hpp"
#include "groma/timed/ranktimes.hpp"

namespace groma {

/// Of what is listed without a limit.
inline constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

class Samples {
 public:
  struct Wanted {
    std::span<const std::string_view> phases;  ///< names of the parts that the operation times
    bool every_rank = false;                   ///< the times of every rank too
    bool completion = false;                   ///< how the ranks leave, of operations on a global clock
    std::size_t most_listed = unlimited;       ///< times of all ranks that a record lists at most
  };
  /// `control` must outlive the samples.
  Samples(const Comm& control, Wanted wanted) : control_(control), wanted_(wanted) {}

  void keep(const Reduced& batch);
  /// Takes the first `count` out of everything that is recorded of each sample, and keeps them apart.
  void leave_out_start(std::size_t count);
  /// Forgets all: samples of two methods are not of one point.
  void forget();
  /// What is made once, of the samples of all ranks, when no more come. Collective.
  void complete();

  [[nodiscard]] const std::vector<std::int64_t>& ns() const { return kept_.ns; }
  [[nodiscard]] const std::vector<std::int64_t>& discarded_ns() const { return discarded_; }
  [[nodiscard]] std::int64_t invalid() const { return kept_.invalid; }
  /// True if the times of all ranks are too many for a record. Each member has its own then: `own_ns`.
  [[nodiscard]] bool ranks_apart() const;
  [[nodiscard]] const std::vector<std::int64_t>& own_ns() const { return kept_.own; }

  /// As the record has them; nothing if they were not wanted or are not known.
  [[nodiscard]] std::optional<std::vector<std::vector<std::int64_t>>> of_ranks() const;
  [[nodiscard]] std::optional<schema::RanksAt> ranks_at() const;
  [[nodiscard]] std::optional<schema::Skew> skew(bool collective) const;
  [[nodiscard]] std::optional<schema::Named<std::vector<std::int64_t>>> phases() const;

 private:
  struct Kept {
    std::vector<std::int64_t> ns;
    std::vector<std::int64_t> own;  ///< this rank's times, where every rank's are wanted
    std::vector<std::int64_t> phases;
    std::vector<std::int64_t> arrival_skew;
    std::vector<std::int64_t> own_completion;  ///< this rank's exit - first entry, where `completion` is wanted
    std::int64_t invalid = 0;
    std::int64_t excess_ns = 0;
  };
  void summarise_completion();
  void gather_ranks();

  const Comm& control_;
  Wanted wanted_;
  Kept kept_;
  std::vector<std::int64_t> discarded_;  ///< before the steady part
  std::vector<std::int64_t> all_ranks_;  ///< every member's times, one after another, on the first member
  FiveNumbers completion_{};
};

}  // namespace groma
