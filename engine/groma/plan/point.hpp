// A point: one fully resolved combination of operation, parties, payload and method. A plan: the points of one launch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "groma/parameter.hpp"

namespace groma {

/// The defaults here are those of the field table in fields.cpp, from which a Point is always made.
struct Point {
  std::string operation;
  std::string pattern;
  std::string communicator;
  std::int64_t ranks = 0;
  std::int64_t ranks_per_node = 0;
  std::int64_t bytes = 0;
  std::string bytes_of;
  std::string datatype;
  std::string layout;
  std::string reduction;
  std::string buffers;
  std::int64_t alignment = 0;
  std::int64_t receive_offset = 0;
  Settings parameters;  ///< those of operations that were set; the others have their defaults
  std::string clock;
  std::string timing;
  std::string sync;
  std::string arrival;
  double arrival_delay_us = 0;
  double added_ns = 0;
  std::int64_t twin = 0;
  std::string reduce;
  std::string cache;
  std::int64_t cache_pool = 0;
  std::string root;
  std::int64_t root_rank = 0;
  std::string stop;
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
};

/// What every process must know of a plan before MPI starts.
struct Beforehand {
  std::string thread_level;
  std::string cpus;
};

struct Plan {
  std::string order;
  std::int64_t seed = 0;
  std::string clock_sync;
  std::string clock_sharing;
  double max_clock_error_us = 0;
  std::string thread_level;
  std::string cpus;
  std::vector<Point> points;
};

}  // namespace groma
