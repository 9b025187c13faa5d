// The checksum with which every record ends, so that whoever reads it notices a changed bit (docs/contract.md).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace groma {

/// CRC-32 of these bytes, as zlib computes it.
std::uint32_t crc32(std::string_view bytes);

/// `,"crc32":"0123abcd"}` and the end of the line.
using Seal = std::array<char, 21>;

/// What ends a record: `open` is its JSON without the closing brace. Safe in a signal handler.
Seal seal_of(std::string_view open);

}  // namespace groma
