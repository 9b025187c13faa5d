// What ranks that are split off do to the network while a point is measured on the others.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "groma/measure/launch_context.hpp"
#include "groma/measure/subject.hpp"

namespace groma {

/// An operation that some ranks call back to back, untimed, until they are told to stop.
class Load {
 public:
  /// All must outlive it. Collective over the party, as is `run`.
  Load(const LaunchContext& context, const Configured& operation, const Point& point, const Party& party);

  /// Calls until `over`, which the first rank asks after each batch of about a millisecond. It says `begun` once every
  /// rank has made calls. The others are told with a broadcast of 8 bytes among them.
  void run(const std::function<void()>& begun, const std::function<bool()>& over);

  [[nodiscard]] std::int64_t calls() const { return calls_; }
  /// How long the calls took with what lies between them.
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  void make_calls();

  const Party& party_;
  Subject subject_;
  Loop loop_;
  std::vector<int> roots_;
  std::int64_t batch_ = 1;  ///< calls between two questions
  std::int64_t calls_ = 0;
  double seconds_ = 0;
};

}  // namespace groma
