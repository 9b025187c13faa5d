// What the ranks of a point do with their messages besides MPI, outside the timed loop and inside it.
#pragma once

#include <span>
#include <utility>

#include "groma/buffers/payload.hpp"
#include "groma/plan/point.hpp"
#include "groma/touch.hpp"

namespace groma {

class Touching {
 public:
  Touching(const Point& point, Payload payload) : point_(point), payload_(std::move(payload)) {}

  /// This rank's part of a repetition with this root.
  [[nodiscard]] Touch of(int root) const {
    return {.written = writes(point_) ? payload_.outgoing(root) : std::span<std::byte>(),
            .read = reads(point_) ? payload_.incoming(root) : std::span<std::byte>()};
  }
  /// True if messages are touched around single calls, before the opening stamp and after the closing one.
  [[nodiscard]] bool around_calls() const { return point_.touch != method::Touch::none && !touches_inside(point_); }
  void before_call(int root) const {
    if (around_calls()) change_lines(of(root).written);
  }
  void after_call(int root) const {
    if (around_calls()) read_lines(of(root).read);
  }
  /// Arrays that were just filled: the next call's own change makes its message as it was filled.
  void change_filled(int root) const { change_lines(of(root).written); }

 private:
  const Point& point_;
  Payload payload_;
};

}  // namespace groma
