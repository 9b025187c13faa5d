#include "groma/text/words.hpp"

#include <gtest/gtest.h>

#include "groma/plan/fields.hpp"

namespace groma {
namespace {

TEST(Words, SizesAreBytesWithBinaryUnits) {
  EXPECT_EQ(parse_size("8"), 8);
  EXPECT_EQ(parse_size("8B"), 8);
  EXPECT_EQ(parse_size("1K"), 1024);
  EXPECT_EQ(parse_size("64KiB"), 65536);
  EXPECT_EQ(parse_size("4M"), 4 * 1024 * 1024);
  EXPECT_EQ(parse_size("1G"), 1024.0 * 1024 * 1024);
  for (const char* bad : {"", "K", "8Q", "-8", "8 K", "1.5K", "8KK"}) EXPECT_FALSE(parse_size(bad)) << bad;
}

TEST(Words, RangesDoubleAndListsKeepTheirOrder) {
  EXPECT_EQ(parse_sizes("8:64"), (std::vector<std::int64_t>{8, 16, 32, 64}));
  EXPECT_EQ(parse_sizes("1K,8,100:150"), (std::vector<std::int64_t>{1024, 8, 100}));
  EXPECT_EQ(parse_sizes("0:4"), (std::vector<std::int64_t>{0, 1, 2, 4}));
  EXPECT_THROW(parse_sizes("1M:8"), InputError);
  EXPECT_THROW(parse_sizes("8:"), InputError);
  EXPECT_EQ(parse_sizes("9000000000000000").front(), 9'000'000'000'000'000);
  for (const char* large : {"9000000000000001", "9000000000G", "8:9000000000G"})
    EXPECT_THROW(parse_sizes(large), InputError);
  EXPECT_THROW(parse_sizes(""), InputError);
}

TEST(Words, CpusKeepTheirOrder) {
  EXPECT_EQ(parse_cpus("2-5,0"), (std::vector<int>{2, 3, 4, 5, 0}));
  EXPECT_EQ(parse_cpus("7,7"), (std::vector<int>{7, 7}));
  for (const char* bad : {"", "a", "1,", "-1", "3-1", "1-", "1.5", "9999999"})
    EXPECT_THROW(parse_cpus(bad), InputError);
}

TEST(Words, NumbersReadBackAsTheyWere) {
  for (const double value : {0.0, 1.0, -3.0, 0.01, 1e-6, 86400.0, 123456789.0, 0.1 + 0.2, 0x1p63, -1.1e25}) {
    EXPECT_EQ(parse_number(plain_number(value)), value);
  }
  EXPECT_EQ(plain_number(60), "60");
  EXPECT_FALSE(parse_number("nan"));
  EXPECT_FALSE(parse_number("inf"));
  EXPECT_FALSE(parse_integer("1.0"));
  EXPECT_FALSE(parse_integer("9999999999999999999999"));
}

TEST(Words, TheNearestWordIsOfferedOnlyWhenItIsNear) {
  const std::vector<std::string_view> known{"bcast", "barrier", "allreduce"};
  EXPECT_NE(did_you_mean("bcats", known).find("bcast"), std::string::npos);
  EXPECT_NE(did_you_mean("alreduce", known).find("allreduce"), std::string::npos);
  EXPECT_EQ(did_you_mean("xyzzy", known), "");
}

TEST(Words, SizesPrintExactly) {
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(1000), "1000 B");
  EXPECT_EQ(size_text(1024), "1 KiB");
  EXPECT_EQ(size_text(3 << 20), "3 MiB");
}

}  // namespace
}  // namespace groma
