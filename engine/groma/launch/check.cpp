#include "groma/launch/check.hpp"

#include <nlohmann/json.hpp>

#include "groma/errors.hpp"
#include "groma/launch/validate.hpp"
#include "groma/text/output.hpp"

namespace groma {
namespace {

/// Without what the library lacks, if it can run any point of the plan: a launch measures that.
std::string refusal_of(const Point& point, const std::vector<Entry>& entries, int ranks, bool any) {
  try {
    static_cast<void>(unfit(point, entries, ranks));
  } catch (const LackingError& error) {
    return any ? "" : error.what();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

std::vector<Refusal> refusals(const CheckCommand& asked, const std::vector<Entry>& entries) {
  std::vector<Refusal> found;
  const bool any = library_has_any(asked.plan, entries);
  for (const int ranks : asked.ranks) {
    for (std::size_t index = 0; index < asked.plan.points.size(); ++index) {
      std::string message = refusal_of(asked.plan.points[index], entries, ranks, any);
      if (!message.empty()) found.push_back({.index = index, .ranks = ranks, .message = std::move(message)});
    }
  }
  return found;
}

int check_plan(const std::vector<std::string>& arguments, const std::vector<Entry>& entries) {
  const CheckCommand asked = read_check(arguments, entries);
  const std::vector<Refusal> found = refusals(asked, entries);
  if (found.empty()) return 0;
  if (!asked.all) throw InputError(found.front().message);
  std::string lines;
  for (const Refusal& one : found) {
    const nlohmann::ordered_json line{{"index", one.index}, {"ranks", one.ranks}, {"message", one.message}};
    lines += line.dump() + "\n";
  }
  print(lines);
  return 2;
}

}  // namespace groma
