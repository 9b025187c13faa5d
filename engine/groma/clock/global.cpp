#include "groma/clock/global.hpp"

#include <mpi.h>
#include <time.h>

#include <algorithm>
#include <cmath>

#include "groma/clock/clocks.hpp"
#include "groma/mpi/asleep.hpp"

namespace groma {
namespace {

constexpr int ping_tag = 11;
constexpr int standing_tag = 12;
constexpr std::int64_t bound_step_ns = 3'600'000'000'000;  // a bound is convex: less than its mean growth over an hour
constexpr std::size_t most_envelopes = 256;                // kept behind a line and its bound

/// Spins, or sleeps by nanosleep: a simulated network sees neither a spin nor std::this_thread sleep.
void pause(double seconds, bool awake) {
  if (awake) {
    const std::int64_t end_ns = Monotonic::now() + std::llround(1e9 * seconds);
    while (Monotonic::now() < end_ns) {
    }
    return;
  }
  const auto whole = static_cast<time_t>(seconds);
  const timespec time{.tv_sec = whole, .tv_nsec = static_cast<long>(1e9 * (seconds - static_cast<double>(whole)))};
  nanosleep(&time, nullptr);
}

std::int64_t known_span_ns(const std::vector<Envelope>& envelopes) {
  return envelopes.empty() ? 0 : envelopes.back().at_ns() - envelopes.front().at_ns();
}

/// Every rank of `comm` pings rank 0, one after the other. This rank's own envelope; nothing on rank 0.
std::vector<Envelope> pings_in_turn(const Comm& comm, const LocalNow& now, int pings) {
  std::vector<Envelope> mine;
  for (int client = 1; client < comm.size(); ++client) {
    if (comm.rank() == 0) answer_pings(comm, client, pings, now);
    if (comm.rank() == client) mine.push_back(ping(comm, 0, pings, now));
  }
  return mine;
}

}  // namespace

Envelope ping(const Comm& comm, int server, int pings, const LocalNow& now) {
  std::vector<RoundTrip> trips(static_cast<std::size_t>(pings));
  for (RoundTrip& trip : trips) {
    trip.before_ns = now();
    MPI_Send(nullptr, 0, MPI_BYTE, server, ping_tag, comm.get());
    MPI_Recv(&trip.other_ns, 1, MPI_INT64_T, server, ping_tag, comm.get(), MPI_STATUS_IGNORE);
    trip.after_ns = now();
  }
  return envelope_of(trips);
}

void answer_pings(const Comm& comm, int client, int pings, const LocalNow& now) {
  for (int i = 0; i < pings; ++i) {
    MPI_Recv(nullptr, 0, MPI_BYTE, client, ping_tag, comm.get(), MPI_STATUS_IGNORE);
    const std::int64_t mine = now();
    MPI_Send(&mine, 1, MPI_INT64_T, client, ping_tag, comm.get());
  }
}

/// A leader's place in the tree, and what it exchanges with its parent and its children.
class GlobalClock::Neighbours {
 public:
  Neighbours(ClockSync method, const Comm& leaders)
      : leaders_(leaders), place_(place_of(method, leaders.rank(), leaders.size())) {}

  [[nodiscard]] bool has_parent() const { return place_.parent >= 0; }

  /// Envelopes of the parent's clock; meanwhile the children get theirs. Each child sets its own pace.
  std::vector<Envelope> exchange(const ClockEffort& effort, const LocalNow& now) {
    const double pause_s = effort.span_s / std::max(1, effort.fit_points - 1);
    std::vector<Envelope> envelopes;
    for (int point = 0; point < effort.fit_points; ++point) {
      if (has_parent()) {
        if (point > 0) pause(pause_s, effort.awake);
        envelopes.push_back(ping(leaders_, place_.parent, effort.pings, now));
      }
      for (const int client : place_.clients) answer_pings(leaders_, client, effort.pings, now);
    }
    const auto edges = static_cast<std::int64_t>(place_.clients.size()) + (has_parent() ? 1 : 0);
    sent_ += edges * effort.fit_points * effort.pings;
    return envelopes;
  }

  [[nodiscard]] Standing hear() const {
    Standing parent;
    MPI_Recv(&parent, sizeof parent, MPI_BYTE, place_.parent, standing_tag, leaders_.get(), MPI_STATUS_IGNORE);
    return parent;
  }

  void tell(const Standing& mine) {
    for (const int client : place_.clients) {
      MPI_Send(&mine, sizeof mine, MPI_BYTE, client, standing_tag, leaders_.get());
      ++sent_;
    }
  }

  [[nodiscard]] std::int64_t sent() const { return sent_; }

 private:
  const Comm& leaders_;
  TreePlace place_;
  std::int64_t sent_ = 0;
};

GlobalClock GlobalClock::synchronise(ClockSync method, const LocalNow& now, const Comm& leaders, const Comm& node,
                                     const ClockEffort& asked) {
  ClockEffort effort = asked;
  if (method == ClockSync::offset_only) effort = {.pings = asked.pings * 10, .fit_points = 1, .span_s = 0};
  GlobalClock clock;
  clock.method_ = method;
  if (!leaders.null()) {
    Neighbours neighbours(method, leaders);
    clock.envelopes_ = neighbours.exchange(effort, now);
    clock.own_ = fit_line(clock.envelopes_);
    clock.fitted_over_ns_ = known_span_ns(clock.envelopes_);
    if (neighbours.has_parent()) {
      const Standing parent = neighbours.hear();
      clock.line_ = composed(clock.own_, parent.line);
      clock.inherit(parent);
    }
    neighbours.tell(clock.standing(now(), 0));
    clock.messages_sent_ = neighbours.sent();
  }
  clock.share(node);
  return clock;
}

double GlobalClock::remeasure(const LocalNow& now, const Comm& leaders, const Comm& node, int pings, Purpose purpose) {
  double residual_ns = 0;
  if (!leaders.null()) {
    Neighbours neighbours(method_, leaders);
    const auto seen = neighbours.exchange({.pings = pings, .fit_points = 1, .span_s = 0}, now);
    if (neighbours.has_parent()) {
      keep(seen.front());
      if (purpose == Purpose::learn && knows_enough()) own_ = fit_line(envelopes_);
      const Standing parent = neighbours.hear();
      const double corrections =
          own_.correction_ns(seen.front().low_at_ns) + own_.correction_ns(seen.front().high_at_ns);
      line_ = composed(own_, parent.line);
      residual_ns = parent.residual_ns - seen.front().middle_ns() - corrections / 2;
      inherit(parent);
    }
    neighbours.tell(standing(now(), residual_ns));
  }
  share(node);
  return residual_ns;
}

/// The parent's bound at the time when the parent stated it, which may be long before the message arrives.
void GlobalClock::inherit(const Standing& parent) {
  inherited_bound_ns_ = parent.bound_ns;
  inherited_growth_ = parent.growth;
  inherited_slope_ = parent.line.slope;
  inherited_at_ns_ = line_.to_local(parent.at_ns);
}

/// One more envelope. Clocks keep their rate only for a limited time: envelopes are dropped, the oldest first, until a
/// line passes through all that are left.
void GlobalClock::keep(const Envelope& seen) {
  envelopes_.push_back(seen);
  if (envelopes_.size() > most_envelopes) {
    std::size_t kept = 0;
    for (std::size_t i = envelopes_.size() % 2 == 0 ? 1 : 0; i < envelopes_.size(); i += 2) {
      envelopes_[kept++] = envelopes_[i];
    }
    envelopes_.resize(kept);
  }
  while (!on_one_line(envelopes_)) {
    envelopes_.erase(envelopes_.begin(), envelopes_.begin() + static_cast<std::ptrdiff_t>((envelopes_.size() + 1) / 2));
  }
}

/// True if a line through the envelopes that are left is as good as that of the synchronisation: not if most were
/// dropped because the clock's rate changed. A single offset (offset_only) has no drift, and is not fitted again.
bool GlobalClock::knows_enough() const {
  constexpr std::size_t few = 20;  // with as many envelopes, a single delayed one does not tilt the line
  return method_ != ClockSync::offset_only && envelopes_.size() >= few && known_span_ns(envelopes_) >= fitted_over_ns_;
}

/// A node's ranks read one counter: the leader's line is theirs, and so is its bound. They sleep while it pings, so
/// that it need not share its CPU with them.
void GlobalClock::share(const Comm& node) {
  if (node.size() > 1) wait_asleep(node.get());
  Standing leader = standing(inherited_at_ns_, 0);
  MPI_Bcast(&leader, sizeof leader, MPI_BYTE, 0, node.get());
  if (node.rank() == 0) return;
  line_ = leader.line;
  inherit(leader);
}

double GlobalClock::bound_ns(std::int64_t at_ns) const {
  const double own = envelopes_.empty() ? 0 : line_bound_ns(own_, envelopes_, at_ns);
  // `own` is in nanoseconds of the parent. It is also the error of the time at which the parent stated its bound.
  const double since_ns = std::max(0.0, static_cast<double>(at_ns - inherited_at_ns_) + own);
  return own * (1 + std::abs(inherited_slope_)) + inherited_bound_ns_ + inherited_growth_ * since_ns;
}

GlobalClock::Standing GlobalClock::standing(std::int64_t at_ns, double residual_ns) const {
  const double here = bound_ns(at_ns);
  const double growth = (bound_ns(at_ns + bound_step_ns) - here) / static_cast<double>(bound_step_ns);
  return {
      .line = line_, .at_ns = line_.to_global(at_ns), .bound_ns = here, .growth = growth, .residual_ns = residual_ns};
}

bool shares_counter(const LocalNow& now, const Comm& node) {
  constexpr int pings = 10;
  int agrees = 1;
  for (const Envelope& one : pings_in_turn(node, now, pings)) {
    if (one.low_ns > 0 || one.high_ns < 0) agrees = 0;
  }
  wait_asleep(node.get());
  MPI_Allreduce(MPI_IN_PLACE, &agrees, 1, MPI_INT, MPI_MIN, node.get());
  return agrees == 1;
}

}  // namespace groma
