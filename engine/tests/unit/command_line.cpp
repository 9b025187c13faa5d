#include "groma/launch/command_line.hpp"

#include <gtest/gtest.h>

#include "groma/launch/check.hpp"
#include "groma/plan/fields.hpp"

namespace groma {
namespace {

std::string refused(const std::vector<std::string>& arguments) {
  try {
    read_command(arguments, catalogue());
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(CommandLine, OperationsTimesSizes) {
  const Command command = read_command({"bcast", "barrier", "--bytes", "8:32", "--sync=barrier"}, catalogue());
  ASSERT_EQ(command.plan.points.size(), 4U);  // three sizes of bcast; barrier has no message
  EXPECT_EQ(command.plan.points[2].bytes, 32);
  EXPECT_EQ(command.plan.points[3].operation, "barrier");
  EXPECT_EQ(command.plan.points[3].bytes, 0);
  for (const Point& point : command.plan.points) EXPECT_EQ(point.sync, method::Sync::barrier);
  EXPECT_EQ(command.plan.order, method::Order::sequential);
}

TEST(CommandLine, RecordsAreShuffledUnlessToldOtherwise) {
  EXPECT_EQ(read_command({"bcast", "--out", "x"}, catalogue()).plan.order, method::Order::shuffled);
  EXPECT_EQ(read_command({"bcast", "--order", "interleaved"}, catalogue()).plan.order, method::Order::interleaved);
}

TEST(CommandLine, WrongWordsAreNamed) {
  EXPECT_NE(refused({}).find("no operation"), std::string::npos);
  EXPECT_NE(refused({"pingpnog"}).find("did you mean pingpong?"), std::string::npos);
  EXPECT_NE(refused({"bcast", "--byts", "8"}).find("did you mean bytes?"), std::string::npos);
  EXPECT_NE(refused({"bcast", "--bytes"}).find("needs a value"), std::string::npos);
  EXPECT_NE(refused({"bcast", "--bytes", "8", "--bytes", "9"}).find("given twice"), std::string::npos);
  EXPECT_NE(refused({"pingpong", "--pattern", "lis\x91t=0,1"}).find("--pattern is not UTF-8"), std::string::npos);
  EXPECT_NE(refused({"bcast", "--bytes", "64:8"}).find("empty range"), std::string::npos);
  EXPECT_NE(refused({"bcast", "-b", "8"}).find("two dashes"), std::string::npos);
  EXPECT_NE(refused({"--plan", "/no/such/plan.json"}).find("can't read the plan"), std::string::npos);
  EXPECT_NE(refused({"--plan", "/dev/null", "--bytes", "8"}).find("don't go together"), std::string::npos);
}

std::vector<Refusal> refused_points(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "--check");
  return refusals(read_check(std::move(arguments), catalogue()), catalogue());
}

TEST(Check, PointsThatFitAreNotRefused) {
  EXPECT_TRUE(refused_points({"--ranks", "2,4", "bcast", "pingpong", "halo/isend_irecv", "--bytes", "8"}).empty());
  EXPECT_TRUE(refused_points({"--ranks", "1", "pingpong", "--optional", "true"}).empty());
}

TEST(Check, EveryPointIsJudgedForEveryRankCount) {
  const auto found = refused_points({"--ranks", "1,2,3", "barrier", "pingpong", "--bytes", "8", "--sync", "barrier"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].index, 1U);
  EXPECT_EQ(found[0].ranks, 1);
  EXPECT_NE(found[0].message.find("needs at least 2 ranks"), std::string::npos);
}

TEST(Check, WordsThatAreWrongAreNamed) {
  const auto message = [](std::vector<std::string> arguments) {
    try {
      read_check(std::move(arguments), catalogue());
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message({"--check", "bcast"}).find("--ranks"), std::string::npos);
  EXPECT_NE(message({"--check", "--ranks", "some", "bcast"}).find("'some'"), std::string::npos);
  EXPECT_NE(message({"--check", "--ranks", "2", "bcats"}).find("did you mean bcast?"), std::string::npos);
}

TEST(Check, EveryOperationIsJudgedWithoutMpi) {
  for (const Entry& entry : catalogue()) {
    EXPECT_TRUE(refused_points({"--ranks", "8", std::string(entry.info.name)}).empty() || entry.info.on_doubles)
        << entry.info.name;
  }
}

}  // namespace
}  // namespace groma
