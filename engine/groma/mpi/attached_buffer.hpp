// The buffer of buffered sends, of which MPI has one for each process.
#pragma once

#include "groma/info.hpp"

namespace groma {

class AttachedBuffer {
 public:
  /// Throws InputError for messages of which two are longer than the int that states a buffer's size.
  static void check(const Request& request);
  /// Makes it large enough for two messages of this point, as long as the program runs.
  static void require(const Site& site);
};

}  // namespace groma
