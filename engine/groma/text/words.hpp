// Reading and writing the words of a plan: numbers, sizes, lists, and the nearest word to a mistyped one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace groma {

/// Every whole number up to here is exact in a double.
inline constexpr double largest_exact = 9e15;

std::optional<double> parse_integer(std::string_view text);
std::optional<double> parse_number(std::string_view text);

/// Bytes from "8", "1K", "64KiB", "4M", "1G"; K, M and G are powers of 1024.
std::optional<double> parse_size(std::string_view text);

/// Sizes from "8", "8,64,1K" or "8:1M" (doubling). Throws InputError for a bad word or an empty range.
std::vector<std::int64_t> parse_sizes(std::string_view text);

/// CPUs from "2", "2-5" or "6,4,2", in that order. Throws InputError for a bad word or an empty range.
std::vector<int> parse_cpus(std::string_view text);

/// Shortest text that reads back as the same number; whole numbers without a point.
std::string plain_number(double value);

/// "8 B", "1 KiB", "4 MiB": exact, or bytes if no unit divides it.
std::string size_text(std::int64_t bytes);

/// "list=0,3" as "list" and "0,3"; what follows the = is empty if there is none.
std::pair<std::string_view, std::string_view> name_and_argument(std::string_view text);

/// The name of a value of an enumeration; `names` are in the order of its values, one for each.
template <class Enumeration, std::size_t count>
constexpr std::string_view name_in(const std::string_view (&names)[count], Enumeration value) {
  return names[static_cast<std::size_t>(value)];
}

std::vector<std::string_view> split(std::string_view text, char separator);
std::string join(const std::vector<std::string_view>& words, std::string_view separator);

/// "; did you mean X?" when a word is near enough to help, else "".
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace groma
