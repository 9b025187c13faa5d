#include "groma/plan/fields.hpp"

#include <limits>

#include "groma/plan/words.hpp"

namespace groma {
namespace {

constexpr double huge = 9e15;  // every whole number up to here is exact in a double
constexpr std::string_view later =
    "not available yet: it arrives with the global clock and the full set of method factors";

constexpr Choice datatypes[] = {{"byte", "MPI_BYTE"},
                                {"int32", "MPI_INT32_T"},
                                {"int64", "MPI_INT64_T"},
                                {"float", "MPI_FLOAT"},
                                {"double", "MPI_DOUBLE"}};
constexpr Choice reductions[] = {
    {"sum", "MPI_SUM; not on bytes"}, {"max", "MPI_MAX; not on bytes"}, {"band", "MPI_BAND; not on float and double"}};
constexpr Choice buffers[] = {{"separate", "distinct send and receive arrays"},
                              {"same", "one array for both, MPI_IN_PLACE in collectives"}};
constexpr Choice clocks[] = {{"monotonic", "clock_gettime(CLOCK_MONOTONIC)"},
                             {"mpi", "MPI_Wtime"},
                             {"tsc", "the serialised cycle counter, calibrated to ns; refused unless it is invariant"},
                             {"gettimeofday", "gettimeofday, steps of 1 us"}};
constexpr Choice timings[] = {{"call", "every call is stamped on entry and exit"},
                              {"block", "calls back to back between two stamps"}};
constexpr Choice syncs[] = {{"none", "back to back: measures throughput"},
                            {"barrier", "MPI_Barrier, with the exit skew of the library under test"},
                            {"dissemination", "Groma's own barrier of ceil(log2 p) rounds"},
                            {"window", later, false},
                            {"roundtime", later, false}};
constexpr Choice reduces[] = {{"root", "the time of the root, or of the first rank"},
                              {"max", "the longest time over ranks"},
                              {"mean", "the mean time over ranks"},
                              {"min", "the shortest time over ranks"},
                              {"span", later, false},
                              {"post_arrival", later, false}};
constexpr Choice caches[] = {{"warm", "the same buffers every time"},
                             {"rotate", later, false},
                             {"sweep", later, false},
                             {"flush", later, false}};
constexpr Choice roots[] = {{"fixed", "root_rank in every repetition"},
                            {"rotate", "the next rank in every repetition, from root_rank on"},
                            {"random", "drawn from the plan's seed, the same on every rank"}};
constexpr Choice stops[] = {{"reps", "after `repetitions` samples"},
                            {"time", "when slot_s is over"},
                            {"ci", "when the 95 % interval of the median is within `precision` of it"},
                            {"rse", later, false}};
constexpr Choice orders[] = {{"sequential", "as written in the plan"},
                             {"interleaved", "rounds over all points, one batch of each"},
                             {"shuffled", "in an order drawn from the seed"}};

using P = Field<Point>;
constexpr P table[] = {
    {"operation",
     Type::text,
     &Point::operation,
     "pingpong",
     "",
     0,
     0,
     {},
     "what is timed; `groma-engine --help` lists the operations"},
    {"pattern",
     Type::text,
     &Point::pattern,
     "all",
     "",
     0,
     0,
     {},
     "who takes part: first_two, first_last, distance=k, neighbours, halves, all, list=0,3,..."},
    {"ranks",
     Type::integer,
     &Point::ranks,
     "0",
     "",
     0,
     huge,
     {},
     "only the first so many ranks take part; 0: all that were launched"},
    {"bytes", Type::size, &Point::bytes, "8", "bytes", 0, huge, {}, "length of one message"},
    {"datatype", Type::choice, &Point::datatype, "byte", "", 0, 0, datatypes,
     "type of the elements; bytes must be a multiple of its size"},
    {"reduction", Type::choice, &Point::reduction, "sum", "", 0, 0, reductions, "operation of the reductions"},
    {"buffers", Type::choice, &Point::buffers, "separate", "", 0, 0, buffers,
     "whether send and receive arrays are distinct (single-copy paths differ)"},
    {"alignment",
     Type::size,
     &Point::alignment,
     "4096",
     "bytes",
     1,
     2097152,
     {},
     "both arrays start at a multiple of this (a power of two), before receive_offset"},
    {"receive_offset",
     Type::size,
     &Point::receive_offset,
     "1088",
     "bytes",
     0,
     2097152,
     {},
     "added to the start of the receive array, so that the two arrays are not equal modulo 4096"},
    {"window",
     Type::integer,
     &Point::window,
     "64",
     "messages",
     1,
     65536,
     {},
     "messages in flight at once in the streaming operations"},
    {"clock", Type::choice, &Point::clock, "monotonic", "", 0, 0, clocks, "clock of the stamps"},
    {"timing", Type::choice, &Point::timing, "call", "", 0, 0, timings, "what lies between two stamps"},
    {"sync", Type::choice, &Point::sync, "dissemination", "", 0, 0, syncs,
     "how ranks are brought together before a timed call or block"},
    {"reduce", Type::choice, &Point::reduce, "max", "", 0, 0, reduces,
     "how the times of the ranks in one repetition become one"},
    {"cache", Type::choice, &Point::cache, "warm", "", 0, 0, caches, "state of the user buffers before a call"},
    {"root", Type::choice, &Point::root, "fixed", "", 0, 0, roots, "which rank is the root in each repetition"},
    {"root_rank",
     Type::integer,
     &Point::root_rank,
     "0",
     "rank",
     0,
     huge,
     {},
     "the fixed root, or where rotation starts"},
    {"stop", Type::choice, &Point::stop, "ci", "", 0, 0, stops, "when a point has enough samples"},
    {"repetitions", Type::integer, &Point::repetitions, "100", "samples", 1, 1e9, {}, "samples under stop=reps"},
    {"min_repetitions",
     Type::integer,
     &Point::min_repetitions,
     "50",
     "samples",
     1,
     1e9,
     {},
     "fewest samples under stop=ci, unless the slot is over"},
    {"max_repetitions",
     Type::integer,
     &Point::max_repetitions,
     "5000",
     "samples",
     1,
     1e9,
     {},
     "most samples under stop=ci and stop=time"},
    {"precision",
     Type::number,
     &Point::precision,
     "0.01",
     "of the median",
     1e-6,
     1,
     {},
     "half-width of the interval at which stop=ci is content"},
    {"slot_s",
     Type::number,
     &Point::slot_s,
     "0.5",
     "s",
     0.001,
     86400,
     {},
     "time for the samples of a point under stop=ci and stop=time"},
    {"warmups", Type::integer, &Point::warmups, "10", "calls", 0, 1e6, {}, "calls before the samples; recorded apart"},
    {"block",
     Type::integer,
     &Point::block,
     "0",
     "calls",
     0,
     1e9,
     {},
     "calls in a block; 0: enough for 20 us and 100 clock steps"},
    {"check",
     Type::boolean,
     &Point::check,
     "false",
     "",
     0,
     0,
     {},
     "check the payload after every batch too, not only before timing"},
    {"limit_s",
     Type::number,
     &Point::limit_s,
     "60",
     "s",
     0,
     86400,
     {},
     "a point that takes longer is ended by the watchdog; 0: no limit"},
};

constexpr Field<Plan> plan_table[] = {
    {"order", Type::choice, &Plan::order, "shuffled", "", 0, 0, orders,
     "the order in which the points of a launch are measured"},
    {"seed", Type::integer, &Plan::seed, "1", "", 0, huge, {}, "of the shuffled order and of random roots"},
};

std::string range_text(double minimum, double maximum) {
  return plain_number(minimum) + " to " + plain_number(maximum);
}

template <class Owner>
void check_choice(const Field<Owner>& field, std::string_view text) {
  std::vector<std::string_view> names;
  for (const Choice& choice : field.choices) {
    if (choice.name != text) {
      if (choice.available) names.push_back(choice.name);
      continue;
    }
    if (choice.available) return;
    throw InputError(std::string(field.name) + "=" + std::string(text) + " is " + std::string(choice.help) + "; " +
                     "choose another value of " + std::string(field.name) + " (groma-engine --help lists them)");
  }
  throw InputError(std::string(field.name) + "=" + std::string(text) + " is not known" + did_you_mean(text, names) +
                   "; choose from " + join(names, ", "));
}

template <class Owner>
double read_number(const Field<Owner>& field, std::string_view text) {
  const auto value = field.type == Type::number ? parse_number(text)
                     : field.type == Type::size ? parse_size(text)
                                                : parse_integer(text);
  if (!value) {
    throw InputError(std::string(field.name) + "=" + std::string(text) + " is not a " +
                     (field.type == Type::size     ? "size; write bytes such as 8, 1K, 64KiB or 4M"
                      : field.type == Type::number ? "number"
                                                   : "whole number"));
  }
  if (*value < field.minimum || *value > field.maximum) {
    throw InputError(std::string(field.name) + "=" + std::string(text) + " is out of range; allowed is " +
                     range_text(field.minimum, field.maximum) + (field.unit.empty() ? "" : " ") +
                     std::string(field.unit));
  }
  return *value;
}

}  // namespace

std::span<const Field<Point>> point_fields() { return table; }
std::span<const Field<Plan>> plan_fields() { return plan_table; }

template <class Owner>
void set_field(Owner& owner, const Field<Owner>& field, std::string_view text) {
  if (field.type == Type::choice) check_choice(field, text);
  std::visit(
      [&]<class Value>(Value Owner::*member) {
        if constexpr (std::is_same_v<Value, std::string>) {
          owner.*member = text;
        } else if constexpr (std::is_same_v<Value, bool>) {
          if (text != "true" && text != "false") {
            throw InputError(std::string(field.name) + "=" + std::string(text) + " is neither true nor false");
          }
          owner.*member = text == "true";
        } else {
          owner.*member = static_cast<Value>(read_number(field, text));
        }
      },
      field.member);
}

template <class Owner>
std::string field_text(const Owner& owner, const Field<Owner>& field) {
  return std::visit(
      [&]<class Value>(Value Owner::*member) -> std::string {
        if constexpr (std::is_same_v<Value, std::string>) {
          return owner.*member;
        } else if constexpr (std::is_same_v<Value, bool>) {
          return owner.*member ? "true" : "false";
        } else {
          return plain_number(static_cast<double>(owner.*member));
        }
      },
      field.member);
}

template void set_field(Point&, const Field<Point>&, std::string_view);
template void set_field(Plan&, const Field<Plan>&, std::string_view);
template std::string field_text(const Point&, const Field<Point>&);
template std::string field_text(const Plan&, const Field<Plan>&);

std::map<std::string_view, std::string_view> operation_defaults(const Info& info) {
  std::map<std::string_view, std::string_view> defaults;
  if (info.family != Family::collective) defaults["timing"] = "block";
  if (info.family != Family::collective) defaults["sync"] = "none";
  if (info.parties == Parties::pairs) defaults["pattern"] = "first_two";
  if (info.reduces) defaults["datatype"] = "float";
  if (info.send == Size::none) defaults["bytes"] = "0";
  if (!info.pattern.empty()) defaults["pattern"] = info.pattern;
  if (!info.sync.empty()) defaults["sync"] = info.sync;
  return defaults;
}

Point default_point(const Info& info) {
  Point point;
  const auto defaults = operation_defaults(info);
  for (const auto& field : point_fields()) {
    const auto own = defaults.find(field.name);
    set_field(point, field, own == defaults.end() ? field.default_text : own->second);
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
