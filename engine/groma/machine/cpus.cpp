#include "groma/machine/cpus.hpp"

#include <sched.h>

#include <algorithm>

#include "groma/errors.hpp"
#include "groma/text/words.hpp"

namespace groma {
namespace {

std::optional<int> other_than(int cpu, const std::vector<int>& allowed) {
  const auto other = std::find_if(allowed.begin(), allowed.end(), [cpu](int one) { return one != cpu; });
  return other == allowed.end() ? std::nullopt : std::optional(*other);
}

void allow(const std::vector<int>& numbers) {
  if (numbers.empty()) return;
  const auto cpus = static_cast<std::size_t>(*std::max_element(numbers.begin(), numbers.end())) + 1;
  cpu_set_t* set = CPU_ALLOC(cpus);
  const std::size_t bytes = CPU_ALLOC_SIZE(cpus);
  CPU_ZERO_S(bytes, set);
  for (const int number : numbers) CPU_SET_S(static_cast<std::size_t>(number), bytes, set);
  sched_setaffinity(0, bytes, set);
  CPU_FREE(set);
}

}  // namespace

/// Grows the mask until the kernel's fits.
std::vector<int> allowed_cpu_numbers() {
  for (std::size_t cpus = 1024; cpus <= (1U << 20); cpus *= 2) {
    cpu_set_t* set = CPU_ALLOC(cpus);
    const std::size_t bytes = CPU_ALLOC_SIZE(cpus);
    std::vector<int> numbers;
    const bool fits = sched_getaffinity(0, bytes, set) == 0;
    for (std::size_t cpu = 0; fits && cpu < cpus; ++cpu) {
      if (CPU_ISSET_S(cpu, bytes, set)) numbers.push_back(static_cast<int>(cpu));
    }
    CPU_FREE(set);
    if (fits) return numbers;
  }
  return {};
}

std::string as_ranges(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (!text.empty()) text += ",";
    text += std::to_string(numbers[i]);
    if (last > i) text.append("-").append(std::to_string(numbers[last]));
    i = last + 1;
  }
  return text;
}

Whereabouts whereabouts() { return {.cpu = std::max(0, sched_getcpu()), .allowed = allowed_cpu_numbers()}; }

std::optional<std::array<Seat, 2>> two_at_once(const std::vector<Whereabouts>& ranks) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (std::size_t j = i + 1; j < ranks.size(); ++j) {
      Seat first{.rank = static_cast<int>(i), .cpu = ranks[i].cpu};
      Seat second{.rank = static_cast<int>(j), .cpu = ranks[j].cpu};
      if (first.cpu == second.cpu) {
        if (const auto other = other_than(first.cpu, ranks[j].allowed)) {
          second.cpu = *other;
        } else {
          first.cpu = other_than(second.cpu, ranks[i].allowed).value_or(first.cpu);
        }
      }
      if (first.cpu != second.cpu) return std::array{first, second};
    }
  }
  return std::nullopt;
}

std::string stay_on_own(const std::string& cpus, std::optional<int> host_rank) {
  if (cpus.empty()) return "";
  try {
    const std::vector<int> list = parse_cpus(cpus);
    if (!host_rank) {
      return "cpus=" + cpus + " can't be kept: the launcher does not say which process of its host this is; leave it " +
             "out, and bind the ranks by options of the launcher";
    }
    if (static_cast<std::size_t>(*host_rank) >= list.size()) {
      return "cpus=" + cpus + " names fewer CPUs (" + std::to_string(list.size()) +
             ") than there are ranks on a host; name one for each";
    }
    const std::vector<int> own{list[static_cast<std::size_t>(*host_rank)]};
    const std::vector<int> before = allowed_cpu_numbers();
    allow(own);
    if (allowed_cpu_numbers() == own) return "";
    return "cpus=" + cpus + " has CPU " + std::to_string(own.front()) +
           ", which the system refuses; this process was started on " + as_ranges(before);
  } catch (const InputError& error) {
    return error.what();
  }
}

StayOn::StayOn(int cpu) : before_(allowed_cpu_numbers()) { allow({cpu}); }

StayOn::~StayOn() { allow(before_); }

}  // namespace groma
