#include "groma/text/checksum.hpp"

#include <algorithm>

namespace groma {
namespace {

using Table = std::array<std::uint32_t, 256>;

constexpr Table table = [] {
  constexpr std::uint32_t polynomial = 0xedb88320;
  Table made{};
  for (std::uint32_t byte = 0; byte < made.size(); ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? polynomial : 0);
    made[byte] = value;
  }
  return made;
}();

constexpr std::string_view name = R"(,"crc32":")";
constexpr std::string_view ending = "\"}\n";
constexpr std::size_t sum_digits = 8;
static_assert(std::tuple_size_v<Seal> == name.size() + sum_digits + ending.size());

}  // namespace

std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t value = ~0U;
  for (const char byte : bytes) value = (value >> 8) ^ table[(value ^ static_cast<unsigned char>(byte)) & 0xff];
  return ~value;
}

Seal seal_of(std::string_view open) {
  const std::uint32_t sum = crc32(open);
  Seal seal;
  char* at = std::copy(name.begin(), name.end(), seal.data());
  for (std::size_t digit = sum_digits; digit-- > 0;) *at++ = "0123456789abcdef"[(sum >> (4 * digit)) & 0xf];
  std::copy(ending.begin(), ending.end(), at);
  return seal;
}

}  // namespace groma
