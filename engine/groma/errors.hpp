// What ends a program of Groma early, on every rank alike.
#pragma once

#include <stdexcept>

namespace groma {

/// Something asked for that can't be done: what, where, and what to do. Ends the program with exit code 2.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Something that needs more ranks or nodes than were launched: a point with `optional` is left out instead.
struct UnfitError : InputError {
  using InputError::InputError;
};

/// What was measured could not be written. Ends the program with exit code 1.
struct OutputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace groma
