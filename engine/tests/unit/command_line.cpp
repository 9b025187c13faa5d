#include "groma/launch/command_line.hpp"

#include <gtest/gtest.h>

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
  EXPECT_NE(refused({"bcast", "--bytes", "64:8"}).find("empty range"), std::string::npos);
  EXPECT_NE(refused({"bcast", "-b", "8"}).find("two dashes"), std::string::npos);
  EXPECT_NE(refused({"--plan", "/no/such/plan.json"}).find("can't read the plan"), std::string::npos);
  EXPECT_NE(refused({"--plan", "/dev/null", "--bytes", "8"}).find("don't go together"), std::string::npos);
}

}  // namespace
}  // namespace groma
