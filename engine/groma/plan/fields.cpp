#include "groma/plan/fields.hpp"

namespace groma {
namespace {

constexpr double huge = 9e15;  // every whole number up to here is exact in a double

constexpr Choice datatypes[] = {{"byte", "MPI_BYTE"},     {"char", "MPI_CHAR"},   {"int32", "MPI_INT32_T"},
                                {"int64", "MPI_INT64_T"}, {"float", "MPI_FLOAT"}, {"double", "MPI_DOUBLE"}};
constexpr Choice shares[] = {{"each", "of each rank's own message"},
                             {"total", "of all together: divided among the ranks, down to whole elements (MPIBench)"}};
constexpr Choice layouts[] = {
    {"contiguous", "one element behind the other"},
    {"vector", "every second element: MPI_Type_vector"},
    {"indexed", "blocks of 1, 2 and 3 elements with a gap of one between: MPI_Type_indexed"},
    {"struct", "records of one element, a gap of one, and three elements: MPI_Type_create_struct"}};
constexpr Choice reductions[] = {
    {"sum", "MPI_SUM; not on bytes; on char only where the library accepts it"},
    {"max", "MPI_MAX; not on bytes; on char as sum"},
    {"band", "MPI_BAND; not on float and double"},
    {"null", "an operation of our own that does nothing (PMB): what a reduction costs beside its arithmetic"}};
constexpr Choice buffers[] = {{"separate", "distinct send and receive arrays"},
                              {"same", "one array for both, MPI_IN_PLACE in collectives"}};
constexpr Choice clocks[] = {{"monotonic", "clock_gettime(CLOCK_MONOTONIC)"},
                             {"mpi", "MPI_Wtime"},
                             {"tsc", "the serialised cycle counter, calibrated to ns; refused unless it is invariant"},
                             {"gettimeofday", "gettimeofday, steps of 1 us"}};
constexpr Choice timings[] = {{"call", "every call is stamped on entry and exit"},
                              {"block", "calls back to back between two stamps"}};
constexpr Choice syncs[] = {
    {"none", "back to back: measures throughput"},
    {"barrier", "MPI_Barrier, with the exit skew of the library under test"},
    {"dissemination", "Groma's own barrier of ceil(log2 p) rounds"},
    {"window", "starts one window apart on the global clock; late or overrunning repetitions are dropped"},
    {"roundtime", "the first rank announces each start a little ahead, on the global clock"},
    {"auto", "roundtime; barrier where ranks outnumber the CPUs that they may use"}};
constexpr Choice arrivals[] = {{"together", "all ranks at once"},
                               {"one_late", "the last rank arrives arrival_delay_us after the others"},
                               {"linear", "rank r arrives r/(p-1) of arrival_delay_us late"},
                               {"random", "each rank arrives up to arrival_delay_us late, drawn anew each time"}};
constexpr Choice reduces[] = {{"root", "the time of the root, or of the first rank"},
                              {"max", "the longest time over ranks"},
                              {"mean", "the mean time over ranks"},
                              {"min", "the shortest time over ranks"},
                              {"span", "from the first entry to the last exit, on the global clock"},
                              {"post_arrival", "from the last entry to the last exit, on the global clock"}};
constexpr Choice caches[] = {
    {"warm", "the same buffers every time"},
    {"rotate",
     "other buffers every time, in shuffled order over twice the last-level cache: cold lines and cold pages of the "
     "buffers, a warm library; with cache_pool, one after the other through that many bytes, read once beforehand"},
    {"sweep", "twice the last-level cache is read and written before each call: everything is cold, the library too"},
    {"flush",
     "the lines of the buffers are dropped from all caches before each call: cold lines, warm pages, a warm library"}};
constexpr Choice roots[] = {{"fixed", "root_rank in every repetition"},
                            {"rotate", "the next rank in every repetition, from root_rank on"},
                            {"random", "drawn from the plan's seed, the same on every rank"}};
constexpr Choice stops[] = {
    {"reps", "after `repetitions` samples"},
    {"time", "when slot_s is over"},
    {"ci", "when the samples are steady and the 95 % interval of their median is within `precision` of it"},
    {"rse", "when the standard error is within `rse_limit` of the mean"}};
constexpr Choice orders[] = {{"sequential", "as written in the plan"},
                             {"interleaved", "rounds over all points, one batch of each"},
                             {"shuffled", "in an order drawn from the seed"}};
constexpr Choice clock_syncs[] = {{"hca3", "a tree of lines over node leaders, O(log p) messages"},
                                  {"jk", "a line of every node leader to rank 0, O(p) messages"},
                                  {"offset_only", "an offset of every node leader to rank 0, no drift"}};
constexpr Choice sharings[] = {{"host", "the ranks of a host read one counter, which is checked"},
                               {"none", "every rank is synchronised as if it were a host of its own"}};
constexpr Choice thread_levels[] = {{"single", "MPI_THREAD_SINGLE: as most programs; the fastest on some libraries"},
                                    {"funneled", "MPI_THREAD_FUNNELED: of several threads one calls MPI"},
                                    {"serialized", "MPI_THREAD_SERIALIZED: all may, one at a time"},
                                    {"multiple", "MPI_THREAD_MULTIPLE: all may at once; the library locks"}};

template <class Owner>
constexpr Field<Owner> text(std::string_view name, std::string Owner::*member, std::string_view standard,
                            std::string_view help) {
  return {parameter::text(name, standard, help), member};
}

template <class Owner>
constexpr Field<Owner> choice(std::string_view name, std::string Owner::*member, std::string_view standard,
                              std::span<const Choice> choices, std::string_view help) {
  return {parameter::choice(name, standard, choices, help), member};
}

template <class Owner>
constexpr Field<Owner> count(std::string_view name, std::int64_t Owner::*member, std::string_view standard,
                             std::string_view unit, Range range, std::string_view help) {
  return {parameter::count(name, standard, unit, range, help), member};
}

template <class Owner>
constexpr Field<Owner> size(std::string_view name, std::int64_t Owner::*member, std::string_view standard, Range range,
                            std::string_view help) {
  return {parameter::size(name, standard, range, help), member};
}

template <class Owner>
constexpr Field<Owner> number(std::string_view name, double Owner::*member, std::string_view standard,
                              std::string_view unit, Range range, std::string_view help) {
  return {parameter::number(name, standard, unit, range, help), member};
}

template <class Owner>
constexpr Field<Owner> flag(std::string_view name, bool Owner::*member, std::string_view help) {
  return {parameter::flag(name, help), member};
}

constexpr Range calls{1, 1e9};
constexpr Range seconds{0.001, 86400};
constexpr Range page_multiples{0, 2097152};

constexpr Field<Point> payload_table[] = {
    text("operation", &Point::operation, "pingpong", "what is timed; `groma-engine --help` lists the operations"),
    text("pattern", &Point::pattern, "all",
         "who takes part, such as first_two, distance=k, all; `groma-engine --help` lists them"),
    text("communicator", &Point::communicator, "copy",
         "in which communicators they take part; `groma-engine --help` lists them"),
    count("ranks", &Point::ranks, "0", "", {0, huge}, "only the first so many ranks take part; 0: all launched"),
    count("ranks_per_node", &Point::ranks_per_node, "0", "ranks", {0, huge},
          "only the first so many ranks of every node take part; 0: all of them"),
    size("bytes", &Point::bytes, "8", {0, huge}, "length of one message"),
    choice("bytes_of", &Point::bytes_of, "each", shares, "whose message `bytes` is the length of"),
    choice("datatype", &Point::datatype, "byte", datatypes,
           "type of the elements; bytes must be a multiple of its size"),
    choice("layout", &Point::layout, "contiguous", layouts,
           "how the elements of a message lie in memory; bytes counts the elements, not the gaps"),
    choice("reduction", &Point::reduction, "sum", reductions,
           "operation of the reductions; with another layout than contiguous one of our own on that datatype "
           "(MPI_Op_create)"),
    choice("buffers", &Point::buffers, "separate", buffers,
           "whether send and receive arrays are distinct (single-copy paths differ)"),
    size("alignment", &Point::alignment, "4096", {1, 2097152},
         "both arrays start at an odd multiple of this (a power of two), before receive_offset"),
    size("receive_offset", &Point::receive_offset, "1088", page_multiples,
         "added to the start of the receive array, so that the two arrays are not equal modulo 4096"),
};

constexpr Field<Point> method_table[] = {
    choice("clock", &Point::clock, "monotonic", clocks, "clock of the stamps"),
    choice("timing", &Point::timing, "call", timings, "what lies between two stamps"),
    choice("sync", &Point::sync, "auto", syncs, "how ranks are brought together before a timed call or block"),
    choice("arrival", &Point::arrival, "together", arrivals,
           "when each rank enters, after a window or roundtime start"),
    number("arrival_delay_us", &Point::arrival_delay_us, "0", "us", {0, 1e6},
           "the longest delay that `arrival` imposes"),
    number("added_ns", &Point::added_ns, "0", "ns", {0, 1e9},
           "busy wait added to every repetition, inside the stamps: a slowdown of known size (groma run --calibrate)"),
    count("twin", &Point::twin, "0", "", {0, 1000},
          "number of a point's copy that is measured beside it for calibration; no table or chart shows copies"),
    choice("reduce", &Point::reduce, "span", reduces, "how the times of the ranks in one repetition become one"),
    choice("cache", &Point::cache, "warm", caches, "state of the user buffers before a call"),
    size("cache_pool", &Point::cache_pool, "0", {0, huge},
         "memory of both arrays together that cache=rotate uses in turns, one set of buffers after the other; 0: twice "
         "the last-level cache in each array"),
    choice("root", &Point::root, "fixed", roots, "which rank is the root in each repetition"),
    count("root_rank", &Point::root_rank, "0", "rank", {0, huge}, "the fixed root, or where rotation starts"),
    choice("stop", &Point::stop, "ci", stops, "when a point has enough samples"),
    count("repetitions", &Point::repetitions, "100", "samples", calls, "samples under stop=reps"),
    count("min_repetitions", &Point::min_repetitions, "50", "samples", calls,
          "fewest samples under stop=ci and stop=rse, unless the slot is over"),
    count("max_repetitions", &Point::max_repetitions, "5000", "samples", calls,
          "most samples under stop=ci, stop=rse and stop=time"),
    number("precision", &Point::precision, "0.01", "of the median", {1e-6, 1},
           "half-width of the interval at which stop=ci is content"),
    number("rse_limit", &Point::rse_limit, "0.03", "of the mean", {1e-6, 1},
           "standard error at which stop=rse is content"),
    number("slot_s", &Point::slot_s, "0.5", "s", seconds, "time for the samples of a point, unless stop=reps"),
    number("settle_s", &Point::settle_s, "0.5", "s", {0, 86400},
           "longest time for calls before the samples, until they are steady and a slow start of 5000 would have been "
           "seen (stop=ci and stop=time; their time counts for up to half of slot_s); 0: none"),
    number("span_s", &Point::span_s, "0.01", "s", {0, 86400}, "shortest time over which stop=ci takes its samples"),
    count("warmups", &Point::warmups, "10", "calls", {0, 1e6}, "calls before the samples; recorded apart"),
    flag("per_rank", &Point::per_rank, "record the times of every rank beside the samples made of them"),
    count("block", &Point::block, "0", "calls", {0, 1e9},
          "calls in a block; 0: enough for block_s, 100 clock steps, and a mean that the slow calls among them do not "
          "skew"),
    number("block_s", &Point::block_s, "2e-05", "s", {1e-9, 86400},
           "shortest time of a block whose length is left to the engine"),
    flag("check", &Point::check, "check the payload after every batch too, not only before timing"),
    flag("optional", &Point::optional, "skip the point, and say why, if the launch has too few ranks or nodes"),
    flag("force", &Point::force, "measure even where the figures are known to mean little"),
    number("limit_s", &Point::limit_s, "60", "s", {0, 86400},
           "a point that takes longer is ended by the watchdog; 0: no limit"),
};

constexpr Field<Plan> plan_table[] = {
    choice("order", &Plan::order, "shuffled", orders, "the order in which the points of a launch are measured"),
    count("seed", &Plan::seed, "1", "", {0, huge}, "of the shuffled order, random roots and random arrivals"),
    choice("clock_sync", &Plan::clock_sync, "hca3", clock_syncs, "how the global clock is made"),
    choice("clock_sharing", &Plan::clock_sharing, "host", sharings, "which ranks read the same counter"),
    number("max_clock_error_us", &Plan::max_clock_error_us, "1", "us", {0.001, 1e6},
           "a point whose global clock may be further off, and by more than a tenth of its window, is marked"),
    choice("thread_level", &Plan::thread_level, "single", thread_levels,
           "what is asked of MPI when it starts: which threads of a program may call it"),
    text("cpus", &Plan::cpus, "",
         "the CPU of every rank of a host, such as 2-5 or 6,4,2, in the order of the ranks; empty: as the launcher "
         "binds"),
};

}  // namespace

std::span<const Field<Point>> payload_fields() { return payload_table; }
std::span<const Field<Point>> method_fields() { return method_table; }
std::span<const Field<Plan>> plan_fields() { return plan_table; }

std::vector<Parameter> settable(std::span<const Parameter> parameters) {
  std::vector<Parameter> all(payload_fields().begin(), payload_fields().end());
  all.insert(all.end(), parameters.begin(), parameters.end());
  all.insert(all.end(), method_fields().begin(), method_fields().end());
  return all;
}

bool set_by_name(Point& point, std::span<const Parameter> parameters, std::string_view name, std::string_view text) {
  for (const auto fields : {payload_fields(), method_fields()}) {
    for (const auto& field : fields) {
      if (field.name != name) continue;
      set_field(point, field, text);
      return true;
    }
  }
  for (const Parameter& one : parameters) {
    if (one.name != name) continue;
    point.parameters.insert_or_assign(std::string(name), read_value(one, text));
    return true;
  }
  return false;
}

template <class Owner>
void set_field(Owner& owner, const Field<Owner>& field, std::string_view text) {
  const Value value = read_value(field, text);
  std::visit([&]<class Held>(Held Owner::*member) { owner.*member = std::get<Held>(value); }, field.member);
}

template <class Owner>
std::string field_text(const Owner& owner, const Field<Owner>& field) {
  return std::visit([&](auto member) { return value_text(owner.*member); }, field.member);
}

template void set_field(Point&, const Field<Point>&, std::string_view);
template void set_field(Plan&, const Field<Plan>&, std::string_view);
template std::string field_text(const Point&, const Field<Point>&);
template std::string field_text(const Plan&, const Field<Plan>&);

std::map<std::string_view, std::string_view> operation_defaults(const Info& info) {
  std::map<std::string_view, std::string_view> defaults;
  if (info.family != Family::collective) defaults["timing"] = "block";
  if (info.family != Family::collective) defaults["sync"] = "none";
  if (info.family != Family::collective) defaults["reduce"] = "max";
  if (info.parties == Parties::pairs) defaults["pattern"] = "first_two";
  if (info.reduces) defaults["datatype"] = "float";
  if (info.on_doubles) defaults["datatype"] = "double";
  if (info.send == Size::none) defaults["bytes"] = "0";
  if (!info.bytes.empty()) defaults["bytes"] = info.bytes;
  if (!info.timing.empty()) defaults["timing"] = info.timing;
  if (!info.pattern.empty()) defaults["pattern"] = info.pattern;
  if (!info.sync.empty()) defaults["sync"] = info.sync;
  return defaults;
}

Point default_point(const Info& info) {
  Point point;
  const auto defaults = operation_defaults(info);
  for (const auto fields : {payload_fields(), method_fields()}) {
    for (const auto& field : fields) {
      const auto own = defaults.find(field.name);
      set_field(point, field, own == defaults.end() ? field.default_text : own->second);
    }
  }
  point.operation = info.name;
  return point;
}

Plan default_plan() {
  Plan plan;
  for (const auto& field : plan_fields()) set_field(plan, field, field.default_text);
  return plan;
}

Beforehand beforehand_of(const Plan& plan) { return {.thread_level = plan.thread_level, .cpus = plan.cpus}; }

std::string_view type_name(Type type) {
  switch (type) {
    case Type::choice:
      return "choice";
    case Type::integer:
      return "integer";
    case Type::size:
      return "size";
    case Type::number:
      return "number";
    case Type::boolean:
      return "boolean";
    case Type::text:
      return "text";
  }
  return "";
}

}  // namespace groma
