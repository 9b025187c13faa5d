#include "groma/clock/global.hpp"

#include <mpi.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace groma {
namespace {

constexpr int ping_tag = 11;
constexpr int bound_tag = 12;
constexpr std::int64_t bound_step_ns = 10'000'000'000;  // growth of a bound is taken over 10 s

/// The bound of a served clock, as its client inherits it.
struct Bound {
  double now_ns = 0;
  double growth = 0;
};

Bound bound_at(const GlobalClock& clock, std::int64_t at_ns) {
  const double here = clock.bound_ns(at_ns);
  return {here, (clock.bound_ns(at_ns + bound_step_ns) - here) / static_cast<double>(bound_step_ns)};
}

/// By nanosleep: a simulated network does not see std::this_thread sleep.
void nap(double seconds) {
  const auto whole = static_cast<time_t>(seconds);
  const timespec time{.tv_sec = whole, .tv_nsec = static_cast<long>(1e9 * (seconds - static_cast<double>(whole)))};
  nanosleep(&time, nullptr);
}

/// One rank's part in a synchronisation: who it serves and whom it fits to, and what it has so far.
class Participant {
 public:
  Participant(const Comm& leaders, const LocalNow& now, const ClockEffort& effort)
      : leaders_(leaders), now_(now), effort_(effort) {}

  void serve(int client, GlobalClock& clock) {
    const LocalNow global = [&] { return clock.to_global(now_()); };
    for (int point = 0; point < effort_.fit_points; ++point) answer_pings(leaders_, client, effort_.pings, global);
    const Bound bound = bound_at(clock, now_());
    const double numbers[2] = {bound.now_ns, bound.growth};
    MPI_Send(numbers, 2, MPI_DOUBLE, client, bound_tag, leaders_.get());
    sent_ += static_cast<std::int64_t>(effort_.fit_points) * effort_.pings + 1;
  }

  std::vector<Envelope> fit(int server, Bound& inherited) {
    const double pause_s = effort_.span_s / std::max(1, effort_.fit_points - 1);
    std::vector<Envelope> envelopes;
    for (int point = 0; point < effort_.fit_points; ++point) {
      if (point > 0) nap(pause_s);
      envelopes.push_back(ping(leaders_, server, effort_.pings, now_));
    }
    double numbers[2] = {0, 0};
    MPI_Recv(numbers, 2, MPI_DOUBLE, server, bound_tag, leaders_.get(), MPI_STATUS_IGNORE);
    inherited = {numbers[0], numbers[1]};
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
  if (!leaders.null()) {
    const Part part = method == ClockSync::hca3 ? hca3_part(leaders.rank(), leaders.size())
                                                : star_part(leaders.rank(), leaders.size());
    Participant participant(leaders, now, effort);
    if (part.parent >= 0) {
      Bound inherited;
      clock.envelopes_ = participant.fit(part.parent, inherited);
      clock.line_ = fit_line(clock.envelopes_);
      clock.inherited_bound_ns_ = inherited.now_ns;
      clock.inherited_growth_ = inherited.growth;
    }
    clock.fitted_until_ns_ = now();
    for (const int client : part.clients) participant.serve(client, clock);
    clock.messages_sent_ = participant.sent();
  }
  // A node's ranks read one counter: the leader's line is theirs, and so is its bound.
  const Bound bound = bound_at(clock, clock.fitted_until_ns_);
  double numbers[4] = {clock.line_.slope, clock.line_.offset_ns, bound.now_ns, bound.growth};
  std::int64_t times[2] = {clock.line_.epoch_ns, clock.fitted_until_ns_};
  MPI_Bcast(numbers, 4, MPI_DOUBLE, 0, node.get());
  MPI_Bcast(times, 2, MPI_INT64_T, 0, node.get());
  if (node.rank() == 0) return clock;
  clock.line_ = {.slope = numbers[0], .offset_ns = numbers[1], .epoch_ns = times[0]};
  clock.fitted_until_ns_ = times[1];
  clock.inherited_bound_ns_ = numbers[2];
  clock.inherited_growth_ = numbers[3];
  return clock;
}

double GlobalClock::bound_ns(std::int64_t at_ns) const {
  const double own = envelopes_.empty() ? 0 : line_bound_ns(line_, envelopes_, at_ns);
  const auto since_ns = static_cast<double>(std::max<std::int64_t>(0, at_ns - fitted_until_ns_));
  return own + inherited_bound_ns_ + inherited_growth_ * since_ns;
}

double GlobalClock::check_ns(const LocalNow& now, const Comm& comm, int pings) const {
  const LocalNow global = [&] { return to_global(now()); };
  double largest = 0;
  for (const Envelope& left : pings_in_turn(comm, global, pings)) {
    largest = std::max({largest, std::abs(left.low_ns), std::abs(left.high_ns)});
  }
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, comm.get());
  return largest;
}

bool shares_counter(const LocalNow& now, const Comm& node) {
  constexpr int pings = 10;
  int agrees = 1;
  for (const Envelope& one : pings_in_turn(node, now, pings)) {
    if (one.low_ns > 0 || one.high_ns < 0) agrees = 0;
  }
  MPI_Allreduce(MPI_IN_PLACE, &agrees, 1, MPI_INT, MPI_MIN, node.get());
  return agrees == 1;
}

}  // namespace groma
