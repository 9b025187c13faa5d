#include "programs.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace groma::programs {

Run program_named(std::string_view path) {
  constexpr std::array<std::pair<std::string_view, Run>, 4> all{
      {{"lbw", run_lbw}, {"ata", run_ata}, {"sts", run_sts}, {"mpi_bcast_test", run_mpi_bcast_test}}};
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const auto* found = std::ranges::find(all, name, &std::pair<std::string_view, Run>::first);
  return found == all.end() ? nullptr : found->second;
}

}  // namespace groma::programs
