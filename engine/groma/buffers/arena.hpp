// The memory of all points of a launch: one send and one receive region, as large as the largest point needs, allocated
// and touched by the rank that uses it before the first stamp. Points with allocation=mpi have regions of their own,
// and those in other memory than the host's have regions of that memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "groma/info.hpp"
#include "groma/plan/point.hpp"

namespace groma {

/// The numbers of a point for a number of members.
Shape shape_of(const Point& point, std::int64_t members);

/// The same numbers with the length of a message in memory, gaps of its layout included.
Shape extents_of(const Point& point, std::int64_t members);

/// What one rank needs for a point; where ranks differ, what the one that needs most does.
struct Needs {
  std::int64_t send_bytes = 0;
  std::int64_t receive_bytes = 0;
  std::int64_t sweep_bytes = 0;  ///< walked through to empty the caches; shared by all points
  std::int64_t slack_bytes = 0;  ///< in each of the two arrays, for their alignment and offset
  [[nodiscard]] std::int64_t total() const { return send_bytes + receive_bytes + sweep_bytes; }
  [[nodiscard]] std::int64_t with_slack() const { return total() + 2 * slack_bytes; }
  /// What serves for both.
  [[nodiscard]] Needs or_more(const Needs& other) const;
};
/// `memory` is that of the operation for extents_of(point).
Needs needs_of(const Info& info, const Point& point, const Memory& memory);

struct Release {
  std::size_t bytes = 0;
  payload::Allocation allocation{};
  void operator()(std::byte* start) const;
};

class Arena {
 public:
  Arena() = default;
  /// Room for these needs; every page is written with varying bytes, and on the kernel's list of pages in use.
  explicit Arena(const Needs& needs);
  /// The regions of one point, of MPI_Alloc_mem, their pages as new as in a program that takes arrays for each length;
  /// what is swept stays that of the launch, which must outlive it.
  static Arena of_mpi(const Needs& needs, const Arena& launch);

  /// A region for each side, of other memory than the host's, or empty where the side is the host's: then the launch's.
  /// What both are of must outlive it.
  static Arena of_regions(std::span<std::byte> send, std::span<std::byte> receive, const Arena& launch);

  [[nodiscard]] std::span<std::byte> send() const { return send_.bytes; }
  [[nodiscard]] std::span<std::byte> receive() const { return receive_.bytes; }
  /// Whether an array lies at the start of its region, or as the point's fields say.
  [[nodiscard]] bool sends_from_start() const { return send_.at_start; }
  [[nodiscard]] bool receives_at_start() const { return receive_.at_start; }
  [[nodiscard]] std::span<std::byte> sweep() const { return sweep_; }

 private:
  using Region = std::unique_ptr<std::byte, Release>;
  struct Place {
    std::span<std::byte> bytes;
    bool at_start = false;
  };
  static std::span<std::byte> bytes_of(const Region& region);
  static Region touched(std::size_t bytes, payload::Allocation allocation);

  Region sent_;
  Region received_;
  Region swept_;
  Place send_;
  Place receive_;
  std::span<std::byte> sweep_;
};

}  // namespace groma
