// A point: one fully resolved combination of operation, parties, payload and method. A plan: the points of one launch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "groma/parameter.hpp"
#include "groma/plan/choices.hpp"

namespace groma {

/// The defaults here are those of the field table in fields.cpp, from which a Point is always made.
struct Point {
  std::string operation;
  std::string pattern;
  std::string communicator;
  std::int64_t ranks = 0;
  std::int64_t ranks_per_node = 0;
  std::int64_t bytes = 0;
  payload::BytesOf bytes_of{};
  payload::Datatype datatype{};
  payload::Layout layout{};
  payload::Reduction reduction{};
  payload::Buffers buffers{};
  payload::Allocation allocation{};
  payload::MemoryKind memory{};
  payload::SideMemory send_memory{};
  payload::SideMemory receive_memory{};
  std::int64_t alignment = 0;
  std::int64_t receive_offset = 0;
  Settings parameters;  ///< those of operations that were set; the others have their defaults
  method::Clock clock{};
  method::Timing timing{};
  method::Sync sync{};
  method::Arrival arrival{};
  double arrival_delay_us = 0;
  double added_ns = 0;
  std::int64_t twin = 0;
  method::Load load{};
  method::LoadRanks load_ranks{};
  double load_share = 0;
  std::int64_t load_bytes = 0;
  method::Reduce reduce{};
  method::Cache cache{};
  std::int64_t cache_pool = 0;
  method::Touch touch{};
  method::Root root{};
  std::int64_t root_rank = 0;
  method::Stop stop{};
  std::int64_t repetitions = 0;
  std::int64_t min_repetitions = 0;
  std::int64_t max_repetitions = 0;
  double precision = 0;
  double rse_limit = 0;
  double slot_s = 0;
  double settle_s = 0;
  double span_s = 0;
  std::int64_t warmups = 0;
  std::int64_t block = 0;
  bool per_rank = false;
  double block_s = 0;
  bool check = false;
  bool optional = false;
  bool force = false;
  double limit_s = 0;
  std::uint64_t drawn_from = 1;  ///< no field: seed of the plan, which draws the ranks that load
};

/// Who touches messages, and whether that lies between the stamps: in a block, one repetition follows another.
constexpr bool writes(const Point& point) {
  return point.touch == method::Touch::write || point.touch == method::Touch::both;
}
constexpr bool reads(const Point& point) {
  return point.touch == method::Touch::read || point.touch == method::Touch::both;
}
constexpr bool touches_inside(const Point& point) {
  return point.touch != method::Touch::none && point.timing == method::Timing::block;
}

/// Of which kind the memory of its arrays is.
constexpr payload::MemoryKind send_kind(const Point& point) { return kind_of(point.send_memory, point.memory); }
constexpr payload::MemoryKind receive_kind(const Point& point) { return kind_of(point.receive_memory, point.memory); }
/// True if the host can read and write both arrays.
constexpr bool for_host(const Point& point) { return for_host(send_kind(point)) && for_host(receive_kind(point)); }

/// What every process must know of a plan before MPI starts.
struct Beforehand {
  std::string thread_level;
  std::string cpus;
  bool first_messages = false;  ///< exchanged as soon as MPI has started
};

struct Plan {
  method::Order order{};
  std::int64_t seed = 0;
  method::ClockSync clock_sync{};
  method::ClockSharing clock_sharing{};
  double max_clock_error_us = 0;
  std::string thread_level;
  std::string cpus;
  std::string device;
  std::vector<Point> points;
};

}  // namespace groma
