// What an operation of one's own declares beside itself, and what is made of it.
#include "groma/parameter.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "groma/errors.hpp"
#include "groma/plan/fields.hpp"
#include "groma/record/describe.hpp"
#include "groma/record/point_json.hpp"
#include "groma/timed/entry_of.hpp"

namespace groma {
namespace {

enum class Shade { dark, light };
constexpr Choice shades[] = {{"dark", "little light"}, {"light", "much"}};
constexpr Parameter turns = parameter::count("turns", "3", "calls", {1, 9}, "how often");

struct PaintOptions {
  int turns = 0;
  Shade shade = Shade::dark;
  double share = 0;
  bool twice = false;

  static constexpr auto table() {
    return std::array{option<&PaintOptions::turns>(groma::turns, "4"),
                      option<&PaintOptions::shade>(parameter::choice("shade", "light", shades, "of the paint")),
                      option<&PaintOptions::share>(parameter::number("share", "0.5", "of all", {0, 1}, "how much")),
                      option<&PaintOptions::twice>(parameter::flag("twice", "once more"))};
  }
};

/// An operation with options, memory, traffic, a check and a resource of its own.
struct Paint {
  using Options = PaintOptions;
  static constexpr Info info{.name = "paint", .summary = "", .calls = "", .receive = Size::stated};
  static constexpr Memory memory(const Shape& shape, const Options& options) {
    return {.send_bytes = 0, .receive_bytes = options.turns * shape.bytes};
  }
  static constexpr std::int64_t messages(const Shape&, const Options& options) { return options.turns; }
  static void check(const Request& request, const Options& options) {
    if (options.twice) throw InputError("twice=true of " + std::string(request.operation) + " can't be");
  }
  static inline std::string events;

  Site site;
  Buffers buffers;
  Options options;
  void open() { events += "open(" + std::to_string(options.turns) + ") "; }
  void bind() { events += "bind "; }
  void close() { events += "close"; }
  void step() noexcept {}
};

/// Another one, which has a parameter of the same name.
struct Wash {
  struct Options {
    int turns = 0;
    static constexpr auto table() {
      return std::array{option<&Options::turns>(parameter::count("turns", "5", "calls", {1, 9}, "how often"))};
    }
  };
  static constexpr Info info{.name = "wash", .summary = "", .calls = ""};
  Site site;
  Buffers buffers;
  Options options;
  void step() noexcept {}
};

const Entry& paint() {
  static const Entry entry = entry_of<Paint>();
  return entry;
}

std::vector<Entry> with_paint() {
  std::vector<Entry> entries = catalogue();
  entries.push_back(paint());
  return entries;
}

std::string refusal_of(const std::string& plan) {
  try {
    plan_from_json(plan, "p", with_paint());
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Parameters, OptionsAreTypedAndHaveDefaults) {
  const auto usual = options_of<PaintOptions>({});
  EXPECT_EQ(usual.turns, 4) << "the operation's own default, not the parameter's";
  EXPECT_EQ(usual.shade, Shade::light);
  EXPECT_EQ(usual.share, 0.5);
  EXPECT_FALSE(usual.twice);
  Settings settings;
  set_options(settings, PaintOptions{.turns = 2, .shade = Shade::dark, .share = 0.25, .twice = true});
  const auto set = options_of<PaintOptions>(settings);
  EXPECT_EQ(set.turns, 2);
  EXPECT_EQ(set.shade, Shade::dark);
  EXPECT_EQ(set.share, 0.25);
  EXPECT_TRUE(set.twice);
}

TEST(Parameters, PlansSetAndRecordsHoldThem) {
  const std::vector<Entry> entries = with_paint();
  const Plan plan =
      plan_from_json(R"({"schema": 1, "points": [{"operation": "paint", "shade": "dark"}]})", "p", entries);
  const auto json = point_json(plan.points.front(), entries);
  EXPECT_EQ(json["turns"], 4);
  EXPECT_EQ(json["shade"], "dark");
  EXPECT_EQ(json["share"], 0.5);
  EXPECT_EQ(json["twice"], false);
  EXPECT_EQ(json["window"], 64) << "of other operations";
  EXPECT_EQ(point_json(default_point(entries.front().info), entries)["turns"], 3);
}

TEST(Parameters, WrongValuesAreRefusedAsThoseOfFields) {
  const auto of = [](const std::string& field) {
    return refusal_of(R"({"schema": 1, "points": [{"operation": "paint", )" + field + "}]}");
  };
  EXPECT_EQ(of(R"("turns": 10)"), "p, point 0: turns=10 is out of range; allowed is 1 to 9 calls");
  EXPECT_NE(of(R"("shade": "drak")").find("did you mean dark?"), std::string::npos);
  EXPECT_NE(of(R"("trns": 1)").find("did you mean turns?"), std::string::npos);
  EXPECT_EQ(of(R"("turns": 9)"), "");
}

TEST(Parameters, TheDescriptionTellsOfThem) {
  const auto described = describe(with_paint());
  const auto& operation = described["operations"].back();
  EXPECT_EQ(operation["uses"], (nlohmann::ordered_json{"turns", "shade", "share", "twice"}));
  EXPECT_EQ(operation["defaults"]["turns"], 4);
  EXPECT_EQ(operation["swap"], nullptr);
  for (const auto& field : described["fields"]) {
    if (field["name"] != "turns") continue;
    EXPECT_EQ(field["default"], 3);
    EXPECT_EQ(field["maximum"], 9.0);
    return;
  }
  FAIL() << "no field turns";
}

TEST(Parameters, MemoryTrafficAndCheckFollowThem) {
  const Configured operation(paint(), {{"turns", std::int64_t{7}}});
  EXPECT_EQ(operation.memory({.bytes = 10}).receive_bytes, 70);
  EXPECT_EQ(operation.messages({}), 7);
  const Settings twice{{"twice", true}};
  const Request request{.operation = "paint", .settings = twice};
  EXPECT_NO_THROW(operation.check(request));
  EXPECT_THROW(Configured(paint(), twice).check(request), InputError);
}

TEST(Parameters, ResourcesAreOpenedBeforeAndClosedAfter) {
  Paint::events.clear();
  {
    const auto operation = Configured(paint(), {}).make({}, {});
    paint().place(operation.get(), {});
  }
  EXPECT_EQ(Paint::events, "open(4) bind bind close");
}

TEST(Parameters, ANameMeansOneThing) {
  std::vector<Entry> entries = with_paint();
  entries.push_back(entry_of<Wash>());
  try {
    parameters_of(entries);
    FAIL() << "two parameters of one name";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("turns of wash is declared differently"), std::string::npos);
  }
}

}  // namespace
}  // namespace groma
