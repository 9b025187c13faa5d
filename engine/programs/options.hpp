// The options of all programs here, as PROGRAMS and the seeds have them, and a few long ones of our own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace groma::programs {

struct Options {
  std::int64_t times = 0;             ///< -n; 0: as many as last min_seconds
  bool latency = false;               ///< -L, or -B
  std::optional<std::int64_t> bytes;  ///< -b
  std::string style;                  ///< -s
  std::int64_t messages = 6;          ///< -m
  bool both_ways = false;             ///< -D, or -S
  std::optional<std::uint32_t> seed;  ///< -r
  bool separate_buffers = false;      ///< a send buffer for each message
  bool list = false;                  ///< -v
  bool processes = false;             ///< -a
  bool help = false;                  ///< -h
  std::int64_t best_of = 1;
  double min_seconds = 1;
  bool check = false;
  bool direct = false;
  std::string out;
};

/// What one program takes.
struct Syntax {
  const char* letters;             ///< as getopt has them
  std::vector<const char*> words;  ///< its long options, beside --help
  std::string usage;
};

/// Reads the arguments; throws groma::InputError for what the program does not take.
Options read_options(int argc, char** argv, const Syntax& syntax, Options defaults = {});

}  // namespace groma::programs
