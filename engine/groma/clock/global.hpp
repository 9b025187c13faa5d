// One clock for all ranks: offsets and drifts measured by pings, put together from node leaders to everybody.
//
// Ranks of one host read the same counter, so a node's leader speaks for its node (METHODS 2). Between leaders:
// `hca3`: a tree, top down, O(log p) rounds; each child fits a line to its parent's clock, which is already global.
// `jk`: every leader fits a line to rank 0's clock, in turn.  `offset_only`: as jk with a single offset, no drift.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "groma/clock/line.hpp"
#include "groma/mpi/handles.hpp"

namespace groma {

/// Nanoseconds of this rank's own clock.
using LocalNow = std::function<std::int64_t()>;

enum class ClockSync { hca3, jk, offset_only };
ClockSync clock_sync_named(std::string_view name);

struct ClockEffort {
  int pings = 10;        ///< round trips behind one envelope
  int fit_points = 100;  ///< envelopes behind one line
  double span_s = 0.5;   ///< time over which they are spread: it matters more than their number
};

class GlobalClock {
 public:
  GlobalClock() = default;

  /// Global time of rank 0's clock on every rank of `ranks`. `leaders` holds one rank of each host (null elsewhere) and
  /// `node` the ranks that share a clock with this one. Collective.
  static GlobalClock synchronise(ClockSync method, const LocalNow& now, const Comm& leaders, const Comm& node,
                                 const ClockEffort& effort);

  [[nodiscard]] const ClockLine& line() const { return line_; }
  [[nodiscard]] std::int64_t to_global(std::int64_t local_ns) const { return line_.to_global(local_ns); }

  /// How far this rank's global time may be from rank 0's at local time `at_ns`, the bounds of its ancestors included.
  [[nodiscard]] double bound_ns(std::int64_t at_ns) const;

  /// Measures what is left, by pings along the same tree: this rank's global clock less rank 0's, the middles of the
  /// envelopes on the way there added up; 0 on ranks that follow a leader. What the pings prove tightens the bound.
  /// Collective over the ranks of the synchronisation; O(log p) rounds with hca3.
  double remeasure(const LocalNow& now, const Comm& leaders, const Comm& node, int pings);

  /// Messages that this rank sent while synchronising.
  [[nodiscard]] std::int64_t messages_sent() const { return messages_sent_; }

  /// What a server tells its client of itself: its bound, now and how it grows, and its own error as measured.
  struct Standing {
    double bound_ns = 0;
    double growth = 0;
    double residual_ns = 0;
  };

 private:
  [[nodiscard]] Standing standing(std::int64_t at_ns, double residual_ns) const;
  void inherit(const Standing& parent, std::int64_t at_ns);
  void learn(const Envelope& seen);
  void share(const Comm& node);

  ClockSync method_ = ClockSync::hca3;
  ClockLine line_;
  std::vector<Envelope> envelopes_;  ///< own pings behind line and bound; empty on rank 0 and below leaders
  double inherited_bound_ns_ = 0;    ///< of the clock that this one was fitted to
  double inherited_growth_ = 0;      ///< by how much that bound grows, per ns
  std::int64_t inherited_at_ns_ = 0;
  std::int64_t messages_sent_ = 0;
};

/// One envelope of the offset of `server`'s clock (its `now`, global or not) against this rank's, by `pings` round
/// trips. The server must answer with `answer_pings` of the same number.
Envelope ping(const Comm& comm, int server, int pings, const LocalNow& now);
void answer_pings(const Comm& comm, int client, int pings, const LocalNow& now);

/// Whether nothing speaks against all ranks of `node` reading one counter: no ping shows an offset. The same on every
/// rank. Collective.
bool shares_counter(const LocalNow& now, const Comm& node);

}  // namespace groma
