// What rank 0 says to inputs that can't be measured: every message says what, where and what to do next. They are
// judged here as a launch judges them, without one; tests/engine/test_wrong_inputs.py sees a few of them end every
// rank.
#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <regex>

#include "groma/launch/command_line.hpp"
#include "groma/launch/validate.hpp"
#include "groma/plan/fields.hpp"
#include "groma/record/point_json.hpp"
#include "groma/record/recorder.hpp"

namespace groma {
namespace {

using Words = std::vector<std::string>;

struct Case {
  std::string name;
  Words arguments;
  std::string says;  ///< a regular expression
};

std::string shown(const testing::TestParamInfo<std::tuple<Case, int>>& info) {
  const auto& [one, ranks] = info.param;
  return std::regex_replace(one.name, std::regex("\\W"), "_") + "_" + std::to_string(ranks);
}

/// The message of a launch of a number of ranks on one host, as it judges its plan before and after it knows the hosts;
/// none if the plan can be measured.
std::optional<std::string> refusal(const Words& arguments, int ranks) {
  const std::vector<int> one_host(static_cast<std::size_t>(ranks), 0);
  try {
    const Command command = read_command(arguments, catalogue());
    for (const std::span<const int> hosts : {std::span<const int>(), std::span<const int>(one_host)}) {
      for (const Point& point : command.plan.points) {
        validate(point, entry_named(catalogue(), point.operation), ranks, hosts);
      }
    }
  } catch (const InputError& error) {
    return error.what();
  }
  return std::nullopt;
}

void expect_refused(const Words& arguments, int ranks, const std::string& says) {
  const std::optional<std::string> message = refusal(arguments, ranks);
  ASSERT_TRUE(message.has_value());
  EXPECT_TRUE(std::regex_search(*message, std::regex(says))) << *message;
  EXPECT_EQ(message->find('\n'), std::string::npos) << *message;
}

using RanksAndCase = testing::TestWithParam<std::tuple<Case, int>>;

class WrongCommandLine : public RanksAndCase {};

TEST_P(WrongCommandLine, IsOneMessage) {
  const auto& [one, ranks] = GetParam();
  expect_refused(one.arguments, ranks, one.says);
}

const std::vector<Case> commands{
    {"unknown operation", {"allredcue"}, "allredcue.*did you mean.*\\ballreduce\\b"},
    {"unknown option", {"bcast", "--byte", "8"}, "--byte.*did you mean.*\\bbytes\\b"},
    {"unknown choice", {"bcast", "--datatype", "doubel"}, "datatype=doubel.*did you mean.*\\bdouble\\b"},
    {"cold block", {"bcast", "--timing", "block", "--cache", "flush"}, "cache=flush needs timing=call"},
    {"touched block", {"bcast", "--timing", "block", "--touch", "write"}, "touch=write of bcast needs timing=call"},
    {"touched and cold", {"bcast", "--touch", "read", "--cache", "flush"}, "touch=read of bcast needs .*cache=warm"},
    {"nothing to touch", {"barrier", "--touch", "both"}, "touch=both of barrier has no message"},
    {"touched without meeting",
     {"pingpong", "--bytes", "64", "--touch", "both", "--timing", "call"},
     "touch=both of pingpong .*sync=dissemination|at least 2 ranks"},
    {"window of blocks", {"bcast", "--timing", "block", "--sync", "window"}, "sync=window of bcast needs timing=call"},
    {"arrivals without starts", {"bcast", "--sync", "barrier", "--arrival", "linear"}, "use sync=roundtime"},
    {"bad size", {"bcast", "--bytes", "8Q"}, "bytes=8Q.*not a size"},
    {"large size", {"bcast", "--bytes", "9999999999G"}, "9999999999G is out of range; the largest is 9000000000000000"},
    {"negative size", {"bcast", "--bytes", "-8"}, "bytes=-8"},
    {"not a number", {"bcast", "--repetitions", "many"}, "repetitions=many.*not a whole number"},
    {"not divisible by the type", {"allreduce", "--bytes", "12", "--datatype", "double"}, "12.*multiple of the 8"},
    {"unequal segments", {"bcast_segmented", "--bytes", "8", "--segments", "3"}, "segments=3.*a divisor of 8"},
    {"empty size range", {"bcast", "--bytes", "1M:8"}, "1M:8.*empty range"},
    {"too few ranks", {"pingpong", "--ranks", "1"}, "pingpong needs at least 2 ranks.*launch"},
    {"root out of range", {"bcast", "--root_rank", "4"}, "root_rank=4.*out of range"},
    {"one node", {"pingpong", "--pattern", "farthest"}, "at least 2 ranks|all are on one; launch on more nodes"},
    {"seedless", {"barrier", "--pattern", "random"}, "random.*needs a value"},
    {"rank out of range", {"bcast", "--pattern", "list=0,9"}, "9.*rank"},
    {"more elements than MPI counts", {"allreduce", "--bytes", "100G", "--datatype", "double"}, "107374182400"},
    {"more imbalance than lengths can have", {"alltoallv_uneven", "--imbalance", "1.5"}, "imbalance=1.5.*0.*1"},
    {"illegal reduction", {"allreduce", "--datatype", "float", "--reduction", "band"}, "band.*float.*not legal"},
    {"between nodes of one",
     {"pingpong", "--pattern", "internode"},
     "pattern=internode of pingpong needs.* at least 2 nodes|pingpong needs at least 2 ranks"},
    {"across the cut of one node", {"targets", "--pattern", "bisection"}, "pattern=bisection|targets needs at least 2"},
    {"more ranks than a node has", {"bcast", "--ranks_per_node", "64"}, "ranks_per_node=64 of bcast needs more ranks"},
    {"more targets than ranks", {"targets", "--targets", "9"}, "targets=9 of .*use targets=3|at least 2 ranks"},
    {"phases of a block", {"overlap", "--timing", "block"}, "timing=block of overlap|overlap needs at least 2 ranks"},
    {"a train of one request", {"request_trains", "--window", "1"}, "window=1 of request_trains|at least 2 ranks"},
    {"no delay for a reply",
     {"request_trains", "--compute", "0.5"},
     "compute=0\\.5 of request_trains|at least 2 ranks"},
    {"nothing asked", {}, "no operation"},
    {"no such plan", {"--plan", "/proc/nowhere/plan.json"}, "/proc/nowhere/plan\\.json.*No such file"},
};

INSTANTIATE_TEST_SUITE_P(Cases, WrongCommandLine, testing::Combine(testing::ValuesIn(commands), testing::Values(1, 4)),
                         shown);

TEST(WrongBlocks, OfTheLastRankAreMoreElementsThanMpiCounts) {
  expect_refused({"alltoallv_uneven", "--bytes", "400M", "--imbalance", "1"}, 4, "on 4 ranks.*last rank.*imbalance");
  EXPECT_EQ(refusal({"alltoallv_uneven", "--bytes", "400M", "--imbalance", "0"}, 4), std::nullopt);
}

// What only enough ranks can be refused for.
class IllegalSwap : public RanksAndCase {};

TEST_P(IllegalSwap, IsOneMessage) {
  const auto& [one, ranks] = GetParam();
  expect_refused(one.arguments, ranks, one.says);
}

const std::vector<Case> swaps{
    {"swap that can hang",
     {"swap/simple", "--swap_order", "simple"},
     "swap_order=simple.*can hang.*swap_order=ordered"},
    {"late swap that can hang", {"swap/simple_sync", "--swap_order", "delayed"}, "delayed.*can hang"},
    {"swap without overlap", {"swap/synchronous", "--swap_overlap", "true"}, "swap/synchronous has nothing to overlap"},
    {"uneven swap", {"swap/ready", "--bytes", "1K", "--swap_messages", "3"}, "swap_messages=3.*1024 elements"},
};

INSTANTIATE_TEST_SUITE_P(Cases, IllegalSwap, testing::Combine(testing::ValuesIn(swaps), testing::Values(2)), shown);

/// The one argument of these cases is the text of the plan.
class MalformedPlan : public RanksAndCase {};

TEST_P(MalformedPlan, IsOneMessage) {
  const auto& [one, ranks] = GetParam();
  const std::string file = testing::TempDir() + "groma-" + shown({GetParam(), 0}) + "-plan.json";
  std::ofstream(file) << one.arguments.front();
  expect_refused({"--plan", file}, ranks, one.says);
  std::remove(file.c_str());
}

const std::string barrier = R"({"operation": "barrier"})";

const std::vector<Case> plans{
    {"torn", {R"({"schema": 1, "points": [)"}, "plan\\.json"},
    {"empty file", {""}, "plan\\.json"},
    {"a list", {"[]"}, "plan\\.json"},
    {"no schema", {R"({"points": [)" + barrier + "]}"}, "schema"},
    {"unknown schema", {R"({"schema": 99, "points": [)" + barrier + "]}"}, "schema"},
    {"schema of another type", {R"({"schema": [1], "points": [)" + barrier + "]}"}, "no plan of schema 1"},
    {"no points", {R"({"schema": 1, "points": []})"}, "points"},
    {"unknown key", {R"({"schema": 1, "sede": 3, "points": [)" + barrier + "]}"}, "sede.*did you mean.*seed"},
    {"unknown field",
     {R"({"schema": 1, "points": [)" + barrier + R"(, {"operation": "barrier", "warmup": 3}]})"},
     "warmup.*did you mean.*warmups"},
    {"above 64 bits",
     {R"({"schema": 1, "points": [{"operation": "bcast", "bytes": 18446744073709551615}]})"},
     "bytes=18446744073709551615"},
    {"beyond a double",
     {R"({"schema": 1, "points": [{"operation": "bcast", "bytes": 1e999}]})"},
     "plan\\.json: a number is larger than 1.8e308"},
    {"wrong type", {R"({"schema": 1, "points": [{"operation": "bcast", "bytes": [8]}]})"}, "bytes"},
    {"no operation", {R"({"schema": 1, "points": [{"bytes": 8}]})"}, "operation"},
    {"a late fault",
     {R"({"schema": 1, "points": [)" + barrier + R"(, {"operation": "bcast", "root_rank": 99}]})"},
     "root_rank=99"},
};

INSTANTIATE_TEST_SUITE_P(Cases, MalformedPlan, testing::Combine(testing::ValuesIn(plans), testing::Values(1, 4)),
                         shown);

std::string unwritable(const std::string& path) {
  try {
    const Recorder recorder(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(UnwritableOutput, IsOneMessage) {
  EXPECT_NE(unwritable("/proc/nowhere/points.jsonl").find("can't write /proc/nowhere/points.jsonl"), std::string::npos);
  EXPECT_NE(unwritable("/").find("Is a directory"), std::string::npos);
}

TEST(RightInput, IsNotRefused) { EXPECT_EQ(refusal({"bcast", "barrier", "--bytes", "8:64"}, 4), std::nullopt); }

}  // namespace
}  // namespace groma
