// Documents are declared once: what is written is what is described.
#include <gtest/gtest.h>

#include <set>

#include "groma/schema/describe.hpp"
#include "groma/schema/json.hpp"
#include "groma/schema/point.hpp"
#include "groma/schema/records.hpp"

namespace groma::schema {
namespace {

struct Part {
  int number = 1;
  std::optional<double> share;
  std::optional<std::string> why;
  static constexpr std::string_view kind = "part";
  static constexpr std::string_view help = "A part.";
  static constexpr auto table() {
    return std::tuple{member("number", &Part::number, "a number"), member("share", &Part::share, "may be null"),
                      some_have("why", &Part::why, "left out where it has no value")};
  }
};

TEST(Schema, AStructIsWrittenAsItsTableSays) {
  EXPECT_EQ(json_of(Part{}).dump(), R"({"number":1,"share":null})");
  const Part full{.number = 2, .share = 0.5, .why = "so"};
  EXPECT_EQ(json_of(full).dump(), R"({"number":2,"share":0.5,"why":"so"})");
  EXPECT_EQ(json_of(std::vector<Part>{{}, {}}).size(), 2U);
  EXPECT_EQ(json_of(Named<Part>{{"b", {}}, {"a", {}}}).dump(),
            R"({"b":{"number":1,"share":null},"a":{"number":1,"share":null}})");
}

TEST(Schema, WhatOneRankWroteAnotherReads) {
  const auto read = read_text<Part>(R"({"number":2,"share":0.5,"why":"so"})");
  EXPECT_EQ(read.number, 2);
  EXPECT_EQ(read.share, 0.5);
  EXPECT_EQ(read.why, "so");
  EXPECT_FALSE(read_text<Part>(R"({"number":2,"share":null})").share);
}

TEST(Schema, AMemberIsSetByItsName) {
  Json record = json_of(Point{});
  set<&Point::sequence>(record, 7);
  set<&Point::clock_error>(record, ClockError{.valid = true});
  EXPECT_EQ(record["sequence"], 7);
  EXPECT_EQ(record["clock_error"]["valid"], true);
  EXPECT_EQ(name_of<&Point::members>(), "members");
}

Json described(std::string_view name) {
  const Json kinds = describe_kinds();
  for (const Json& kind : kinds) {
    if (kind["name"] == name) return kind;
  }
  return nullptr;
}

template <class Record>
void expect_described() {
  const Json kind = described(Record::kind);
  ASSERT_FALSE(kind.is_null()) << Record::kind;
  std::vector<std::string> names;
  for (const Json& one : kind["members"]) {
    const auto name = one["name"].get<std::string>();
    EXPECT_FALSE(one["help"].get<std::string>().empty()) << Record::kind << "." << name;
    if (!one["left_out"].get<bool>()) names.push_back(name);
  }
  std::vector<std::string> written;
  const Json record = json_of(Record{});
  for (const auto& [name, value] : record.items()) written.push_back(name);
  EXPECT_EQ(written, names) << Record::kind;
}

TEST(Schema, EveryRecordIsDescribedAsItIsWritten) {
  expect_described<Start>();
  expect_described<Point>();
  expect_described<Revisit>();
  expect_described<Failure>();
  expect_described<LeftOut>();
  expect_described<End>();
  expect_described<Nodes>();
}

TEST(Schema, AMemberThatSomeHaveIsWrittenWhereItHasAValue) {
  EXPECT_FALSE(json_of(Point{}).contains("ranks_at"));
  Point point;
  point.ranks_at = RanksAt{.offset = 8, .ranks = 2, .samples = 40000};
  EXPECT_EQ(json_of(point)["ranks_at"], (Json{{"offset", 8}, {"ranks", 2}, {"samples", 40000}}));
  EXPECT_TRUE(json_of(Point{}).contains("line_ns")) << "null where it is not known";
}

TEST(Schema, EveryTypeIsAScalarOrAKindThatIsDescribed) {
  std::set<std::string> known{"integer", "number", "text", "boolean", "fields"};
  const Json kinds = describe_kinds();
  for (const Json& kind : kinds) EXPECT_TRUE(known.insert(kind["name"]).second) << kind["name"];
  for (const Json& kind : kinds) {
    for (const Json& one : kind["members"]) {
      const auto type = one["type"].get<std::string>();
      EXPECT_TRUE(known.contains(type.substr(type.rfind(' ') + 1))) << kind["name"] << ": " << type;
    }
  }
}

TEST(Schema, UnitsAreInTheNames) {
  const auto unit_of = [](std::string_view name) -> std::string {
    const Json point = described("point");
    for (const Json& one : point["members"]) {
      if (one["name"] == name) return one["unit"];
    }
    return "no member";
  };
  EXPECT_EQ(unit_of("samples_ns"), "ns");
  EXPECT_EQ(unit_of("slot_left_s"), "s");
  EXPECT_EQ(unit_of("bytes_moved"), "bytes");
  EXPECT_EQ(unit_of("messages"), "");
  EXPECT_EQ(unit_of("skew_ns"), "");
}

}  // namespace
}  // namespace groma::schema
