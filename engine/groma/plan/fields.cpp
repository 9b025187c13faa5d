#include "groma/plan/fields.hpp"

#include <iterator>

#include "groma/text/words.hpp"

namespace groma {
namespace {

constexpr double huge = largest_exact;

constexpr Choice thread_levels[] = {{"single", "MPI_THREAD_SINGLE: as most programs; the fastest on some libraries"},
                                    {"funneled", "MPI_THREAD_FUNNELED: of several threads one calls MPI"},
                                    {"serialized", "MPI_THREAD_SERIALIZED: all may, one at a time"},
                                    {"multiple", "MPI_THREAD_MULTIPLE: all may at once; the library locks"}};

// Below, a field is bound to its member, whose type, if it is an enumeration, says the choices too.
template <auto member>
constexpr auto bound(const Parameter& parameter) {
  return Field<decltype(owner_of(member))>{parameter, &assign_member<member>, &read_member<member>};
}

template <auto member>
constexpr auto text(std::string_view name, std::string_view standard, std::string_view help) {
  return bound<member>(parameter::text(name, standard, help));
}

template <auto member>
constexpr auto choice(std::string_view name, std::string_view standard, std::string_view help) {
  return bound<member>(parameter::choice(name, standard, choices_of(decltype(held_by(member)){}), help));
}

template <auto member>
constexpr auto count(std::string_view name, std::string_view standard, std::string_view unit, Range range,
                     std::string_view help) {
  return bound<member>(parameter::count(name, standard, unit, range, help));
}

template <auto member>
constexpr auto size(std::string_view name, std::string_view standard, Range range, std::string_view help) {
  return bound<member>(parameter::size(name, standard, range, help));
}

template <auto member>
constexpr auto number(std::string_view name, std::string_view standard, std::string_view unit, Range range,
                      std::string_view help) {
  return bound<member>(parameter::number(name, standard, unit, range, help));
}

template <auto member>
constexpr auto flag(std::string_view name, std::string_view help) {
  return bound<member>(parameter::flag(name, help));
}

constexpr Range calls{1, 1e9};
constexpr Range seconds{0.001, 86400};
constexpr Range page_multiples{0, 2097152};

constexpr Field<Point> payload_table[] = {
    text<&Point::operation>("operation", "pingpong", "what is timed; `groma-engine --help` lists the operations"),
    text<&Point::pattern>("pattern", "all",
                          "who takes part, such as first_two, distance=k, all; `groma-engine --help` lists them"),
    text<&Point::communicator>("communicator", "copy",
                               "the communicators that they use; `groma-engine --help` lists them"),
    count<&Point::ranks>("ranks", "0", "", {0, huge},
                         "number of ranks that take part, the first ones; 0: all launched"),
    count<&Point::ranks_per_node>("ranks_per_node", "0", "ranks", {0, huge},
                                  "number of ranks of every node that take part, the first ones; 0: all of them"),
    size<&Point::bytes>("bytes", "8", {0, huge}, "length of one message"),
    choice<&Point::bytes_of>("bytes_of", "each", "whether `bytes` is one rank's message or the sum of all"),
    choice<&Point::datatype>("datatype", "byte", "type of the elements; bytes must be a multiple of its size"),
    choice<&Point::layout>("layout", "contiguous",
                           "how the elements of a message lie in memory; bytes counts the elements, not the gaps"),
    choice<&Point::reduction>("reduction", "sum",
                              "operation of the reductions; a layout other than contiguous uses an operation of Groma "
                              "on that datatype (MPI_Op_create)"),
    choice<&Point::buffers>("buffers", "separate",
                            "whether send and receive arrays are distinct (single-copy paths differ)"),
    choice<&Point::allocation>("allocation", "pages", "how host memory of both arrays is allocated"),
    choice<&Point::memory>("memory", "host", "kind of memory of both arrays; no effect on operations without messages"),
    choice<&Point::send_memory>("send_memory", "same", "kind of memory of the send arrays"),
    choice<&Point::receive_memory>("receive_memory", "same", "kind of memory of the receive arrays"),
    size<&Point::alignment>("alignment", "4096", {1, 2097152},
                            "both arrays start at an odd multiple of this (a power of two), before receive_offset"),
    size<&Point::receive_offset>(
        "receive_offset", "1088", page_multiples,
        "added to the start of the receive array, so that the two arrays are not equal modulo 4096"),
};

constexpr Field<Point> method_table[] = {
    choice<&Point::clock>("clock", "monotonic", "clock of the stamps"),
    choice<&Point::timing>("timing", "call", "what lies between two stamps"),
    choice<&Point::sync>("sync", "auto", "how ranks are synchronised before a timed call or block"),
    choice<&Point::arrival>("arrival", "together", "when each rank enters, after a window or roundtime start"),
    number<&Point::arrival_delay_us>("arrival_delay_us", "0", "us", {0, 1e6},
                                     "the longest delay that `arrival` imposes"),
    number<&Point::added_ns>(
        "added_ns", "0", "ns", {0, 1e9},
        "busy wait added to every repetition, inside the stamps: a slowdown of known size (groma run --calibrate)"),
    count<&Point::twin>(
        "twin", "0", "", {0, 1000},
        "number of a point's copy that is measured beside it for calibration; no table or chart shows copies"),
    choice<&Point::load>("load", "none", "what a part of the ranks does to the network while the others are measured"),
    choice<&Point::load_ranks>("load_ranks", "random", "which ranks load"),
    number<&Point::load_share>("load_share", "0.5", "of the ranks", {0, 1},
                               "how many ranks load, rounded down: at least 2, and at least 2 are measured"),
    size<&Point::load_bytes>("load_bytes", "65536", {1, huge}, "length of one message of the load"),
    choice<&Point::reduce>("reduce", "span", "how the times of the ranks in one repetition become one"),
    choice<&Point::cache>("cache", "warm", "state of the user buffers before a call"),
    size<&Point::cache_pool>(
        "cache_pool", "0", {0, huge},
        "memory of both arrays together that cache=rotate cycles through; 0: twice the last-level cache in each array"),
    choice<&Point::touch>("touch", "none",
                          "what ranks do with messages besides MPI: in blocks between the stamps, and recorded apart; "
                          "with timing=call before the opening stamp and after the closing one"),
    choice<&Point::root>("root", "fixed", "which rank is the root in each repetition"),
    count<&Point::root_rank>("root_rank", "0", "rank", {0, huge}, "the fixed root, or where rotation starts"),
    choice<&Point::stop>("stop", "ci", "when a point has enough samples"),
    count<&Point::repetitions>("repetitions", "100", "samples", calls, "samples under stop=reps"),
    count<&Point::min_repetitions>("min_repetitions", "50", "samples", calls,
                                   "fewest samples under stop=ci and stop=rse, unless the slot is over"),
    count<&Point::max_repetitions>("max_repetitions", "5000", "samples", calls,
                                   "most samples under stop=ci, stop=rse and stop=time"),
    number<&Point::precision>("precision", "0.01", "of the median", {1e-6, 1},
                              "half-width of the interval at which stop=ci ends"),
    number<&Point::rse_limit>("rse_limit", "0.03", "of the mean", {1e-6, 1}, "standard error at which stop=rse ends"),
    number<&Point::slot_s>("slot_s", "0.5", "s", seconds, "time for the samples of a point, unless stop=reps"),
    number<&Point::settle_s>(
        "settle_s", "0.5", "s", {0, 86400},
        "longest time for calls before the samples: until calls are steady and a slow start of 5000 would have been "
        "seen (stop=ci and stop=time; it uses up to half of slot_s); 0: none"),
    number<&Point::span_s>("span_s", "0.01", "s", {0, 86400}, "shortest time over which stop=ci takes its samples"),
    count<&Point::warmups>("warmups", "10", "calls", {0, 1e6},
                           "calls before the samples; all but the last are recorded apart"),
    flag<&Point::per_rank>("per_rank", "record the times of every rank beside the samples made of them"),
    count<&Point::block>("block", "0", "calls", {0, 1e9},
                         "calls in a block; 0: automatic (at least block_s, 100 clock steps, and enough calls to "
                         "average out slow ones)"),
    number<&Point::block_s>("block_s", "2e-05", "s", {1e-9, 86400},
                            "shortest time of a block whose length is left to the engine"),
    flag<&Point::check>("check", "check the payload after every batch too, not only before timing"),
    flag<&Point::optional>("optional", "skip the point, and say why, if the launch has too few ranks or nodes"),
    flag<&Point::force>("force", "measure even if the figures are known to mean little"),
    number<&Point::limit_s>("limit_s", "60", "s", {0, 86400},
                            "a point that takes longer is ended by the watchdog; 0: no limit"),
};

constexpr Field<Plan> plan_table[] = {
    choice<&Plan::order>("order", "shuffled", "the order in which the points of a launch are measured"),
    count<&Plan::seed>("seed", "1", "", {0, huge}, "of the shuffled order, random roots and random arrivals"),
    choice<&Plan::clock_sync>("clock_sync", "hca3", "how the global clock is made"),
    choice<&Plan::clock_sharing>("clock_sharing", "host", "which ranks read the same counter"),
    number<&Plan::max_clock_error_us>(
        "max_clock_error_us", "1", "us", {0.001, 1e6},
        "points are marked if their global clock may be further off than this and than a tenth of their window"),
    bound<&Plan::thread_level>(
        parameter::choice("thread_level", "single", thread_levels,
                          "thread level asked of MPI at its start: which threads of a program may call it")),
    text<&Plan::cpus>(
        "cpus", "",
        "the CPU of every rank of a host, such as 2-5 or 6,4,2, in the order of the ranks; empty: as the launcher "
        "binds"),
    text<&Plan::device>("device", "",
                        "the device of every rank of a host, such as 1 or 0-3 or 2,0, in the order of the ranks and "
                        "then again; empty: one after the other of those that are visible"),
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
  field.assign(&owner, field, read_value(field, text));
}

template <class Owner>
std::string field_text(const Owner& owner, const Field<Owner>& field) {
  return value_text(field.read(&owner, field));
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
  if (!info.datatype.empty()) defaults["datatype"] = info.datatype;
  if (!info.bytes.empty()) defaults["bytes"] = info.bytes;
  if (!info.memory.empty()) defaults["memory"] = info.memory;
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

std::string_view type_name(Type type) {
  static constexpr std::string_view names[] = {"choice", "integer", "size", "number", "boolean", "text"};
  static_assert(std::size(names) == static_cast<std::size_t>(Type::text) + 1);
  return name_in(names, type);
}

}  // namespace groma
