#include "groma/record/describe.hpp"

#include <cstdio>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "groma/buffers/layout.hpp"
#include "groma/measure/watchdog.hpp"
#include "groma/patterns/groups.hpp"
#include "groma/plan/fields.hpp"
#include "groma/plan/words.hpp"

namespace groma {
namespace {

using Json = nlohmann::ordered_json;

std::string_view family_name(Family family) {
  switch (family) {
    case Family::harness:
      return "harness";
    case Family::point_to_point:
      return "point_to_point";
    case Family::collective:
      return "collective";
  }
  return "";
}

std::string_view validation_text(Result result) {
  switch (result) {
    case Result::none:
      return "";
    case Result::from_partner:
      return "every element received is the one that the partner sent";
    case Result::from_left:
      return "every element received is the one that the left neighbour sent";
    case Result::from_neighbours:
      return "every element received is the one that the left or right neighbour sent";
    case Result::from_faces:
      return "every element received through a face is the one that the neighbour there sent for it";
    case Result::from_targets:
      return "every element received is the one that this target sent";
    case Result::from_any_target:
      return "every message received is one that a target sent, and together they are all of them";
    case Result::from_root:
      return "every element on every rank is the root's";
    case Result::from_root_block:
      return "every element is that of the root's block for this rank";
    case Result::from_all:
      return "block r is what rank r sent, for every r";
    case Result::from_others:
      return "block r is what rank r sent, for every other r";
    case Result::from_all_block:
      return "block r is what rank r sent to this rank, for every r";
    case Result::from_sources:
      return "every element of every message for this rank is the one that its source sent";
    case Result::reduced:
      return "every element is the reduction of all ranks' elements, computed anew";
    case Result::reduced_block:
      return "every element is that of this rank's block of the reduction, computed anew";
    case Result::reduced_through:
      return "every element is the reduction over the ranks up to this one, computed anew";
    case Result::reduced_before:
      return "every element is the reduction over the ranks before this one, computed anew";
    case Result::face_sums:
      return "every element of a face is the sum of the neighbour's and this rank's own, computed anew";
    case Result::transposed:
      return "every element of this rank's rows is the one in the column of that number before";
    case Result::gradient_step:
      return "every element is that of the step, computed anew from all ranks' parts in whole numbers";
  }
  return "";
}

/// How algorithm and bus bandwidth are reckoned; null where neither is defined.
Json bus_of(const Info& info) {
  if (info.bus == Bus::undefined) return nullptr;
  const char* size = algorithm_bytes(info, {.bytes = 1, .ranks = 2}) == 2 ? "bytes times ranks" : "bytes";
  const char* factor = info.bus == Bus::whole ? "1" : info.bus == Bus::others ? "(p - 1) / p" : "2 (p - 1) / p";
  return {{"size", size}, {"factor", factor}};
}

Json uses_of(const Info& info) {
  Json uses = Json::array();
  const auto add = [&](bool used, std::initializer_list<const char*> fields) {
    for (const char* field : fields) {
      if (used) uses.push_back(field);
    }
  };
  add(info.send != Size::none, {"bytes", "bytes_of", "datatype", "alignment", "receive_offset"});
  add(has_layouts(info), {"layout"});
  add(info.reduces, {"reduction"});
  add(info.rooted, {"root", "root_rank"});
  add(info.segmented, {"segments"});
  add(info.send == Size::transfers, {"map_messages", "map_sides", "map_seed", "map_send_buffer"});
  add(info.swap.number >= 0, {"swap_messages", "swap_order", "swap_overlap"});
  add(info.windowed || info.receive == Size::window || info.receive == Size::targets, {"window"});
  add(info.receive == Size::window && !info.spaces, {"receive_window"});
  add(info.receive == Size::targets, {"targets"});
  add(info.receive == Size::faces, {"dimensions"});
  add(info.computes || info.spaces, {"compute"});
  add(info.computes, {"tests"});
  add(info.sharing != Sharing::refused, {"buffers"});
  return uses;
}

template <class Owner>
Json typed_default(const Field<Owner>& field, std::string_view text) {
  if (field.type == Type::boolean) return text == "true";
  if (field.type == Type::integer || field.type == Type::size) return static_cast<std::int64_t>(*parse_integer(text));
  if (field.type == Type::number) return *parse_number(text);
  return std::string(text);
}

Json defaults_of(const Info& info) {
  Json out = Json::object();
  for (const auto& [name, text] : operation_defaults(info)) {
    for (const auto& field : point_fields()) {
      if (field.name == name) out[std::string(name)] = typed_default(field, text);
    }
  }
  return out;
}

Json swap_of(const Info& info) {
  if (info.swap.number < 0) return nullptr;
  return {{"number", info.swap.number}, {"alike", info.swap.alike}, {"overlaps", info.swap.overlaps}};
}

Json describe_operation(const Entry& entry) {
  const Info& info = entry.info;
  return {{"name", info.name},
          {"family", family_name(info.family)},
          {"summary", info.summary},
          {"calls", info.calls},
          {"time", info.time},
          {"divisor", info.divisor},
          {"phases", std::vector<std::string_view>(entry.phases.begin(), entry.phases.end())},
          {"bandwidth", info.bandwidth},
          {"bus", bus_of(info)},
          {"validation", validation_text(info.result)},
          {"min_ranks", info.min_ranks},
          {"uses", uses_of(info)},
          {"defaults", defaults_of(info)},
          {"swap", swap_of(info)}};
}

template <class Owner>
Json describe_field(const Field<Owner>& field, std::string_view scope) {
  const bool numeric = field.type == Type::integer || field.type == Type::size || field.type == Type::number;
  Json choices = Json::array();
  for (const Choice& choice : field.choices) {
    choices.push_back({{"name", choice.name}, {"help", choice.help}});
  }
  return {{"name", field.name},
          {"scope", scope},
          {"type", type_name(field.type)},
          {"unit", field.unit},
          {"default", typed_default(field, field.default_text)},
          {"minimum", numeric ? Json(field.minimum) : Json(nullptr)},
          {"maximum", numeric ? Json(field.maximum) : Json(nullptr)},
          {"choices", choices},
          {"help", field.help}};
}

struct ExitCode {
  int code;
  const char* meaning;
};
constexpr ExitCode exit_codes[] = {
    {0, "everything asked was measured"},
    {1, "failed or partial; what was measured is in the records"},
    {2, "bad input; nothing was measured"},
    {watchdog_exit_code, "a point, or the start of the launch, exceeded its limit and the watchdog ended the launch"}};

template <class Owner>
void help_fields(std::string& out, std::span<const Field<Owner>> fields) {
  for (const auto& field : fields) {
    char line[256];
    const std::string unit = field.unit.empty() ? "" : " [" + std::string(field.unit) + "]";
    std::snprintf(line, sizeof line, "  --%-16s %s%s (default %s)\n", std::string(field.name).c_str(),
                  std::string(field.help).c_str(), unit.c_str(), std::string(field.default_text).c_str());
    out += line;
    for (const Choice& choice : field.choices) {
      out += "      " + std::string(choice.name) + ": " + std::string(choice.help) + "\n";
    }
  }
}

Json facts_json(const std::vector<PatternFacts>& all) {
  Json out = Json::array();
  for (const PatternFacts& one : all) {
    out.push_back({{"name", one.name}, {"argument", one.argument}, {"summary", one.summary}});
  }
  return out;
}

void help_facts(std::string& out, std::string_view heading, const std::vector<PatternFacts>& all) {
  out.append("\n").append(heading).append(":\n");
  for (const PatternFacts& one : all) {
    std::string name(one.name);
    if (!one.argument.empty()) name.append("=").append(one.argument);
    char line[256];
    std::snprintf(line, sizeof line, "  %-22s %s\n", name.c_str(), std::string(one.summary).c_str());
    out += line;
  }
}

}  // namespace

std::string engine_version() { return GROMA_VERSION; }

Json describe(const std::vector<Entry>& entries) {
  Json out{{"schema", 1}, {"engine", engine_version()}};
  out["operations"] = Json::array();
  for (const Entry& entry : entries) out["operations"].push_back(describe_operation(entry));
  out["patterns"] = facts_json(patterns());
  out["communicators"] = facts_json(communicators());
  out["fields"] = Json::array();
  for (const auto& field : point_fields()) out["fields"].push_back(describe_field(field, "point"));
  for (const auto& field : plan_fields()) out["fields"].push_back(describe_field(field, "plan"));
  out["exit_codes"] = Json::array();
  for (const ExitCode& one : exit_codes) out["exit_codes"].push_back({{"code", one.code}, {"meaning", one.meaning}});
  return out;
}

std::string help(const std::vector<Entry>& entries) {
  std::string out =
      "Measures MPI communication and prints a table, or writes records with --out.\n\n"
      "  mpiexec -n RANKS groma-engine OPERATION... [--FIELD VALUE]...\n"
      "  mpiexec -n RANKS groma-engine --plan plan.json --out points.jsonl [--nodes nodes.json]"
      " [--pairs PAIRS]\n"
      "  groma-engine --describe | --help | --version\n\n"
      "--bytes takes one size, a list (8,64,1K) or a range that doubles (8:1M).\n"
      "A table is measured in the order typed unless --order says otherwise.\n\nOperations:\n";
  for (const Entry& entry : entries) {
    char line[256];
    std::snprintf(line, sizeof line, "  %-22s %s\n", std::string(entry.info.name).c_str(),
                  std::string(entry.info.summary).c_str());
    out += line;
  }
  help_facts(out, "Patterns (--pattern)", patterns());
  help_facts(out, "Communicators (--communicator)", communicators());
  out += "\nFields of a point (defaults of some operations differ; see --describe):\n";
  help_fields(out, point_fields());
  out += "\nFields of a plan:\n";
  help_fields(out, plan_fields());
  out += "\nExit codes:\n";
  for (const ExitCode& one : exit_codes) out += "  " + std::to_string(one.code) + "  " + one.meaning + "\n";
  return out;
}

}  // namespace groma
