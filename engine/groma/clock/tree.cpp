#include "groma/clock/tree.hpp"

namespace groma {
namespace {

/// In round k, rank r with r mod 2^k = 2^(k-1) fits to r - 2^(k-1); what lies beyond the power of two,
/// last.
TreePlace hca3_place(int rank, int ranks) {
  int power = 1;
  while (2 * power <= ranks) power *= 2;
  TreePlace place;
  if (rank >= power) return {.parent = rank - power, .clients = {}};
  for (int stride = power; stride > 1; stride /= 2) {
    if (rank % stride == 0) place.clients.push_back(rank + stride / 2);
    if (rank % stride == stride / 2) place.parent = rank - stride / 2;
  }
  if (rank < ranks - power) place.clients.push_back(rank + power);
  return place;
}

TreePlace star_place(int rank, int ranks) {
  if (rank > 0) return {.parent = 0, .clients = {}};
  TreePlace place;
  for (int client = 1; client < ranks; ++client) place.clients.push_back(client);
  return place;
}

}  // namespace

TreePlace place_of(ClockSync method, int rank, int ranks) {
  return method == ClockSync::hca3 ? hca3_place(rank, ranks) : star_place(rank, ranks);
}

}  // namespace groma
