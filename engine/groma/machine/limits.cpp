#include "groma/machine/limits.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "groma/clock/clocks.hpp"
#include "groma/machine/host.hpp"
#include "groma/mpi/texts.hpp"
#include "groma/schema/json.hpp"

namespace groma {
namespace {

double own_cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

std::vector<schema::Noise> measure_noise(const Comm& world) {
  constexpr std::int64_t observed_ns = 10'000'000;
  constexpr std::int64_t detour_ns = 1'000;
  std::int64_t lost = 0;
  std::int64_t longest = 0;
  std::int64_t detours = 0;
  const std::int64_t begin = Monotonic::now();
  std::int64_t last = begin;
  while (last - begin < observed_ns) {
    const std::int64_t reading = Monotonic::now();
    const std::int64_t gap = reading - last;
    if (gap > detour_ns) {
      lost += gap;
      longest = std::max(longest, gap);
      ++detours;
    }
    last = reading;
  }
  const schema::Noise mine{.rank = world.rank(),
                           .lost_share = static_cast<double>(lost) / static_cast<double>(last - begin),
                           .longest_ns = longest,
                           .detours = detours,
                           .observed_ns = last - begin};
  std::vector<schema::Noise> rows;
  for (const std::string& row : gather_texts(world, schema::json_of(mine).dump())) {
    rows.push_back(schema::read_text<schema::Noise>(row));
  }
  return rows;
}

LoadWatch::LoadWatch() : start_ns_(Monotonic::now()), start_(cpu_seconds()), start_own_s_(own_cpu_seconds()) {}

std::vector<schema::NodeLoad> LoadWatch::finish(const Comm& world, const Comm& node) const {
  const double elapsed_s = 1e-9 * static_cast<double>(Monotonic::now() - start_ns_);
  const double mine_s = own_cpu_seconds() - start_own_s_;
  double own_s = 0;
  MPI_Reduce(&mine_s, &own_s, 1, MPI_DOUBLE, MPI_SUM, 0, node.get());
  const CpuSeconds now = cpu_seconds();
  std::string text;
  if (node.rank() == 0) {
    const double foreign_s = std::max(0.0, now.busy - start_.busy - own_s);
    text = schema::json_of(schema::NodeLoad{.name = processor_name(),
                                            .foreign_cores = foreign_s / elapsed_s,
                                            .own_cores = own_s / elapsed_s,
                                            .stolen_cores = (now.stolen - start_.stolen) / elapsed_s})
               .dump();
  }
  std::vector<schema::NodeLoad> rows;
  for (const std::string& row : gather_texts(world, text)) {
    if (row.empty()) continue;
    rows.push_back(schema::read_text<schema::NodeLoad>(row));
    rows.back().node = rows.size() - 1;
  }
  return rows;
}

}  // namespace groma
