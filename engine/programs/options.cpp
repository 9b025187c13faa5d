#include "options.hpp"

#include <getopt.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "groma/errors.hpp"
#include "groma/text/words.hpp"

namespace groma::programs {
namespace {

enum Word : int { best_of = 256, min_seconds, check, direct, separate_buffers, out };

constexpr ::option known_words[] = {{"best-of", required_argument, nullptr, best_of},
                                    {"min-seconds", required_argument, nullptr, min_seconds},
                                    {"check", no_argument, nullptr, check},
                                    {"direct", no_argument, nullptr, direct},
                                    {"out", required_argument, nullptr, out},
                                    {"separate-buffers", no_argument, nullptr, separate_buffers},
                                    {"help", no_argument, nullptr, 'h'}};

constexpr double most_times = 1e9;  // of the engine's blocks

std::vector<::option> words_of(const Syntax& syntax) {
  std::vector<::option> words;
  for (const ::option& word : known_words) {
    const auto named = [&](const char* name) { return std::strcmp(name, word.name) == 0; };
    if (word.val == 'h' || std::any_of(syntax.words.begin(), syntax.words.end(), named)) words.push_back(word);
  }
  words.push_back({});
  return words;
}

[[noreturn]] void refuse(const std::string& what) { throw InputError(what + "; -h prints the usage"); }

struct Range {
  double low;
  double high;
};

double number(const std::string& name, const std::string& text, Range range, const std::string& what) {
  const auto value = parse_number(text);
  if (!value || *value < range.low || *value > range.high) {
    refuse(name + " " + text + ": " + what + " is a number from " + plain_number(range.low) + " to " +
           plain_number(range.high));
  }
  return *value;
}

std::int64_t whole(const std::string& name, const std::string& text, Range range, const std::string& what) {
  const auto value = parse_integer(text);
  if (!value || *value < range.low || *value > range.high) {
    refuse(name + " " + text + ": " + what + " is a whole number from " + plain_number(range.low) + " to " +
           plain_number(range.high));
  }
  return static_cast<std::int64_t>(*value);
}

std::string style(const std::string& text) {
  if (text != "sync" && text != "async") refuse("-s " + text + ": the style is sync or async");
  return text;
}

/// What getopt did not know, by the name it was typed with.
std::string typed(char** argv) {
  const bool letter = optopt > 0 && optopt < best_of && argv[optind - 1][1] != '-';
  return letter ? std::string("-") + static_cast<char>(optopt) : argv[optind - 1];
}

/// Of -B and -L, or of -S and -D, one may be given; `given` is the letter read before, or 0.
void take_one_of(int& given, int found) {
  if (given != 0 && given != found) {
    refuse(std::string("-") + static_cast<char>(given) + " and -" + static_cast<char>(found) +
           " exclude each other: give one of them");
  }
  given = found;
}

void take(Options& options, int found, const std::string& value, char** argv) {
  constexpr double longest_message = std::numeric_limits<int>::max();
  switch (found) {
    case 'n':
      options.times = whole("-n", value, {1, most_times}, "num_times");
      break;
    case 'B':
    case 'L':
      options.latency = found == 'L';
      break;
    case 'b':
      options.bytes = whole("-b", value, {0, longest_message}, "buff_size in bytes");
      break;
    case 's':
      options.style = style(value);
      break;
    case 'm':
      options.messages = whole("-m", value, {1, 65536}, "num_msgs");
      break;
    case 'S':
    case 'D':
      options.both_ways = found == 'D';
      break;
    case 'r':  // four bytes, with or without a sign
      options.seed = static_cast<std::uint32_t>(whole("-r", value, {-2147483648.0, 4294967295.0}, "rand_seed"));
      break;
    case 'v':
      options.list = true;
      break;
    case 'a':
      options.processes = true;
      break;
    case 'h':
      options.help = true;
      break;
    case best_of:
      options.best_of = whole("--best-of", value, {1, 1000}, "the number of runs");
      break;
    case min_seconds:
      options.min_seconds = number("--min-seconds", value, {1e-6, 86400}, "the least time of a run in seconds");
      break;
    case check:
      options.check = true;
      break;
    case direct:
      options.direct = true;
      break;
    case separate_buffers:
      options.separate_buffers = true;
      break;
    case out:
      options.out = value;
      break;
    case ':':
      refuse(typed(argv) + " needs a value");
    default:
      refuse(typed(argv) + " is not an option");
  }
}

}  // namespace

Options read_options(int argc, char** argv, const Syntax& syntax, Options options) {
  const std::string letters = std::string(":") + syntax.letters;
  const std::vector<::option> words = words_of(syntax);
  bool seconds_given = false;
  int test = 0, sides = 0;
  opterr = 0;  // the message is ours, and rank 0's
  for (int found; (found = getopt_long(argc, argv, letters.c_str(), words.data(), nullptr)) != -1;) {
    if (found == 'B' || found == 'L') take_one_of(test, found);
    if (found == 'S' || found == 'D') take_one_of(sides, found);
    take(options, found, optarg == nullptr ? "" : optarg, argv);
    seconds_given = seconds_given || found == min_seconds;
  }
  if (optind < argc) refuse(std::string(argv[optind]) + " is not an option");
  if (seconds_given && options.times > 0) refuse("-n and --min-seconds both say how long a run is: give one of them");
  return options;
}

}  // namespace groma::programs
