#include "groma/plan/fields.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "groma/launch/validate.hpp"
#include "groma/record/describe.hpp"
#include "groma/record/point_json.hpp"
#include "groma/timed/entry.hpp"

namespace groma {
namespace {

const Field<Point>& field(std::string_view name) {
  for (const auto fields : {payload_fields(), method_fields()}) {
    for (const auto& one : fields) {
      if (one.name == name) return one;
    }
  }
  throw std::logic_error("no such field");
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Fields, EveryDefaultIsLegalAndReadsBack) {
  for (const Entry& entry : catalogue()) {
    const Point point = default_point(entry.info);
    EXPECT_NO_THROW(validate(point, entry, 4)) << entry.info.name;
    for (const auto fields : {payload_fields(), method_fields()}) {
      for (const auto& one : fields) {
        Point copy = point;
        EXPECT_NO_THROW(set_field(copy, one, field_text(point, one))) << one.name;
        EXPECT_EQ(field_text(copy, one), field_text(point, one)) << one.name;
      }
    }
    for (const Option& one : entry.options) {
      const Value value = read_value(one.parameter, one.default_text);
      EXPECT_EQ(read_value(one.parameter, value_text(value)), value) << one.parameter.name;
    }
  }
}

/// Each choice has its value in the enumeration, at the place where its name stands in the table.
TEST(Fields, ChoicesHaveTheNamesOfTheirValues) {
  using payload::Datatype;
  EXPECT_EQ(name_of(payload::BytesOf::total), "total");
  EXPECT_EQ(name_of(Datatype::character), "char");
  EXPECT_EQ(name_of(Datatype::int64), "int64");
  EXPECT_EQ(name_of(Datatype::single_precision), "float");
  EXPECT_EQ(name_of(Datatype::double_precision), "double");
  EXPECT_EQ(name_of(payload::Layout::indexed), "indexed");
  EXPECT_EQ(name_of(payload::Layout::records), "struct");
  EXPECT_EQ(name_of(payload::Reduction::band), "band");
  EXPECT_EQ(name_of(payload::Reduction::nothing), "null");
  EXPECT_EQ(name_of(payload::Buffers::same), "same");
  EXPECT_EQ(name_of(method::Clock::tsc), "tsc");
  EXPECT_EQ(name_of(method::Clock::gettimeofday), "gettimeofday");
  EXPECT_EQ(name_of(method::Timing::block), "block");
  EXPECT_EQ(name_of(method::Sync::roundtime), "roundtime");
  EXPECT_EQ(name_of(method::Sync::automatic), "auto");
  EXPECT_EQ(name_of(method::Arrival::random), "random");
  EXPECT_EQ(name_of(method::Reduce::post_arrival), "post_arrival");
  EXPECT_EQ(name_of(method::Cache::flush), "flush");
  EXPECT_EQ(name_of(method::Touch::both), "both");
  EXPECT_EQ(name_of(method::Root::random), "random");
  EXPECT_EQ(name_of(method::Stop::rse), "rse");
  EXPECT_EQ(name_of(method::Order::shuffled), "shuffled");
  EXPECT_EQ(name_of(method::ClockSync::offset_only), "offset_only");
  EXPECT_EQ(name_of(method::ClockSharing::none), "none");
}

TEST(Fields, EveryChoiceIsReadAndWritten) {
  Point point = default_point(catalogue().front().info);
  for (const auto& one : method_fields()) {
    for (const Choice& choice : one.choices) {
      set_field(point, one, choice.name);
      EXPECT_EQ(field_text(point, one), choice.name) << one.name;
    }
  }
  EXPECT_EQ(point.sync, method::Sync::automatic);
  EXPECT_EQ(point.stop, method::Stop::rse);
}

TEST(Fields, WrongValuesSayWhatIsAllowed) {
  Point point = default_point(catalogue().front().info);
  EXPECT_NE(message_of([&] { set_field(point, field("clock"), "monotone"); }).find("did you mean monotonic?"),
            std::string::npos);
  EXPECT_NE(message_of([&] { set_field(point, field("bytes"), "eight"); }).find("is not a size"), std::string::npos);
  EXPECT_NE(message_of([&] { set_field(point, field("precision"), "2"); }).find("out of range"), std::string::npos);
  EXPECT_NE(message_of([&] { set_field(point, field("check"), "yes"); }).find("neither true nor false"),
            std::string::npos);
}

TEST(Fields, PlansSurviveJson) {
  Plan plan = default_plan();
  plan.seed = 42;
  for (const Entry& entry : catalogue()) plan.points.push_back(default_point(entry.info));
  const std::string text = plan_json(plan, catalogue()).dump();
  EXPECT_EQ(plan_json(plan_from_json(text, "test", catalogue()), catalogue()).dump(), text);
}

TEST(Fields, MalformedPlansNameTheirPlace) {
  const auto refused = [](const std::string& text) {
    return message_of([&] { plan_from_json(text, "p.json", catalogue()); });
  };
  EXPECT_NE(refused("{\"schema\": 1,\n \"points\": [\n}").find("p.json, line 3"), std::string::npos);
  EXPECT_NE(refused(R"({"points": []})").find("schema"), std::string::npos);
  EXPECT_NE(refused(R"({"schema": 1, "points": []})").find("no points"), std::string::npos);
  EXPECT_NE(refused(R"({"schema": 1, "points": [{"operation": "bcats"}]})").find("did you mean bcast?"),
            std::string::npos);
  EXPECT_NE(refused(R"({"schema": 1, "points": [{"operation": "bcast"}, {"operation": "bcast", "byts": 8}]})")
                .find("point 1: 'byts'"),
            std::string::npos);
  EXPECT_NE(refused(R"({"schema": 1, "points": [{"operation": "bcast", "bytes": [8]}]})").find("neither a number"),
            std::string::npos);
}

TEST(Fields, TheDescriptionNamesEveryOperationOnce) {
  const auto described = describe(catalogue());
  std::set<std::string> names;
  for (const auto& operation : described["operations"]) {
    names.insert(operation["name"]);
    const bool receives = !operation["validation"].get<std::string>().empty();
    const bool sized = !operation["bandwidth"].get<std::string>().empty();
    // Whose whole time says nothing of its messages: phases one after another, and a step that sends single numbers.
    const bool other_work = !operation["phases"].empty() || operation["name"] == "app/conjugate_gradient";
    EXPECT_EQ(receives && !other_work, sized) << operation["name"];
  }
  EXPECT_EQ(names.size(), catalogue().size());
}

}  // namespace
}  // namespace groma
