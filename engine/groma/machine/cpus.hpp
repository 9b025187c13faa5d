// The CPUs that a process may run on, and staying on one of them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace groma {

/// The CPUs of this process as numbers, ascending.
std::vector<int> allowed_cpu_numbers();

/// "0-3,8"
std::string as_ranges(const std::vector<int>& numbers);

/// Where a rank is, and where it may be.
struct Whereabouts {
  int cpu = 0;
  std::vector<int> allowed;
};
Whereabouts whereabouts();

/// A rank of a node, and the CPU on which it is to stay.
struct Seat {
  int rank = 0;
  int cpu = 0;
};

/// The first two ranks that can run at the same time, each on a CPU of its own: the one it is on where these differ.
/// None if all ranks share one CPU.
std::optional<std::array<Seat, 2>> two_at_once(const std::vector<Whereabouts>& ranks);

/// Keeps this process, the given one of its host, on the CPU in its place of `cpus`. Returns why that can't be; empty
/// where it is done, or no CPUs are named.
std::string stay_on_own(const std::string& cpus, std::optional<int> host_rank);

/// Keeps this thread on one CPU until it goes out of scope.
class StayOn {
 public:
  explicit StayOn(int cpu);
  ~StayOn();
  StayOn(const StayOn&) = delete;
  StayOn& operator=(const StayOn&) = delete;

 private:
  std::vector<int> before_;
};

}  // namespace groma
