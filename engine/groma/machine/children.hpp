// Processes that this one forks, and that do nothing.
#pragma once

#include <sys/types.h>

#include <vector>

namespace groma {

class Children {
 public:
  Children() = default;
  /// Ends them.
  ~Children();
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  /// Forks so many, which end with this process at the latest. Throws runtime_error if the system refuses one.
  void fork(int count);

 private:
  std::vector<pid_t> children_;
};

}  // namespace groma
