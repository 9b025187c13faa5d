// Lines in the style of the seed. Where it writes 10e+06 it means 10^6, and so do these programs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace groma::programs {

/// A label, a figure that ends in column `edge`, and its unit.
std::string line(std::size_t edge, const std::string& label, const std::string& figure, const std::string& unit = "");

/// A figure with three digits behind the point, as the seed has them.
std::string fixed(double value);

/// The runs of one test: the shortest counts, and all are told (the NAS page: one in eight was 60 % off).
struct Runs {
  std::int64_t times = 1;        ///< passes of one run
  std::vector<std::int64_t> ns;  ///< of every run, in their order
  [[nodiscard]] double best_s() const;
  /// A line with every run's figure, made from its seconds; nothing for a single run.
  [[nodiscard]] std::string all(const std::function<double(double)>& figure, const std::string& unit) const;
};

/// One process under -a.
struct Process {
  std::string where;  ///< host and processor
  std::int64_t sent_bytes = 0;
  std::int64_t received_bytes = 0;
};
std::string process_lines(const std::vector<Process>& processes);

/// Host and processor of the caller.
std::string own_place(const std::string& host);

}  // namespace groma::programs
