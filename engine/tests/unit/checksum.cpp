#include "groma/text/checksum.hpp"

#include <gtest/gtest.h>

#include <string>

namespace groma {
namespace {

TEST(Checksum, IsTheOneOfZlib) {
  EXPECT_EQ(crc32(""), 0U);
  EXPECT_EQ(crc32("123456789"), 0xcbf43926U);
  EXPECT_EQ(crc32(std::string(32, '\xff')), 0xff6cab0bU);
}

TEST(Checksum, EndsTheRecord) {
  const Seal seal = seal_of("123456789");
  EXPECT_EQ(std::string(seal.data(), seal.size()), ",\"crc32\":\"cbf43926\"}\n");
}

}  // namespace
}  // namespace groma
