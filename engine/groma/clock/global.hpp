// One clock for all ranks: offsets and drifts measured by pings, combined from the node leaders to all ranks.
//
// Ranks of one host read the same counter, so a node's leader pings for its whole node. Leaders form a tree, in
// which each pings its parent, all of them in the same span of time, and fits a line from its own clock to its
// parent's. Lines are then combined from rank 0 downwards (docs/adr/0011-clock-learns.md).
// `hca3`: a binomial tree, O(log p) messages a rank.  `jk`: every leader is a child of rank 0.
// `offset_only`: as jk with a single offset, no drift.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "groma/clock/line.hpp"
#include "groma/clock/tree.hpp"
#include "groma/mpi/handles.hpp"

namespace groma {

/// Nanoseconds of this rank's own clock.
using LocalNow = std::function<std::int64_t()>;

struct ClockEffort {
  int pings = 50;        ///< round trips of one envelope: the first after a pause are slow, with varying delay
  int fit_points = 100;  ///< envelopes behind one line
  double span_s = 1;     ///< time over which they are spread: it matters more than their number
  bool awake = false;    ///< between points leaders spin: a CPU that slept answers late, with varying delay
};

class GlobalClock {
 public:
  GlobalClock() = default;

  /// Global time of rank 0's clock on every rank of `ranks`. `leaders` holds one rank of each host (null elsewhere) and
  /// `node` the ranks that share a clock with this one. Collective.
  static GlobalClock synchronise(ClockSync method, const LocalNow& now, const Comm& leaders, const Comm& node,
                                 const ClockEffort& effort);

  /// To rank 0's clock.
  [[nodiscard]] const ClockLine& line() const { return line_; }
  [[nodiscard]] std::int64_t to_global(std::int64_t local_ns) const { return line_.to_global(local_ns); }

  /// How far this rank's global time may be from rank 0's at local time `at_ns`, the bounds of its ancestors included.
  [[nodiscard]] double bound_ns(std::int64_t at_ns) const;

  /// What to do with pings besides measuring the error of a clock. Both ways tighten its bound.
  enum class Purpose {
    check,  ///< the clock stays as it is
    learn   ///< lines are fitted again, with these pings too, where as much is known as after a synchronisation
  };

  /// Measures the remaining error, by pings along the same tree: this rank's global clock less rank 0's, as the sum of
  /// the middles of the envelopes along the way; 0 on ranks that follow a leader. Where lines are fitted again, it is
  /// the error of the new ones. Collective over the ranks of the synchronisation; O(log p) rounds with hca3.
  double remeasure(const LocalNow& now, const Comm& leaders, const Comm& node, int pings, Purpose purpose);

  /// Messages that this rank sent while synchronising.
  [[nodiscard]] std::int64_t messages_sent() const { return messages_sent_; }

 private:
  /// What a parent tells its children of its own clock, and a leader those who share its counter.
  struct Standing {
    ClockLine line;          ///< to rank 0's clock
    std::int64_t at_ns = 0;  ///< global time of what follows
    double bound_ns = 0;     ///< then
    double growth = 0;       ///< by how much that grows, per ns
    double residual_ns = 0;  ///< as measured
  };
  class Neighbours;

  [[nodiscard]] Standing standing(std::int64_t at_ns, double residual_ns) const;
  void inherit(const Standing& parent);
  void keep(const Envelope& seen);
  [[nodiscard]] bool knows_enough() const;
  void share(const Comm& node);

  ClockSync method_ = ClockSync::hca3;
  ClockLine own_;                    ///< to the parent's own clock; nothing on rank 0
  ClockLine line_;                   ///< to rank 0's clock: the parent's line after `own_`
  std::vector<Envelope> envelopes_;  ///< own pings behind `own_` and its bound; empty on rank 0 and below leaders
  double inherited_bound_ns_ = 0;    ///< of the clock that this one was fitted to
  double inherited_growth_ = 0;      ///< by how much that bound grows, per ns
  double inherited_slope_ = 0;       ///< of that clock's line
  std::int64_t inherited_at_ns_ = 0;
  std::int64_t fitted_over_ns_ = 0;  ///< time that the pings of the synchronisation took
  std::int64_t messages_sent_ = 0;
};

/// One envelope of the offset of `server`'s clock against this rank's, by `pings` round trips. The server must answer
/// with `answer_pings` of the same number.
Envelope ping(const Comm& comm, int server, int pings, const LocalNow& now);
void answer_pings(const Comm& comm, int client, int pings, const LocalNow& now);

/// True if all ranks of `node` may read one counter, because no ping shows an offset. The same on every
/// rank. Collective.
bool shares_counter(const LocalNow& now, const Comm& node);

}  // namespace groma
