#include "groma/launch/command_line.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <sstream>

#include "groma/plan/fields.hpp"
#include "groma/record/point_json.hpp"
#include "groma/text/words.hpp"

namespace groma {
namespace {

constexpr std::string_view standard_input = "-";
constexpr const char* first_messages_option = "first-messages";

std::string contents(const std::string& path) {
  std::ifstream named(path == standard_input ? "/dev/stdin" : path);
  std::ostringstream text;
  if (!named || !(text << named.rdbuf())) {
    throw InputError("can't read the plan " + path + ": " + std::strerror(errno) + "; name a file that exists");
  }
  return text.str();
}

/// Options by name and operations by place, before they mean anything.
struct Words {
  std::vector<std::string> operations;
  std::map<std::string, std::string> options;
};

Words sort_words(const std::vector<std::string>& arguments) {
  Words words;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (!word.starts_with("-")) {
      words.operations.push_back(word);
      continue;
    }
    if (!word.starts_with("--"))
      throw InputError(word + " is not an option; options start with two dashes, see --help");
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
    if (equals == std::string::npos && i + 1 >= arguments.size()) throw InputError("--" + name + " needs a value");
    const std::string value = equals == std::string::npos ? arguments[++i] : word.substr(equals + 1);
    if (!words.options.emplace(name, value).second) throw InputError("--" + name + " is given twice; give it once");
  }
  return words;
}

std::optional<std::string> take(Words& words, const std::string& name) {
  const auto found = words.options.find(name);
  if (found == words.options.end()) return std::nullopt;
  std::string value = found->second;
  words.options.erase(found);
  return value;
}

bool set_if_field(Plan& plan, const std::string& name, const std::string& value) {
  for (const auto& field : plan_fields()) {
    if (field.name != name) continue;
    set_field(plan, field, value);
    return true;
  }
  return false;
}

[[noreturn]] void refuse_option(const std::string& name, std::span<const Parameter> parameters) {
  std::vector<std::string_view> known{"plan",  "out",      "nodes", "pairs",  first_messages_option,
                                      "check", "describe", "help",  "version"};
  for (const Parameter& one : settable(parameters)) known.push_back(one.name);
  for (const auto& field : plan_fields()) known.push_back(field.name);
  throw InputError("--" + name + " is not an option" + did_you_mean(name, known) + "; see --help");
}

/// A table is read from top to bottom, so its rows come as typed unless an order is asked for.
Plan plan_from_words(Words& words, const std::vector<Entry>& entries, bool as_table) {
  Plan plan = default_plan();
  if (as_table) plan.order = method::Order::sequential;
  for (const auto& [name, value] : words.options) {
    if (!is_utf8(value)) throw InputError("the value of --" + name + " is not UTF-8 text; write it as such");
  }
  const auto bytes = take(words, "bytes");
  const std::vector<std::int64_t> sizes = bytes ? parse_sizes(*bytes) : std::vector<std::int64_t>{};
  for (auto option = words.options.begin(); option != words.options.end();) {
    option = set_if_field(plan, option->first, option->second) ? words.options.erase(option) : std::next(option);
  }
  if (words.operations.empty())
    throw InputError("no operation and no --plan; name what to measure, such as pingpong, or see --help");
  const std::vector<Parameter> parameters = parameters_of(entries);
  for (const std::string& name : words.operations) {
    const Info& info = entry_named(entries, name).info;
    Point point = default_point(info);
    for (const auto& [field, value] : words.options) {
      if (field == "operation" || !set_by_name(point, parameters, field, value)) refuse_option(field, parameters);
    }
    if (sizes.empty() || info.send == Size::none) {
      plan.points.push_back(point);
      continue;
    }
    for (const std::int64_t size : sizes) {
      point.bytes = size;
      plan.points.push_back(point);
    }
  }
  return plan;
}

}  // namespace

Command::Verb verb_of(const std::vector<std::string>& arguments) {
  for (const std::string& word : arguments) {
    if (word == "--help" || word == "-h") return Command::Verb::help;
    if (word == "--describe") return Command::Verb::describe;
    if (word == "--version") return Command::Verb::version;
    if (word == "--check") return Command::Verb::check;
  }
  return Command::Verb::measure;
}

namespace {

Command command_of(Words words, const std::vector<Entry>& entries) {
  Command command;
  command.out = take(words, "out").value_or("");
  command.nodes = take(words, "nodes").value_or("");
  command.pairs = take(words, "pairs").value_or("");
  if (const auto first_messages = take(words, first_messages_option)) {
    if (*first_messages != "yes") throw InputError("--first-messages is yes, or is left out");
  }
  const auto file = take(words, "plan");
  if (!file) {
    command.plan = plan_from_words(words, entries, command.out.empty());
    return command;
  }
  if (!words.options.empty()) {
    throw InputError("--" + words.options.begin()->first + " and --plan don't go together; write it into the plan");
  }
  if (!words.operations.empty()) throw InputError("an operation and --plan don't go together; write it into the plan");
  command.plan = plan_from_json(contents(*file), *file == standard_input ? "the plan" : *file, entries);
  return command;
}

}  // namespace

Command read_command(const std::vector<std::string>& arguments, const std::vector<Entry>& entries) {
  return command_of(sort_words(arguments), entries);
}

Beforehand asked_beforehand(const std::vector<std::string>& arguments, const std::vector<Entry>& entries) {
  try {
    Words words = sort_words(arguments);
    const auto first_messages = take(words, first_messages_option);
    const auto file = words.options.find("plan");
    const bool in_words = file == words.options.end();
    // A pipe can be read once, and that is rank 0's turn, later.
    const bool once = !in_words && !std::filesystem::is_regular_file(file->second);
    Beforehand asked = beforehand_of(once ? default_plan() : command_of(words, entries).plan, entries);
    // Ranks that can't read the plan would not join: all have the same words.
    asked.first_messages = first_messages.has_value() || (in_words && asked.first_messages);
    return asked;
  } catch (const InputError&) {  // rank 0 will say what is wrong
    return {.thread_level = default_plan().thread_level, .cpus = {}};
  }
}

CheckCommand read_check(std::vector<std::string> arguments, const std::vector<Entry>& entries) {
  CheckCommand command;
  std::erase(arguments, "--check");
  command.all = std::erase(arguments, "--all") > 0;
  Words words = sort_words(arguments);
  const auto ranks = take(words, "ranks");
  if (!ranks)
    throw InputError("--check needs to know how many ranks a launch would have; add --ranks, such as 4 or 2,4");
  for (const std::string_view count : split(*ranks, ',')) {
    const auto number = parse_integer(count);
    if (!number || *number < 1 || *number > std::numeric_limits<int>::max()) {
      throw InputError("--ranks '" + *ranks + "' is no number of ranks; use one such as 4, or a list such as 2,4");
    }
    command.ranks.push_back(static_cast<int>(*number));
  }
  command.plan = command_of(std::move(words), entries).plan;
  return command;
}

}  // namespace groma
