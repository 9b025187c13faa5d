#include "groma/text/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "groma/errors.hpp"

namespace groma {

void complain(const std::string& message) { std::fprintf(stderr, "%s: %s\n", program_name, message.c_str()); }

void print(const std::string& text) { write_all(STDOUT_FILENO, "standard output", text); }

void write_all(int file, const std::string& path, const std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t bytes = ::write(file, text.data() + written, text.size() - written);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) {
      throw OutputError("can't write " + path + ": " + std::strerror(errno) +
                        "; what was measured before is in it, make room and run again");
    }
    written += static_cast<std::size_t>(bytes);
  }
}

}  // namespace groma
