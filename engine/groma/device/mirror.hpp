// Arrays of a point in memory that the host does not touch, and the host's copies of them: a point is filled in the
// copies, which go to the device, and what has arrived comes back the same way. All of it lies outside the timed part.
#pragma once

#include <cstdint>
#include <string>

#include "groma/buffers/arrays.hpp"
#include "groma/device/driver.hpp"
#include "groma/plan/point.hpp"

namespace groma {

class Mirror {
 public:
  /// No driver is asked of a point whose arrays the host can use. `used` are the arrays that MPI is given, `filled`
  /// those that the host fills.
  Mirror(const Point& point, const Needs& needs, const Arrays& used, const Arrays& filled);

  /// True if some array is on a device; the same on every member of a party.
  [[nodiscard]] bool any() const { return send_.driver != nullptr || receive_.driver != nullptr; }
  /// To the devices, and done when it returns.
  void store();
  /// What was received.
  void fetch();
  /// Until nothing of this process is left to do on its devices, on whatever stream.
  void synchronise();
  /// What went wrong first; empty if nothing did. A device that fails once is not asked again.
  [[nodiscard]] const std::string& lost() const { return lost_; }

 private:
  struct Side {
    Driver* driver = nullptr;  ///< null if the host uses the array itself
    std::byte* used = nullptr;
    std::byte* filled = nullptr;
    std::size_t bytes = 0;
  };
  static Side side_of(payload::MemoryKind kind, std::byte* used, std::byte* filled, std::int64_t bytes);
  template <class Action>
  void guarded(Action action);

  Side send_;
  Side receive_;
  std::string lost_;
};

}  // namespace groma
