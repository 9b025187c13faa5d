#include "groma/clock/global.hpp"

#include <mpi.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "groma/machine/limits.hpp"

namespace groma {
namespace {

constexpr int ping_tag = 11;
constexpr int standing_tag = 12;
constexpr std::int64_t bound_step_ns = 10'000'000'000;  // growth of a bound is taken over 10 s
constexpr std::size_t most_envelopes = 256;             // kept behind a bound

/// By nanosleep: a simulated network does not see std::this_thread sleep.
void nap(double seconds) {
  const auto whole = static_cast<time_t>(seconds);
  const timespec time{.tv_sec = whole, .tv_nsec = static_cast<long>(1e9 * (seconds - static_cast<double>(whole)))};
  nanosleep(&time, nullptr);
}

/// Pings between leaders, and what was sent for them.
class Exchange {
 public:
  Exchange(const Comm& leaders, const LocalNow& now, const ClockEffort& effort)
      : leaders_(leaders), now_(now), effort_(effort) {}

  /// Answers a client with global time; `standing` is asked for when the pings are over.
  template <class AskStanding>
  void serve(int client, const GlobalClock& clock, AskStanding standing) {
    const LocalNow global = [&] { return clock.to_global(now_()); };
    for (int point = 0; point < effort_.fit_points; ++point) answer_pings(leaders_, client, effort_.pings, global);
    const GlobalClock::Standing mine = standing();
    const double numbers[3] = {mine.bound_ns, mine.growth, mine.residual_ns};
    MPI_Send(numbers, 3, MPI_DOUBLE, client, standing_tag, leaders_.get());
    sent_ += static_cast<std::int64_t>(effort_.fit_points) * effort_.pings + 1;
  }

  std::vector<Envelope> ask(int server, GlobalClock::Standing& standing) {
    const double pause_s = effort_.span_s / std::max(1, effort_.fit_points - 1);
    std::vector<Envelope> envelopes;
    for (int point = 0; point < effort_.fit_points; ++point) {
      if (point > 0) nap(pause_s);
      envelopes.push_back(ping(leaders_, server, effort_.pings, now_));
    }
    double numbers[3] = {0, 0, 0};
    MPI_Recv(numbers, 3, MPI_DOUBLE, server, standing_tag, leaders_.get(), MPI_STATUS_IGNORE);
    standing = {.bound_ns = numbers[0], .growth = numbers[1], .residual_ns = numbers[2]};
    sent_ += static_cast<std::int64_t>(effort_.fit_points) * effort_.pings;
    return envelopes;
  }

  [[nodiscard]] std::int64_t sent() const { return sent_; }

 private:
  const Comm& leaders_;
  const LocalNow& now_;
  ClockEffort effort_;
  std::int64_t sent_ = 0;
};

/// Whom a leader fits to (-1: nobody), and whom it serves afterwards, in order.
struct Part {
  int parent = -1;
  std::vector<int> clients;
};

/// METHODS 2: in round k, rank r with r mod 2^k = 2^(k-1) fits to r - 2^(k-1); what lies beyond the power of two, last.
Part hca3_part(int rank, int ranks) {
  int power = 1;
  while (2 * power <= ranks) power *= 2;
  Part part;
  if (rank >= power) return {.parent = rank - power, .clients = {}};
  for (int stride = power; stride > 1; stride /= 2) {
    if (rank % stride == 0) part.clients.push_back(rank + stride / 2);
    if (rank % stride == stride / 2) part.parent = rank - stride / 2;
  }
  if (rank < ranks - power) part.clients.push_back(rank + power);
  return part;
}

Part star_part(int rank, int ranks) {
  if (rank > 0) return {.parent = 0, .clients = {}};
  Part part;
  for (int client = 1; client < ranks; ++client) part.clients.push_back(client);
  return part;
}

Part part_of(ClockSync method, const Comm& leaders) {
  return method == ClockSync::hca3 ? hca3_part(leaders.rank(), leaders.size())
                                   : star_part(leaders.rank(), leaders.size());
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

ClockSync clock_sync_named(std::string_view name) {
  if (name == "hca3") return ClockSync::hca3;
  if (name == "jk") return ClockSync::jk;
  if (name == "offset_only") return ClockSync::offset_only;
  throw std::logic_error("no clock synchronisation named " + std::string(name));
}

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

GlobalClock GlobalClock::synchronise(ClockSync method, const LocalNow& now, const Comm& leaders, const Comm& node,
                                     const ClockEffort& asked) {
  ClockEffort effort = asked;
  if (method == ClockSync::offset_only) effort = {.pings = asked.pings * 10, .fit_points = 1, .span_s = 0};
  GlobalClock clock;
  clock.method_ = method;
  if (!leaders.null()) {
    const Part part = part_of(method, leaders);
    Exchange exchange(leaders, now, effort);
    if (part.parent >= 0) {
      Standing parent;
      clock.envelopes_ = exchange.ask(part.parent, parent);
      clock.line_ = fit_line(clock.envelopes_);
      clock.inherit(parent, now());
    }
    for (const int client : part.clients) {
      exchange.serve(client, clock, [&] { return clock.standing(now(), 0); });
    }
    clock.messages_sent_ = exchange.sent();
  }
  clock.share(node);
  return clock;
}

double GlobalClock::remeasure(const LocalNow& now, const Comm& leaders, const Comm& node, int pings) {
  double residual_ns = 0;
  if (!leaders.null()) {
    const Part part = part_of(method_, leaders);
    Exchange exchange(leaders, now, {.pings = pings, .fit_points = 1, .span_s = 0});
    if (part.parent >= 0) {
      Standing parent;
      const Envelope seen = exchange.ask(part.parent, parent).front();
      const double corrections = line_.correction_ns(seen.low_at_ns) + line_.correction_ns(seen.high_at_ns);
      residual_ns = parent.residual_ns - seen.middle_ns() - corrections / 2;
      learn(seen);
      inherit(parent, now());
    }
    for (const int client : part.clients) {
      exchange.serve(client, *this, [&] { return standing(now(), residual_ns); });
    }
  }
  share(node);
  return residual_ns;
}

/// The parent's bound, from now on part of this rank's.
void GlobalClock::inherit(const Standing& parent, std::int64_t at_ns) {
  inherited_bound_ns_ = parent.bound_ns;
  inherited_growth_ = parent.growth;
  inherited_at_ns_ = at_ns;
}

/// One more envelope for the bound. Clocks run evenly only for so long: what no line can pass is forgotten, oldest
/// first.
void GlobalClock::learn(const Envelope& seen) {
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

/// A node's ranks read one counter: the leader's line is theirs, and so is its bound. They sleep while it pings, so
/// that it need not share its CPU with them.
void GlobalClock::share(const Comm& node) {
  if (node.size() > 1) wait_asleep(node.get());
  const Standing leader = standing(inherited_at_ns_, 0);
  double numbers[4] = {line_.slope, line_.offset_ns, leader.bound_ns, leader.growth};
  std::int64_t times[2] = {line_.epoch_ns, inherited_at_ns_};
  MPI_Bcast(numbers, 4, MPI_DOUBLE, 0, node.get());
  MPI_Bcast(times, 2, MPI_INT64_T, 0, node.get());
  if (node.rank() == 0) return;
  line_ = {.slope = numbers[0], .offset_ns = numbers[1], .epoch_ns = times[0]};
  inherit({.bound_ns = numbers[2], .growth = numbers[3]}, times[1]);
}

double GlobalClock::bound_ns(std::int64_t at_ns) const {
  const double own = envelopes_.empty() ? 0 : line_bound_ns(line_, envelopes_, at_ns);
  const auto since_ns = static_cast<double>(std::max<std::int64_t>(0, at_ns - inherited_at_ns_));
  return own + inherited_bound_ns_ + inherited_growth_ * since_ns;
}

GlobalClock::Standing GlobalClock::standing(std::int64_t at_ns, double residual_ns) const {
  const double here = bound_ns(at_ns);
  const double growth = (bound_ns(at_ns + bound_step_ns) - here) / static_cast<double>(bound_step_ns);
  return {.bound_ns = here, .growth = growth, .residual_ns = residual_ns};
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
