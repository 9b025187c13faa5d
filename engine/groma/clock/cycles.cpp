#include "groma/clock/cycles.hpp"

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace groma {
namespace {

constexpr int passes = 24;  // half of them in each order, so that drift cancels
constexpr int offset_pings = 10;
constexpr int offsets_tag = 13;

/// Offsets of one leader's clock, one a pass.
using Offsets = std::array<double, passes>;

struct Triangle {
  int child = 0;
  int parent = 0;
  int third = 0;        ///< the next child of that parent; of an only child the grandparent
  int teller = 0;       ///< knows the offset between parent and third
  bool turned = false;  ///< it knows that of the parent from the third
};

/// The same list on every leader: a leader in several triangles measures them in this order.
std::vector<Triangle> triangles_of(ClockSync method, int ranks) {
  std::vector<TreePlace> places;
  for (int rank = 0; rank < ranks; ++rank) places.push_back(place_of(method, rank, ranks));
  std::vector<Triangle> triangles;
  for (int child = 1; child < ranks; ++child) {
    const int parent = places[static_cast<std::size_t>(child)].parent;
    const TreePlace& above = places[static_cast<std::size_t>(parent)];
    if (above.clients.size() > 1) {
      const auto next = std::next(std::find(above.clients.begin(), above.clients.end(), child));
      const int third = next == above.clients.end() ? above.clients.front() : *next;
      triangles.push_back({.child = child, .parent = parent, .third = third, .teller = third, .turned = true});
    } else if (above.parent >= 0) {
      triangles.push_back({.child = child, .parent = parent, .third = above.parent, .teller = parent});
    }
  }
  return triangles;
}

/// The offset of `server`'s clock by pings from `client`; only the client gets it.
void measure_side(const Comm& leaders, int client, int server, const LocalNow& now, double& offset_ns) {
  if (leaders.rank() == client) offset_ns = ping(leaders, server, offset_pings, now).middle_ns();
  if (leaders.rank() == server) answer_pings(leaders, client, offset_pings, now);
}

/// The cycle of this leader as the child, from the offsets along its sides.
Cycle closed(const Triangle& own, const Offsets& to_parent, const Offsets& to_third, const Offsets& across) {
  std::array<double, passes / 2> closures{};
  for (std::size_t pass = 0; pass < passes; ++pass) {
    const double onwards = own.turned ? -across[pass] : across[pass];
    closures[pass / 2] += (to_parent[pass] + onwards - to_third[pass]) / 2;
  }
  std::sort(closures.begin(), closures.end());
  // At most one of the twelve on the other side of zero: by chance in 26 of 4096 cases.
  const double low = closures[1];
  const double high = closures[closures.size() - 2];
  return {.ranks = {own.child, own.parent, own.third},
          .closure_ns = (closures[closures.size() / 2 - 1] + closures[closures.size() / 2]) / 2,
          .least_ns = std::max({0.0, low, -high})};
}

}  // namespace

Cycle widest_cycle(ClockSync method, const Comm& leaders, const LocalNow& now) {
  const std::vector<Triangle> triangles = triangles_of(method, leaders.size());
  const int me = leaders.rank();
  Offsets to_parent{};
  Offsets to_third{};
  for (std::size_t pass = 0; pass < passes; pass += 2) {
    for (const Triangle& one : triangles) {
      measure_side(leaders, one.child, one.parent, now, to_parent[pass]);
      measure_side(leaders, one.child, one.third, now, to_third[pass]);
    }
    for (auto one = triangles.rbegin(); one != triangles.rend(); ++one) {
      measure_side(leaders, one->child, one->third, now, to_third[pass + 1]);
      measure_side(leaders, one->child, one->parent, now, to_parent[pass + 1]);
    }
  }
  Cycle widest;
  struct {
    double least_ns;
    int rank;
  } best{-1, me};
  for (const Triangle& one : triangles) {
    if (me == one.teller) MPI_Send(to_parent.data(), passes, MPI_DOUBLE, one.child, offsets_tag, leaders.get());
    if (me != one.child) continue;
    Offsets across{};
    MPI_Recv(across.data(), passes, MPI_DOUBLE, one.teller, offsets_tag, leaders.get(), MPI_STATUS_IGNORE);
    widest = closed(one, to_parent, to_third, across);
    best.least_ns = widest.least_ns;
  }
  MPI_Allreduce(MPI_IN_PLACE, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, leaders.get());
  MPI_Bcast(&widest, sizeof widest, MPI_BYTE, best.rank, leaders.get());
  return widest;
}

}  // namespace groma
