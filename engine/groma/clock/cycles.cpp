#include "groma/clock/cycles.hpp"

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
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
  int turn = 0;         ///< triangles of a lower turn come first
};

/// The triangle over the child at `place` of a parent that stands `depth` levels below the first leader. Nothing for
/// an only child of the first leader.
///
/// The families of parents at even levels have no leader in common, nor have those at odd levels. The families of each
/// turn are therefore measured at the same time, and all triangles take as long as the few of the largest families.
std::optional<Triangle> triangle_over(const TreePlace& family, int parent, int depth, std::size_t place) {
  const std::vector<int>& children = family.clients;
  const int turn = depth % 2;
  if (children.size() > 1) {
    const int third = children[(place + 1) % children.size()];
    return Triangle{
        .child = children[place], .parent = parent, .third = third, .teller = third, .turned = true, .turn = turn};
  }
  if (family.parent < 0) return std::nullopt;
  return Triangle{
      .child = children[place], .parent = parent, .third = family.parent, .teller = parent, .turn = 2 + turn};
}

/// The triangles that leader `me` is a corner of, in the order in which it measures them. All leaders measure in one
/// order, that of turns and children, so that none waits for another in a circle.
std::vector<Triangle> triangles_of(ClockSync method, int me, int ranks) {
  const TreePlace mine = place_of(method, me, ranks);
  int depth = 0;
  for (int above = mine.parent; above >= 0; above = place_of(method, above, ranks).parent) ++depth;
  std::vector<Triangle> triangles;
  const auto add = [&](const TreePlace& family, int parent, int parent_depth, std::size_t place) {
    if (const auto found = triangle_over(family, parent, parent_depth, place)) triangles.push_back(*found);
  };
  for (std::size_t place = 0; place < mine.clients.size(); ++place) {
    add(mine, me, depth, place);
    const TreePlace below = place_of(method, mine.clients[place], ranks);
    if (below.clients.size() == 1) add(below, mine.clients[place], depth + 1, 0);
  }
  if (mine.parent >= 0) {
    const TreePlace family = place_of(method, mine.parent, ranks);
    const std::size_t siblings = family.clients.size();
    const auto place =
        static_cast<std::size_t>(std::find(family.clients.begin(), family.clients.end(), me) - family.clients.begin());
    add(family, mine.parent, depth - 1, place);
    if (siblings > 1) add(family, mine.parent, depth - 1, (place + siblings - 1) % siblings);
  }
  std::sort(triangles.begin(), triangles.end(), [](const Triangle& a, const Triangle& b) {
    return std::pair(a.turn, a.child) < std::pair(b.turn, b.child);
  });
  return triangles;
}

/// The offset of `server`'s clock by pings from `client`; only the client gets it.
void measure_side(const Comm& leaders, int me, int client, int server, const LocalNow& now, double& offset_ns) {
  if (me == client) offset_ns = ping(leaders, server, offset_pings, now).middle_ns();
  if (me == server) answer_pings(leaders, client, offset_pings, now);
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
  const int me = leaders.rank();
  const std::vector<Triangle> triangles = triangles_of(method, me, leaders.size());
  Offsets to_parent{};
  Offsets to_third{};
  for (std::size_t pass = 0; pass < passes; pass += 2) {
    for (const Triangle& one : triangles) {
      measure_side(leaders, me, one.child, one.parent, now, to_parent[pass]);
      measure_side(leaders, me, one.child, one.third, now, to_third[pass]);
    }
    for (auto one = triangles.rbegin(); one != triangles.rend(); ++one) {
      measure_side(leaders, me, one->child, one->third, now, to_third[pass + 1]);
      measure_side(leaders, me, one->child, one->parent, now, to_parent[pass + 1]);
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
