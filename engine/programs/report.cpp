#include "report.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdio>

namespace groma::programs {

std::string line(std::size_t edge, const std::string& label, const std::string& figure, const std::string& unit) {
  const std::size_t taken = 1 + label.size() + figure.size();
  std::string text = " " + label + std::string(edge > taken ? edge - taken : 1, ' ') + figure;
  if (!unit.empty()) text += " " + unit;
  return text + "\n";
}

std::string fixed(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3f", value);
  return text;
}

double Runs::best_s() const { return 1e-9 * static_cast<double>(*std::min_element(ns.begin(), ns.end())); }

std::string Runs::all(const std::function<double(double)>& figure, const std::string& unit) const {
  if (ns.size() < 2) return {};
  std::string text = " All " + std::to_string(ns.size()) + " runs:";
  for (const std::int64_t one : ns) text += " " + fixed(figure(1e-9 * static_cast<double>(one)));
  return text + " " + unit + "\n";
}

std::string process_lines(const std::vector<Process>& processes) {
  std::string text;
  for (std::size_t rank = 0; rank < processes.size(); ++rank) {
    const Process& one = processes[rank];
    text += " Process " + std::to_string(rank) + ": " + one.where + ", " + std::to_string(one.sent_bytes) +
            " bytes sent, " + std::to_string(one.received_bytes) + " bytes received\n";
  }
  return text;
}

std::string own_place(const std::string& host) {
  return "host " + host + ", processor " + std::to_string(sched_getcpu());
}

}  // namespace groma::programs
