#include "groma/machine/children.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace groma {

void Children::fork(int count) {
  for (int made = 0; made < count; ++made) {
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error(std::string("a process can't be forked: ") + std::strerror(errno));
    if (child > 0) {
      children_.push_back(child);
      continue;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) pause();
  }
}

Children::~Children() {
  for (const pid_t child : children_) kill(child, SIGKILL);
  for (const pid_t child : children_) waitpid(child, nullptr, 0);
}

}  // namespace groma
