#include "groma/mpi/file_room.hpp"

#include <sys/resource.h>
#include <sys/statvfs.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>

namespace groma {
namespace {

/// "3.2 MiB": rounded down to a decimal.
std::string rounded(std::int64_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  auto amount = static_cast<double>(bytes);
  for (; unit + 1 < std::size(units) && amount >= 1024; ++unit) amount /= 1024;
  const double tenths = std::floor(10 * amount) / 10;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*f %s", tenths == std::floor(tenths) ? 0 : 1, tenths, units[unit]);
  return text.data();
}

/// What may still be written where the file lies; negative if the system does not say.
std::int64_t free_bytes(int descriptor) {
  struct statvfs found {};
  if (fstatvfs(descriptor, &found) != 0 || found.f_blocks == 0) return -1;
  return static_cast<std::int64_t>(found.f_bavail) * static_cast<std::int64_t>(found.f_frsize);
}

/// How long a file of this process may be; negative if there is no limit.
std::int64_t longest_file_bytes() {
  struct rlimit limit {};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return -1;
  return static_cast<std::int64_t>(limit.rlim_cur);
}

}  // namespace

std::string lack_of_room(const std::string& name, int descriptor, std::int64_t bytes) {
  const std::string needs = ", and the file needs " + rounded(bytes) + "; use fewer bytes or ranks";
  const std::int64_t longest = longest_file_bytes();
  if (longest >= 0 && longest < bytes) {
    return "a file of this process may have " + rounded(longest) + " (ulimit -f)" + needs;
  }
  const std::int64_t free = free_bytes(descriptor);
  if (free < 0 || free >= bytes) return "";
  return name.substr(0, name.rfind('/')) + " has " + rounded(free) + " free" + needs + ", or another file_folder";
}

}  // namespace groma
