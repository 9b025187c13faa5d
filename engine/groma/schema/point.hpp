// The record of a point.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "groma/schema/member.hpp"

namespace groma::schema {

using FiveNumbers = std::array<std::int64_t, 5>;  ///< minimum, quartiles, maximum
using Fields = nlohmann::ordered_json;            ///< of a point, by their names in the catalogue

struct Segment {
  std::size_t from = 0;
  double median_ns = 0;
  static constexpr std::string_view kind = "segment";
  static constexpr std::string_view help = "Samples of one level.";
  static constexpr auto table() {
    return std::tuple{
        member("from", &Segment::from, "its first sample; counts discarded_ns and samples_ns as one series"),
        member("median_ns", &Segment::median_ns, "of its samples")};
  }
};

struct Calls {
  std::int64_t made = 0;
  std::int64_t needed = 0;
  std::string state;
  std::size_t steady_from = 0;
  double median_ns = 0;
  double mean_ns = 0;
  double slow_share = 0;
  static constexpr std::string_view kind = "calls";
  static constexpr std::string_view help =
      "Single calls made before the samples until they were steady. Times are of a repetition in the steady part.";
  static constexpr auto table() {
    return std::tuple{
        member("made", &Calls::made, "how many"),
        member("needed", &Calls::needed,
               "calls that show a slow start of 5000 messages; fewer if these exceed 64 MiB or if caches are prepared"),
        member("state", &Calls::state, "as `state` of the point"),
        member("steady_from", &Calls::steady_from, "the first call of the steady part"),
        member("median_ns", &Calls::median_ns, "of the steady part"),
        member("mean_ns", &Calls::mean_ns, "of the steady part"),
        member("slow_share", &Calls::slow_share, "the share of the steady part above twice the median")};
  }
};

struct Replacement {
  std::string asked;
  std::string because;
  static constexpr std::string_view kind = "replacement";
  static constexpr std::string_view help = "A setting that could not be kept.";
  static constexpr auto table() {
    return std::tuple{member("asked", &Replacement::asked, "what the plan asked for, such as `roundtime`"),
                      member("because", &Replacement::because, "why, such as `4 of 4 repetitions missed ...`")};
  }
};

struct Skew {
  FiveNumbers arrival{};
  std::optional<FiveNumbers> completion;
  std::int64_t invariant_excess = 0;
  static constexpr std::string_view kind = "skew";
  static constexpr std::string_view help =
      "How far apart the ranks of a repetition were, in nanoseconds. Five numbers are minimum, quartiles and maximum.";
  static constexpr auto table() {
    return std::tuple{
        member("arrival", &Skew::arrival,
               "last entry - first entry, over samples; the exit skew of MPI_Barrier with sync=barrier"),
        member("completion", &Skew::completion,
               "exit - first entry: medians over the samples of the five numbers over ranks; null unless collective"),
        member("invariant_excess", &Skew::invariant_excess, "largest violation of max <= span <= max + arrival skew")};
  }
};

struct ClockError {
  double before_ns = 0;
  double after_ns = 0;
  double bound_ns = 0;
  double limit_ns = 0;
  bool valid = false;
  static constexpr std::string_view kind = "clock_error";
  static constexpr std::string_view help = "Error of the global clock around one point, of the worst rank.";
  static constexpr auto table() {
    return std::tuple{
        member("before_ns", &ClockError::before_ns, "measured error before the point: middle of the envelope"),
        member("after_ns", &ClockError::after_ns, "measured error after the point"),
        member("bound_ns", &ClockError::bound_ns, "error bound"),
        member("limit_ns", &ClockError::limit_ns, "max_clock_error_us, or a tenth of the window if that is more"),
        member("valid", &ClockError::valid, "before and after within the limit")};
  }
};

struct RanksAt {
  std::int64_t offset = 0;
  std::int64_t ranks = 0;
  std::int64_t samples = 0;
  static constexpr std::string_view kind = "ranks_at";
  static constexpr std::string_view help =
      "Place of the ranks' times in the file beside the records, which has their name and `.ranks`. They are "
      "64-bit "
      "little-endian integers [ns]: all samples of the first member, then all of the next.";
  static constexpr auto table() {
    return std::tuple{member("offset", &RanksAt::offset, "of the first one in the file, in bytes"),
                      member("ranks", &RanksAt::ranks, "how many ranks"),
                      member("samples", &RanksAt::samples, "how many times of each")};
  }
};

struct Load {
  std::vector<int> ranks;
  std::int64_t bytes = 0;
  double seconds = 0;
  static constexpr std::string_view kind = "load";
  static constexpr std::string_view help = "What ranks did that were split off from those of the point.";
  static constexpr auto table() {
    return std::tuple{
        member("ranks", &Load::ranks, "the first 64 of them, of MPI_COMM_WORLD"),
        member("bytes", &Load::bytes, "that all of them sent while the point was measured; 0: they slept"),
        member("seconds", &Load::seconds, "how long they sent")};
  }
};

struct PointThreads {
  int count = 1;
  std::vector<std::string> cpus;
  bool shared = false;
  static constexpr std::string_view kind = "threads";
  static constexpr std::string_view help = "The threads of a rank, and where they stayed.";
  static constexpr auto table() {
    return std::tuple{
        member("count", &PointThreads::count, "of each rank"),
        member("cpus", &PointThreads::cpus, "of the threads of each of the first 64 members, such as `0,2`"),
        member("shared", &PointThreads::shared, "whether some CPU had several threads: too few CPUs for a figure")};
  }
};

struct File {
  std::string system;
  std::optional<double> cached_share;
  static constexpr std::string_view kind = "file";
  static constexpr std::string_view help = "The file of a point, where its first member is.";
  static constexpr auto table() {
    return std::tuple{
        member("system", &File::system, "kind of the file system, such as `ext` or `tmpfs`"),
        member("cached_share", &File::cached_share,
               "under file_cold: share of the file's pages left in the system's cache after it was told to drop them; "
               "above 0 reads were warm, wholly or in part; else null")};
  }
};

struct Point {
  int schema = 1;
  std::string record = "point";
  std::int64_t index = 0;
  std::int64_t sequence = 0;
  Fields point;
  std::vector<int> members;
  std::size_t member_count = 0;
  int groups = 1;
  int group_ranks = 0;
  std::int64_t message_bytes = 0;
  int hosts = 1;
  std::int64_t first_call_ns = 0;
  std::vector<std::int64_t> warmup_ns;
  std::vector<std::int64_t> samples_ns;
  std::optional<std::vector<std::vector<std::int64_t>>> ranks_ns;
  std::optional<RanksAt> ranks_at;
  std::int64_t invalid = 0;
  std::int64_t repetitions_per_sample = 1;
  std::int64_t divisor = 1;
  std::int64_t bytes_moved = 0;
  std::int64_t messages = 0;
  std::optional<std::int64_t> algorithm_bytes;
  std::optional<double> bus_factor;
  double median_ns = 0;
  std::optional<double> half_width;
  std::string stopped_by;
  std::string state;
  std::size_t steady_from = 0;
  std::vector<Segment> segments;
  std::vector<std::int64_t> discarded_ns;
  std::optional<Calls> calls;
  std::optional<double> slot_left_s;
  std::optional<bool> verified;
  bool block_short = false;
  bool validated = false;
  std::int64_t checked_elements = 0;
  std::optional<std::int64_t> window_ns;
  std::optional<std::int64_t> lead_ns;
  Named<Replacement> replaced;
  std::optional<Skew> skew_ns;
  std::optional<Named<std::vector<std::int64_t>>> phases_ns;
  std::optional<FiveNumbers> touch_write_ns;
  std::optional<FiveNumbers> touch_read_ns;
  std::optional<std::vector<int>> grid;
  std::optional<std::vector<int>> new_ranks;
  std::optional<PointThreads> threads;
  std::optional<File> file;
  bool large_type = false;
  std::int64_t elapsed_ns = 0;
  std::int64_t finished_unix_ns = 0;
  std::optional<ClockError> clock_error;
  std::optional<Load> load;
  std::optional<std::vector<double>> line_ns;
  static constexpr std::string_view kind = "point";
  static constexpr std::string_view help = "Everything measured about one point in one launch.";
  static constexpr auto table() {
    return std::tuple{
        member("schema", &Point::schema, "1"),
        member("kind", &Point::record, "`point`"),
        member("index", &Point::index, "in the plan"),
        member("sequence", &Point::sequence, "place in this launch's order"),
        member("point", &Point::point, "every field of scope point, as it ran"),
        member("members", &Point::members, "world ranks that took part (at most 64 listed)"),
        member("member_count", &Point::member_count, "how many took part"),
        member("groups", &Point::groups, "communicators that ran at once"),
        member("group_ranks", &Point::group_ranks, "the ranks of the first of them"),
        member("message_bytes", &Point::message_bytes,
               "one rank's own message: `bytes`, or its share under bytes_of=total"),
        member("hosts", &Point::hosts, "distinct hosts among the members"),
        member("first_call_ns", &Point::first_call_ns, "the very first call"),
        member("warmup_ns", &Point::warmup_ns, "single calls, those before `calls` were steady last"),
        member("samples_ns", &Point::samples_ns, "one integer per valid sample, after the reduction over ranks"),
        member("ranks_ns", &Point::ranks_ns,
               "under per_rank: each member's own time of every sample; else, and with `ranks_at`, null"),
        some_have("ranks_at", &Point::ranks_at, "place of those times in a file, if there are more than 65536"),
        member("invalid", &Point::invalid, "repetitions in which a rank was late or overran: discarded"),
        member("repetitions_per_sample", &Point::repetitions_per_sample, "the length of a block"),
        member("divisor", &Point::divisor, "as the operation's"),
        member("bytes_moved", &Point::bytes_moved, "per repetition; see the operation's `bandwidth`"),
        member("messages", &Point::messages, "per repetition"),
        member("algorithm_bytes", &Point::algorithm_bytes, "per repetition; see the operation's `bus`"),
        member("bus_factor", &Point::bus_factor, "see the operation's `bus`"),
        member("median_ns", &Point::median_ns, "of one figure, as below"),
        member("half_width", &Point::half_width, "relative half-width of the median's 95 % interval, null if n < 6"),
        member("stopped_by", &Point::stopped_by,
               "`precision`, `repetitions`, `slot` or `retries`: too many invalid repetitions in a row"),
        member("state", &Point::state,
               "of the samples: `steady`, `warmup`, `slowdown`, `unsteady` or `unknown` (fewer than 40)"),
        member("steady_from", &Point::steady_from,
               "index of the first sample of the steady part, in the series that segments count"),
        member("segments", &Point::segments, "of one level each"),
        member("discarded_ns", &Point::discarded_ns,
               "samples before the steady part, under stop=ci and stop=time; in no other member"),
        member("calls", &Point::calls,
               "null under stop=reps and stop=rse, with settle_s=0, and with more ranks than CPUs"),
        member("slot_left_s", &Point::slot_left_s,
               "time of slot_s (as asked) that `calls` left for the samples; null under stop=reps"),
        member("verified", &Point::verified,
               "`calls` has all that were needed, and both calls and samples were `steady` or `warmup`; false if "
               "either became slower (`slowdown`), since a faster level may return. Samples of state `unknown` must be "
               "at the level of the calls, in blocks of one call. null if `calls` is"),
        member("block_short", &Point::block_short,
               "blocks are shorter than block_s, or so short that slow calls skew their means"),
        member("validated", &Point::validated, "whether received data were compared with those sent"),
        member("checked_elements", &Point::checked_elements, "how many elements were compared"),
        member("window_ns", &Point::window_ns, "length of the windows under sync=window"),
        member("lead_ns", &Point::lead_ns, "from the announcement of a start to that start, under sync=roundtime"),
        member("replaced", &Point::replaced, "settings that could not be kept, by name; `point` has what ran instead"),
        member("skew_ns", &Point::skew_ns,
               "null without a global clock; a figure that does not need one has it only if it costs nothing"),
        member("phases_ns", &Point::phases_ns,
               "the operation's phases in each valid sample, of the rank on which they took longest together, of pairs "
               "of the first member; null if it has none"),
        some_have("touch_write_ns", &Point::touch_write_ns,
                  "time to change a message before a send in a block, with one reading of the clock: minimum, "
                  "quartiles and maximum over ranks"),
        some_have("touch_read_ns", &Point::touch_read_ns, "the same after a receive"),
        member("grid", &Point::grid, "lengths of the periodic grid of ranks; null without one"),
        member("new_ranks", &Point::new_ranks,
               "with reorder=true which node of the graph each of the first 64 members is; else null"),
        some_have("threads", &Point::threads, "of each rank, if the operation has threads"),
        some_have("file", &Point::file, "of an operation on files"),
        member("large_type", &Point::large_type,
               "a message is one element of a derived datatype, since it has more than int counts"),
        member("elapsed_ns", &Point::elapsed_ns, "wall time of the whole point"),
        member("finished_unix_ns", &Point::finished_unix_ns,
               "when it was over, on its first member; older engines did not record it"),
        member("clock_error", &Point::clock_error, "null without a global clock"),
        some_have("load", &Point::load, "of a point with `load`"),
        member("line_ns", &Point::line_ns,
               "a cache line from core to core as in `limits`: least and most of the readings before and after "
               "samples; null unless its two ranks took part, each bound to its own CPUs")};
  }
};

}  // namespace groma::schema
