// Text that is made inside a signal handler: memory is allocated beforehand, nothing allocates or locks.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace groma {

/// What does not fit is cut off.
class LastWords {
 public:
  explicit LastWords(std::size_t room) : room_(room) {}

  LastWords& operator<<(std::string_view text) {
    const std::size_t bytes = std::min(text.size(), room_.size() - length_);
    std::memcpy(room_.data() + length_, text.data(), bytes);
    length_ += bytes;
    return *this;
  }
  LastWords& operator<<(std::int64_t number) {
    char digits[24];
    const char* end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    return *this << std::string_view(digits, static_cast<std::size_t>(end - digits));
  }
  /// The text as the inside of a JSON string.
  LastWords& quote(std::string_view text) {
    for (const char& one : text) {
      if (one == '"' || one == '\\') *this << "\\";
      *this << (one == '\n' ? std::string_view("\\n") : std::string_view(&one, 1));
    }
    return *this;
  }
  void clear() { length_ = 0; }
  [[nodiscard]] std::string_view text() const { return {room_.data(), length_}; }

 private:
  std::vector<char> room_;
  std::size_t length_ = 0;
};

}  // namespace groma
