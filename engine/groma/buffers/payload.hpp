// What is sent, and what must have arrived. Every element is a whole number from 64 to 127 that depends on sender,
// receiver, trial and position, so that a byte from the wrong place is detected; sums of such numbers are
// exact in every datatype (those of chars are made of smaller numbers).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "groma/buffers/arrays.hpp"
#include "groma/buffers/layout.hpp"
#include "groma/buffers/operands.hpp"
#include "groma/info.hpp"
#include "groma/plan/point.hpp"

namespace groma {

struct Mismatch {
  std::int64_t offset_bytes = 0;
  double expected = 0;
  double found = 0;
};

/// What the operation says of its arrays on one rank: how many messages each holds, and, where its result is stated,
/// which.
struct Expected {
  Contents contents;
  std::int64_t sent = 0;
  std::int64_t received = 0;
  int threads = 1;     ///< each with such messages in arrays of its own
  Memory of_thread{};  ///< what the arrays of one take
};

/// The payload of one point on one rank.
class Payload {
 public:
  Payload(const Info& info, const Point& point, const Site& site, const Arrays& arrays, Expected expected);

  /// Writes this rank's part of `trial` with this root, and old contents wherever a result is to arrive.
  void fill(int trial, int root) const;

  /// Compares every element of the result, and the gaps that a layout leaves between them, with what it must be;
  /// nothing if this rank holds no result.
  [[nodiscard]] std::optional<Mismatch> verify(int trial, int root) const;

  /// Elements that `verify` compares on this rank.
  [[nodiscard]] std::int64_t checked_elements(int root) const;

  /// The memory of what this rank sends, and of what it receives, with this root; empty if that is nothing.
  [[nodiscard]] std::span<std::byte> outgoing(int root) const;
  [[nodiscard]] std::span<std::byte> incoming(int root) const;

  /// True if repetitions on the leftovers of the one before give the same result. Not so where the result is one of the
  /// operands, nor if a source that is ahead may send to a receive of the repetition before, nor if results accumulate.
  [[nodiscard]] bool repeatable() const {
    return !info_.accumulates && (!same_ || info_.sharing == Sharing::one_array) &&
           info_.result != Result::stated_any_order && info_.result != Result::reduced_own;
  }

 private:
  [[nodiscard]] Payload thread(int number) const;
  static int trial_of(int trial, int thread);
  template <class Element>
  void fill_as(int trial, int root) const;
  template <class Element>
  [[nodiscard]] std::optional<Mismatch> verify_as(int trial, int root) const;
  template <class Element>
  void fill_message(std::byte* start, std::int64_t elements, int from, std::int64_t key, int trial) const;
  template <class Element>
  [[nodiscard]] std::optional<Mismatch> verify_message(std::int64_t block, std::int64_t expected_block, int trial,
                                                       int root) const;
  template <class Element>
  [[nodiscard]] std::optional<Mismatch> verify_any_order(int trial) const;
  [[nodiscard]] std::byte* contribution(int root) const;
  [[nodiscard]] std::int64_t transposed(std::int64_t place, int trial) const;
  [[nodiscard]] std::int64_t laplacian(int rank, std::int64_t element, int trial) const;
  [[nodiscard]] std::int64_t gradient_step(std::int64_t element, int trial) const;
  template <class Element>
  void expect(std::int64_t block, std::int64_t first, int trial, int root, std::span<Element> values) const;
  [[nodiscard]] bool holds_result(int root) const;
  [[nodiscard]] bool stated() const;
  [[nodiscard]] std::int64_t receive_elements() const;
  [[nodiscard]] std::int64_t messages_received() const;
  [[nodiscard]] std::int64_t places_of(std::int64_t elements) const;
  [[nodiscard]] std::int64_t end_bytes(const std::vector<Piece>& pieces) const;
  [[nodiscard]] std::int64_t sent_bytes() const;
  [[nodiscard]] std::int64_t received_bytes() const;
  [[nodiscard]] Piece received(std::int64_t block) const;
  [[nodiscard]] bool same_as_first(std::int64_t block) const;

  Info info_;
  Site site_;
  Arrays arrays_;
  payload::Datatype datatype_;
  Operands operands_;
  bool nothing_reduced_ = false;
  bool same_ = false;
  Layout layout_;
  Expected expected_;

  /// Sums over all ranks that every element of a result needs, of the trial that asked last.
  struct Products {
    int trial = -1;
    std::int64_t with_laplacian = 0;
    std::int64_t with_itself = 0;
  };
  mutable Products products_;
};

}  // namespace groma
