// What a launch says of its clocks and of the pairs of ranks that it searched for: parts of the start and end records.
#pragma once

#include <cstdint>

#include "groma/schema/member.hpp"

namespace groma::schema {

struct Clock {
  std::string name;
  std::optional<double> resolution_ns;
  std::optional<double> read_ns;
  std::optional<std::string> refused;
  static constexpr std::string_view kind = "clock";
  static constexpr std::string_view help = "One clock as measured before anything was timed, or why it was refused.";
  static constexpr auto table() {
    return std::tuple{member("name", &Clock::name, "as field `clock` has it"),
                      some_have("resolution_ns", &Clock::resolution_ns, "unit in which it advances"),
                      some_have("read_ns", &Clock::read_ns, "cost of one reading"),
                      some_have("refused", &Clock::refused, "why it can't be used here")};
  }
};

struct Cycle {
  std::array<int, 3> ranks{};
  double closure_ns = 0;
  double least_ns = 0;
  static constexpr std::string_view kind = "cycle";
  static constexpr std::string_view help =
      "Three leaders of hosts whose offsets by pings do not add up to zero: the clearest case. The sum is half of how "
      "much longer messages take one way around than the other.";
  static constexpr auto table() {
    return std::tuple{
        member("ranks", &Cycle::ranks, "the three leaders"),
        member("closure_ns", &Cycle::closure_ns, "sum of their offsets"),
        member("least_ns", &Cycle::least_ns, "smallest distance of the sum from zero, at 99 %; 0: it may be zero")};
  }
};

struct GlobalClock {
  std::string clock;
  std::string method;
  bool shared_on_host = false;
  double bound_ns = 0;
  double residual_ns = 0;
  double offset_ns = 0;
  double drift_ppm = 0;
  std::int64_t messages_per_rank = 0;
  std::int64_t took_ns = 0;
  std::optional<Cycle> cycle;
  std::optional<double> true_error_ns;
  std::optional<double> true_excess_ns;
  static constexpr std::string_view kind = "global_clock";
  static constexpr std::string_view help =
      "One clock that was made global, right after: its method, its errors and its cost. All costs are 0 with one "
      "counter for all.";
  static constexpr auto table() {
    return std::tuple{
        member("clock", &GlobalClock::clock, "as field `clock` has it"),
        member("method", &GlobalClock::method, "as field `clock_sync` has it"),
        member("shared_on_host", &GlobalClock::shared_on_host, "whether the ranks of a host read one counter"),
        member("bound_ns", &GlobalClock::bound_ns, "error bound of the worst rank"),
        member("residual_ns", &GlobalClock::residual_ns, "measured error of the worst rank"),
        member("offset_ns", &GlobalClock::offset_ns, "of a rank's own clock against rank 0's: the farthest from 0"),
        member("drift_ppm", &GlobalClock::drift_ppm, "of a rank's own clock against rank 0's: the farthest from 0"),
        member("messages_per_rank", &GlobalClock::messages_per_rank, "most that one rank sent"),
        member("took_ns", &GlobalClock::took_ns, "to make it"),
        member("cycle", &GlobalClock::cycle, "null with fewer than three hosts"),
        some_have("true_error_ns", &GlobalClock::true_error_ns, "only of a simulated engine: the worst rank's error"),
        some_have("true_excess_ns", &GlobalClock::true_excess_ns,
                  "only of a simulated engine: largest excess of an error over its bound")};
  }
};

struct ClockOutcome {
  std::string clock;
  int synchronised = 0;
  double offset_ns = 0;
  double drift_ppm = 0;
  static constexpr std::string_view kind = "clock_outcome";
  static constexpr std::string_view help = "What a launch had learned of one global clock when it ended.";
  static constexpr auto table() {
    return std::tuple{member("clock", &ClockOutcome::clock, "as field `clock` has it"),
                      member("synchronised", &ClockOutcome::synchronised, "how often it was made"),
                      member("offset_ns", &ClockOutcome::offset_ns, "as in the start record"),
                      member("drift_ppm", &ClockOutcome::drift_ppm,
                             "as in the start record, with the drift learned during the launch")};
  }
};

struct PairTime {
  std::array<int, 2> ranks{};
  double one_way_ns = 0;
  static constexpr std::string_view kind = "pair_time";
  static constexpr std::string_view help = "One pair of ranks that a search measured.";
  static constexpr auto table() {
    return std::tuple{member("ranks", &PairTime::ranks, "the pair"),
                      member("one_way_ns", &PairTime::one_way_ns, "half of the shortest of its round trips")};
  }
};

struct Search {
  std::string pattern;
  int ranks = 0;
  int bytes = 0;
  std::string placement;
  bool given = false;
  int round_trips = 0;
  std::int64_t pairs = 0;
  std::int64_t scanned = 0;
  std::int64_t at_once = 0;
  std::int64_t took_ns = 0;
  std::vector<PairTime> slowest;
  static constexpr std::string_view kind = "search";
  static constexpr std::string_view help =
      "One search for a pair: one for each pattern that searches, rank count and size of its probes.";
  static constexpr auto table() {
    return std::tuple{member("pattern", &Search::pattern, "that searches, such as `farthest`"),
                      member("ranks", &Search::ranks, "among which it searched"),
                      member("bytes", &Search::bytes, "of the probes: 8, or 65536 for messages of at least that size"),
                      member("placement", &Search::placement, "a number for the ranks' hosts"),
                      member("given", &Search::given, "whether `--pairs` gave the pair: no scan"),
                      member("round_trips", &Search::round_trips, "of each pair"),
                      member("pairs", &Search::pairs, "that there are"),
                      member("scanned", &Search::scanned, "pairs that were measured; fewer with over 129 nodes"),
                      member("at_once", &Search::at_once, "pairs that were screened at the same time, at most"),
                      member("took_ns", &Search::took_ns, "the whole search"),
                      member("slowest", &Search::slowest, "the pair used, then the next slowest")};
  }
};

}  // namespace groma::schema
