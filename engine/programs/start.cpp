// A program of an older suite as a command: it starts the engine beside it under the command's own name.
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>

int main(int, char** argv) {
  static std::array<char, 65536> own{};
  const ssize_t length = readlink("/proc/self/exe", own.data(), own.size());
  const std::string path(own.data(), length < 0 ? 0 : static_cast<std::size_t>(length));
  const std::size_t slash = path.rfind('/') + 1;
  const std::string engine = path.substr(0, slash) + "groma-engine";
  std::string name = path.substr(slash);
  argv[0] = name.data();
  execv(engine.c_str(), argv);
  std::fprintf(stderr, "%s: cannot start %s, which holds this program: %s; keep both in one folder\n", name.c_str(),
               engine.c_str(), std::strerror(errno));
  return 2;
}
