#include "groma/measure/thread_cpus.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "groma/machine/cpus.hpp"
#include "groma/machine/host.hpp"
#include "groma/mpi/texts.hpp"
#include "groma/text/words.hpp"

namespace groma {
namespace {

std::string listed(const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

}  // namespace

std::vector<std::vector<int>> seats_of(const std::vector<std::vector<int>>& allowed, int threads) {
  std::vector<std::size_t> order(allowed.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t rank) { return std::pair(allowed[rank].size(), rank); });
  std::map<int, int> taken;
  std::vector<std::vector<int>> seats(allowed.size());
  for (const std::size_t rank : order) {
    for (int thread = 0; thread < threads; ++thread) {
      const int cpu = *std::ranges::min_element(allowed[rank], {}, [&](int one) { return taken[one]; });
      ++taken[cpu];
      seats[rank].push_back(cpu);
    }
  }
  return seats;
}

ThreadCpus thread_cpus(const Comm& members, int threads) {
  const Comm host = ranks_of_host(members);
  std::vector<std::vector<int>> allowed;
  for (const std::string& text : gather_texts(host, listed(allowed_cpu_numbers()))) {
    allowed.push_back(parse_cpus(text));
  }
  std::string all;
  std::map<int, int> taken;
  ThreadCpus cpus;
  if (host.rank() == 0) {
    for (const std::vector<int>& of_rank : seats_of(allowed, threads)) {
      all += (all.empty() ? "" : ";") + listed(of_rank);
      for (const int cpu : of_rank) cpus.shared = ++taken[cpu] > 1 || cpus.shared;
    }
  }
  const std::string text = broadcast_text(host, all);
  const std::string_view own = split(text, ';')[static_cast<std::size_t>(host.rank())];
  cpus.own = parse_cpus(std::string(own));
  int shared = cpus.shared ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &shared, 1, MPI_INT, MPI_MAX, members.get());
  cpus.shared = shared == 1;
  cpus.ranks = gather_texts(members, std::string(own));
  return cpus;
}

}  // namespace groma
