#include "groma/record/describe.hpp"

#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "groma/buffers/layout.hpp"
#include "groma/buffers/payload.hpp"
#include "groma/patterns/groups.hpp"
#include "groma/plan/fields.hpp"
#include "groma/record/point_json.hpp"
#include "groma/schema/describe.hpp"
#include "groma/text/words.hpp"
#include "groma/watchdog/watchdog.hpp"

namespace groma {

using Json = nlohmann::ordered_json;

namespace {

std::string_view family_name(Family family) {
  static constexpr std::string_view names[] = {"harness", "point_to_point", "collective"};
  static_assert(std::size(names) == static_cast<std::size_t>(Family::collective) + 1);
  return name_in(names, family);
}

std::string_view validation_text(Result result) {
  switch (result) {
    case Result::none:
    case Result::stated:
    case Result::stated_any_order:
    case Result::stated_plus_own:
      return "";
    case Result::own:
      return "every element is the one that this rank had";
    case Result::from_partner:
      return "every element received is the one that the partner sent";
    case Result::from_left:
      return "every element received is the one that the left neighbour sent";
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
    case Result::reduced:
      return "every element is the reduction of all ranks' elements, recomputed";
    case Result::reduced_block:
      return "every element is that of this rank's block of the reduction, recomputed";
    case Result::reduced_through:
      return "every element is the reduction over the ranks up to this one, recomputed";
    case Result::reduced_before:
      return "every element is the reduction over the ranks before this one, recomputed";
    case Result::reduced_with_partner:
      return "every element is the reduction of the target's and the origin's, recomputed";
    case Result::fetched_and_reduced:
      return "the target holds the reduction of its elements and the origin's, recomputed, and the origin the target's";
    case Result::reduced_own:
      return "every element is the reduction of this rank's and of the one that the array held, recomputed";
    case Result::transposed:
      return "every element of this rank's rows is the one in the column of that number before";
    case Result::gradient_step:
      return "every element is that of the step, recomputed from all ranks' parts in whole numbers";
  }
  return "";
}

/// How algorithm and bus bandwidth are reckoned; null if neither is defined.
Json bus_of(const Info& info) {
  if (info.bus == Bus::undefined) return nullptr;
  const char* size = algorithm_bytes(info, {.bytes = 1, .ranks = 2}) == 2 ? "bytes times ranks" : "bytes";
  const char* factor = info.bus == Bus::whole ? "1" : info.bus == Bus::others ? "(p - 1) / p" : "2 (p - 1) / p";
  return {{"size", size}, {"factor", factor}};
}

Json uses_of(const Entry& entry) {
  const Info& info = entry.info;
  Json uses = Json::array();
  const auto add = [&](bool used, std::initializer_list<const char*> fields) {
    for (const char* field : fields) {
      if (used) uses.push_back(field);
    }
  };
  add(info.send != Size::none, {"bytes", "bytes_of", "datatype", "allocation", "memory", "send_memory",
                                "receive_memory", "alignment", "receive_offset"});
  add(has_layouts(info), {"layout"});
  add(info.reduces, {"reduction"});
  add(info.rooted, {"root", "root_rank"});
  for (const Option& own : entry.options) uses.push_back(own.parameter.name);
  add(info.sharing != Sharing::refused, {"buffers"});
  return uses;
}

Json defaults_of(const Entry& entry) {
  std::map<std::string_view, std::string_view> texts = operation_defaults(entry.info);
  std::vector<Parameter> own;
  for (const Option& one : entry.options) {
    own.push_back(one.parameter);
    if (one.default_text != one.parameter.default_text) texts[one.parameter.name] = one.default_text;
  }
  const std::vector<Parameter> known = settable(own);
  Json out = Json::object();
  for (const auto& [name, text] : texts) {
    const auto one = std::ranges::find(known, name, &Parameter::name);
    out[std::string(name)] = value_json(read_value(*one, text));
  }
  return out;
}

/// What families say of their own operations, under the family's name; null for all other operations.
void add_facts(Json& out, const Entry& entry, const std::vector<Entry>& entries) {
  for (const Entry& other : entries) {
    if (!other.facts.family.empty()) out[std::string(other.facts.family)] = nullptr;
  }
  if (entry.facts.family.empty()) return;
  Json own = Json::object();
  for (const auto& [name, value] : entry.facts.facts) own[std::string(name)] = value_json(value);
  out[std::string(entry.facts.family)] = own;
}

Json describe_operation(const Entry& entry, const std::vector<Entry>& entries) {
  const Info& info = entry.info;
  Json out{{"name", info.name},
           {"family", family_name(info.family)},
           {"summary", info.summary},
           {"calls", info.calls},
           {"form_of", info.form_of},
           {"lacks", entry.lacks},
           {"time", info.time},
           {"divisor", info.divisor},
           {"phases", std::vector<std::string_view>(entry.phases.begin(), entry.phases.end())},
           {"bandwidth", info.bandwidth},
           {"bus", bus_of(info)},
           {"validation", info.validation.empty() ? validation_text(info.result) : info.validation},
           {"min_ranks", info.min_ranks},
           {"touches", !entry.touched.empty()},
           {"after_init", entry.after_init},
           {"uses", uses_of(entry)},
           {"defaults", defaults_of(entry)}};
  add_facts(out, entry, entries);
  return out;
}

Json describe_field(const Parameter& field, std::string_view scope) {
  const bool numeric = field.type == Type::integer || field.type == Type::size || field.type == Type::number;
  Json choices = Json::array();
  for (const Choice& choice : field.choices) {
    choices.push_back({{"name", choice.name}, {"help", choice.help}});
  }
  return {{"name", field.name},
          {"scope", scope},
          {"type", type_name(field.type)},
          {"unit", field.unit},
          {"default", value_json(read_value(field, field.default_text))},
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

void help_fields(std::string& out, std::span<const Parameter> fields) {
  for (const Parameter& field : fields) {
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
    std::snprintf(line, sizeof line, "  %-32s %s\n", name.c_str(), std::string(one.summary).c_str());
    out += line;
  }
}

}  // namespace

std::string engine_version() { return GROMA_VERSION; }

Json describe(const std::vector<Entry>& entries) {
  Json out{{"schema", 1}, {"engine", engine_version()}};
  out["operations"] = Json::array();
  for (const Entry& entry : entries) out["operations"].push_back(describe_operation(entry, entries));
  out["patterns"] = facts_json(patterns());
  out["communicators"] = facts_json(communicators());
  out["datatypes"] = Json::array();
  for (std::size_t at = 0; at < std::size(payload::datatypes); ++at) {
    const auto datatype = static_cast<payload::Datatype>(at);
    out["datatypes"].push_back({{"name", name_of(datatype)}, {"bytes", element_bytes(datatype)}});
  }
  out["fields"] = Json::array();
  for (const Parameter& field : settable(parameters_of(entries)))
    out["fields"].push_back(describe_field(field, "point"));
  for (const auto& field : plan_fields()) out["fields"].push_back(describe_field(field, "plan"));
  out["records"] = schema::describe_kinds();
  out["exit_codes"] = Json::array();
  for (const ExitCode& one : exit_codes) out["exit_codes"].push_back({{"code", one.code}, {"meaning", one.meaning}});
  return out;
}

std::string help(const std::vector<Entry>& entries) {
  std::string out =
      "Measures MPI communication and prints a table, or writes records with --out.\n\n"
      "  mpiexec -n RANKS groma-engine OPERATION... [--FIELD VALUE]...\n"
      "  mpiexec -n RANKS groma-engine --plan plan.json --out points.jsonl [--nodes nodes.json]"
      " [--pairs PAIRS] [--first-messages yes]\n"
      "  groma-engine --check --ranks RANKS [--all] OPERATION... [--FIELD VALUE]... | --plan plan.json\n"
      "  groma-engine --describe | --help | --version\n\n"
      "--check judges a plan for RANKS ranks without MPI and without measuring: 4, or a list such as 2,4;\n"
      "--all prints every point that is refused as a JSON line (index, ranks, message), --plan - reads standard "
      "input.\n"
      "--bytes takes one size, a list (8,64,1K) or a range that doubles (8:1M).\n"
      "A table is measured in the order typed unless --order says otherwise.\n\nOperations:\n";
  for (const Entry& entry : entries) {
    char line[256];
    std::snprintf(line, sizeof line, "  %-32s %s\n", std::string(entry.info.name).c_str(),
                  std::string(entry.info.summary).c_str());
    out += line;
  }
  help_facts(out, "Patterns (--pattern)", patterns());
  help_facts(out, "Communicators (--communicator)", communicators());
  out += "\nFields of a point (defaults of some operations differ; see --describe):\n";
  help_fields(out, settable(parameters_of(entries)));
  out += "\nFields of a plan:\n";
  help_fields(out, std::vector<Parameter>(plan_fields().begin(), plan_fields().end()));
  out += "\nExit codes:\n";
  for (const ExitCode& one : exit_codes) out += "  " + std::to_string(one.code) + "  " + one.meaning + "\n";
  return out;
}

}  // namespace groma
