#include "groma/text/words.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "groma/errors.hpp"

namespace groma {
namespace {

template <class Number>
std::optional<double> parse_as(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  const auto number = static_cast<double>(value);
  if (!std::isfinite(number)) return std::nullopt;
  return number;
}

/// Edit distance with insertions, deletions, replacements.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

std::int64_t size_or_throw(std::string_view text) {
  const auto bytes = parse_size(text);
  if (!bytes) {
    throw InputError("bytes=" + std::string(text) +
                     " is not a size; write bytes such as 8, 1K, 64KiB, 4M, a list 8,64,1K or a range 8:1M");
  }
  if (*bytes > largest_exact) {
    throw InputError("bytes=" + std::string(text) + " is out of range; the largest is " + plain_number(largest_exact));
  }
  return static_cast<std::int64_t>(*bytes);
}

}  // namespace

std::optional<double> parse_integer(std::string_view text) { return parse_as<std::int64_t>(text); }
std::optional<double> parse_number(std::string_view text) { return parse_as<double>(text); }

std::optional<double> parse_size(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  std::string_view unit = text.substr(digits);
  const auto number = parse_integer(text.substr(0, digits));
  if (!number) return std::nullopt;
  if (unit.ends_with("iB")) unit.remove_suffix(2);
  if (unit.ends_with("B")) unit.remove_suffix(1);
  if (unit.empty()) return number;
  constexpr std::string_view letters = "KMG";
  const std::size_t power = letters.find(unit);
  if (unit.size() != 1 || power == std::string_view::npos) return std::nullopt;
  return *number * std::pow(1024.0, static_cast<double>(power + 1));
}

std::vector<std::int64_t> parse_sizes(std::string_view text) {
  std::vector<std::int64_t> sizes;
  for (const std::string_view word : split(text, ',')) {
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos) {
      sizes.push_back(size_or_throw(word));
      continue;
    }
    const std::int64_t first = size_or_throw(word.substr(0, colon));
    const std::int64_t last = size_or_throw(word.substr(colon + 1));
    if (last < first) {
      throw InputError("bytes=" + std::string(word) + " is an empty range; write the smaller size first");
    }
    for (std::int64_t bytes = first; bytes <= last; bytes = std::max<std::int64_t>(1, 2 * bytes)) {
      sizes.push_back(bytes);
    }
  }
  return sizes;
}

std::vector<int> parse_cpus(std::string_view text) {
  constexpr double most = 1 << 20;
  const auto number = [&](std::string_view word) {
    const auto value = parse_integer(word);
    if (value && *value >= 0 && *value < most) return static_cast<int>(*value);
    throw InputError("cpus=" + std::string(text) + " is no list of CPUs; write it as 2-5 or 2,3,6");
  };
  std::vector<int> cpus;
  for (const std::string_view word : split(text, ',')) {
    const std::size_t dash = word.find('-');
    const int first = number(word.substr(0, dash));
    const int last = dash == std::string_view::npos ? first : number(word.substr(dash + 1));
    if (last < first) throw InputError("cpus=" + std::string(text) + " has an empty range; write the lower CPU first");
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

std::string plain_number(double value) {
  char text[32];
  const bool whole = std::abs(value) < 0x1p63 && std::trunc(value) == value;
  const auto end = whole ? std::to_chars(text, text + sizeof text, static_cast<std::int64_t>(value))
                         : std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

std::string size_text(std::int64_t bytes) {
  constexpr std::string_view units[] = {"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  while (unit < 3 && bytes != 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return std::to_string(bytes) + " " + std::string(units[unit]);
}

std::pair<std::string_view, std::string_view> name_and_argument(std::string_view text) {
  const std::size_t equals = std::min(text.find('='), text.size());
  return {text.substr(0, equals), text.substr(std::min(equals + 1, text.size()))};
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> words;
  std::size_t start = 0;
  while (true) {
    const std::size_t end = text.find(separator, start);
    words.push_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return words;
    start = end + 1;
  }
}

std::string join(const std::vector<std::string_view>& words, std::string_view separator) {
  std::string text;
  for (const std::string_view word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known) {
  std::string_view nearest;
  std::size_t least = std::max<std::size_t>(2, word.size() / 2) + 1;
  for (const std::string_view candidate : known) {
    // As many edits at least as their lengths differ by.
    if (std::max(word.size(), candidate.size()) - std::min(word.size(), candidate.size()) >= least) continue;
    const std::size_t edits = distance(word, candidate);
    if (edits < least) {
      least = edits;
      nearest = candidate;
    }
  }
  return nearest.empty() ? "" : "; did you mean " + std::string(nearest) + "?";
}

}  // namespace groma
