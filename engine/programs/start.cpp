// A program of an older suite as a command: it starts the engine beside it under the program's name.
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

int main(int, char** argv) {
  static std::array<char, 65536> own{};
  const ssize_t length = readlink("/proc/self/exe", own.data(), own.size());
  std::string path(own.data(), length < 0 ? 0 : static_cast<std::size_t>(length));
  path.resize(path.rfind('/') + 1);
  path += "groma-engine";
  std::string name = GROMA_PROGRAM;
  argv[0] = name.data();
  execv(path.c_str(), argv);
  std::fprintf(stderr, "%s: cannot start %s, which holds this program: %s; keep both in one folder\n", GROMA_PROGRAM,
               path.c_str(), std::strerror(errno));
  return 2;
}
