// Fills the arrays of a point before chosen calls, and compares on every rank what has arrived.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "groma/buffers/payload.hpp"
#include "groma/device/mirror.hpp"
#include "groma/measure/failure.hpp"
#include "groma/measure/party.hpp"

namespace groma {

class PayloadCheck {
 public:
  /// `mirror` takes the arrays to devices and back; `what` begins the message of a failure. Mirror and party must
  /// outlive the check.
  PayloadCheck(Payload payload, Mirror& mirror, const Party& party, std::string what)
      : payload_(std::move(payload)), mirror_(mirror), party_(party), what_(std::move(what)) {}

  /// True if repetitions on the leftovers of the one before give the same result.
  [[nodiscard]] bool repeatable() const { return payload_.repeatable(); }
  /// Elements that all ranks together compared in the last trial.
  [[nodiscard]] std::int64_t checked_elements() const { return checked_; }

  /// Writes this rank's part of `trial` with this root.
  void fill(int trial, int root) const {
    payload_.fill(trial, root);
    mirror_.store();
  }
  /// The first rank that has wrong data, and what; nothing if all is right. The same on all members. Collective.
  std::optional<Failure> compare(int trial, int root);
  /// The first rank whose device failed, and why; nothing if none did. The same on all members. Collective.
  [[nodiscard]] std::optional<Failure> lost_device() const;
  /// The first rank that has trouble, `own` on this one; nothing if none has. As those above.
  [[nodiscard]] std::optional<Failure> failed(std::string_view reason, const std::string& own) const {
    return first_failure(reason, own);
  }

 private:
  [[nodiscard]] int own_rank() const;
  [[nodiscard]] std::optional<Failure> first_failure(std::string_view reason, const std::string& own) const;

  Payload payload_;
  Mirror& mirror_;
  const Party& party_;
  std::string what_;
  std::int64_t checked_ = 0;
};

}  // namespace groma
