// Groma's engine, for programs that time an operation of their own.
//
//   struct MyExchange {
//     static constexpr groma::Info info{.name = "my_exchange", .summary = "...", .calls = "MPI_...", ...};
//     groma::Site site;
//     groma::Buffers buffers;
//     void step() noexcept { ... one repetition ... }
//   };
//   int main(int argc, char** argv) { return groma::run<MyExchange>(argc, argv); }
//
// The program has every option, method and record of groma-engine, and its catalogue plus the operations named.
// Optional members: `void open()` (set-up that may allocate), `static std::int64_t bytes_moved(const groma::Shape&)`
// and `messages(const groma::Shape&)` (traffic of one repetition). See groma/info.hpp for what an operation declares.
#pragma once

#include "groma/info.hpp"
#include "groma/measure/entry.hpp"

namespace groma {

/// The whole program: reads the arguments, measures, writes records. Returns the exit code.
int run_engine(int argc, char** argv, const std::vector<Entry>& entries);

template <class... Operations>
int run(int argc, char** argv) {
  std::vector<Entry> entries = catalogue();
  (entries.push_back(entry_of<Operations>()), ...);
  return run_engine(argc, argv, entries);
}

}  // namespace groma
