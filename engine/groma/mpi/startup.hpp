// What happened when this process started MPI, with the first messages after that, and when it ended MPI: it can be
// timed once.
#pragma once

#include <cstdint>
#include <vector>

namespace groma {

/// Of this rank. Times in ns; memory as the system counts it: resident pages of this process, 0 if it does not say.
struct StartUp {
  std::int64_t init_ns = 0;  ///< MPI_Init_thread
  /// For each peer that had a turn, the exchange of 8 B with it and the next one. Of both partners the shorter time
  /// counts: that of the rank who came last, who waits for none. 0 where a rank had no partner.
  std::vector<std::int64_t> first_ns;
  std::vector<std::int64_t> second_ns;
  std::int64_t memory_before_bytes = 0;
  std::int64_t memory_after_bytes = 0;           ///< after MPI_Init_thread
  std::int64_t memory_after_messages_bytes = 0;  ///< 0 if none were exchanged
};

/// What was seen; empty before MPI started.
const StartUp& startup();

/// Starts MPI, and notes what that takes.
void start_mpi(int& argc, char**& argv, int thread_level);

/// Ends MPI, and returns what that takes in ns, once all ranks have come to it.
std::int64_t end_mpi();

/// Exchanges two messages with every rank in turn, or with `most_peers` spread over all. Collective over the world.
void exchange_first_messages();

inline constexpr int most_peers = 64;

/// The partner of a rank in one of the rounds in which every pair of `ranks` meets once: ranks - 1 rounds, or as many
/// as ranks if they are odd, when one rank has no partner in each (-1).
constexpr int partner_in_round(int rank, int ranks, int round) {
  const int all = ranks + ranks % 2;
  const int turning = all - 1;
  int partner = (2 * round - rank + 2 * turning) % turning;
  if (rank == turning) partner = round % turning;
  if (rank < turning && partner == rank) partner = turning;
  return partner < ranks ? partner : -1;
}

}  // namespace groma
