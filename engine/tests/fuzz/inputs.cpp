// Any bytes as a plan or as the words of a command line: they are read and judged for several rank counts, or refused
// by an InputError. tests/engine/test_fuzz.py builds this with libFuzzer and the sanitizers for addresses and undefined
// behaviour, and gives it plans and commands to begin with.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "groma/errors.hpp"
#include "groma/launch/check.hpp"
#include "groma/launch/command_line.hpp"
#include "groma/operations/catalogue.hpp"
#include "groma/record/point_json.hpp"
#include "groma/text/words.hpp"

namespace {

constexpr std::size_t most_points = 64;  // that are judged, of each plan

const std::vector<groma::Entry>& entries() {
  static const std::vector<groma::Entry> all = groma::catalogue();
  return all;
}

void judge(groma::Plan plan) {
  if (plan.points.size() > most_points) plan.points.resize(most_points);
  const groma::Plan again = groma::plan_from_json(groma::plan_json(plan, entries()).dump(), "the plan", entries());
  if (again.points.size() != plan.points.size()) std::abort();
  static_cast<void>(groma::refusals({.ranks = {1, 2, 3, 8}, .all = true, .plan = plan}, entries()));
}

void read_as_plan(const std::string& text) {
  const groma::Plan plan = groma::plan_from_json(text, "the plan", entries());
  static_cast<void>(groma::beforehand_of(plan, entries()));
  judge(plan);
}

/// The words are lines. A file that they name isn't opened: it could be any of this machine.
void read_as_command(const std::string& text) {
  std::vector<std::string> words;
  for (const std::string_view word : groma::split(text, '\n')) {
    if (!word.starts_with("--plan")) words.emplace_back(word);
  }
  static_cast<void>(groma::verb_of(words));
  static_cast<void>(groma::asked_beforehand(words, entries()));
  judge(groma::read_command(words, entries()).plan);
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  const std::string text(data, data + bytes);
  try {
    if (text.starts_with('{')) {
      read_as_plan(text);
    } else {
      read_as_command(text);
    }
  } catch (const groma::InputError& error) {
    if (std::string(error.what()).empty()) std::abort();
  }
  return 0;
}
