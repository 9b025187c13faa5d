// Groma's engine, for programs that time an operation of their own, or that measure something of the catalogue and
// print it their own way.
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
// Optional members, none of which runs while it is timed:
//
//   using Options = MyOptions; Options options;    parameters of its own (groma/parameter.hpp)
//   void open()                                    makes what it needs beyond its arrays; may allocate and communicate
//   void bind()                                    binds that to the arrays: after open, and whenever they change
//   void close()                                   frees it
//   static std::int64_t bytes_moved(const groma::Shape&)  traffic of one repetition
//   static std::int64_t messages(const groma::Shape&)
//   static groma::Memory memory(const groma::Shape&)      where Info says that a size is stated
//   static groma::Contents contents(const groma::Site&)   where Info says that the result is stated
//   static void check(const groma::Request&)              throws InputError for what can't be measured
//
// The static ones take `const Options&` as a second argument if the operation has options. See groma/info.hpp for
// what an operation declares.
//
//   int main(int argc, char** argv) {
//     return groma::run_program(argc, argv, [](const groma::Program& program) {
//       groma::Study study;
//       study.plan.points = {groma::default_point(groma::PingPong::info)};
//       study.report = [](const groma::Measured& measured) { ... print it ... };
//       return program.measure(study);
//     });
//   }
//
// Options, layout and wording are the program's; the launch, its checks and its records are the engine's.
// engine/programs holds four such programs, which are part of groma-engine.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "groma/errors.hpp"
#include "groma/info.hpp"
#include "groma/plan/fields.hpp"
#include "groma/plan/point.hpp"
#include "groma/timed/entry_of.hpp"

namespace groma {

/// The whole program: reads the arguments, measures, writes records. Returns the exit code.
int run_engine(int argc, char** argv, const std::vector<Entry>& entries);

/// The whole program with operations of one's own: as groma-engine, with the catalogue and these. Returns the exit
/// code.
template <class... Operations>
int run(int argc, char** argv) {
  std::vector<Entry> entries = catalogue();
  (entries.push_back(entry_of<Operations>()), ...);
  return run_engine(argc, argv, entries);
}

/// One point as it was measured; the words are those of docs/contract.md.
struct Measured {
  std::size_t index = 0;                            ///< of the point in the plan
  std::vector<std::int64_t> samples_ns;             ///< each of `repetitions_per_sample` repetitions
  std::vector<std::vector<std::int64_t>> ranks_ns;  ///< empty unless the point asks for them
  std::int64_t repetitions_per_sample = 1;
  std::int64_t divisor = 1;      ///< figures in one repetition
  std::int64_t bytes_moved = 0;  ///< by one repetition
  std::int64_t messages = 0;     ///< sent by one repetition
};

/// A plan made in code. Rank 0's counts.
struct Study {
  Plan plan = default_plan();
  std::string out = {};                              ///< record file, as groma-engine's --out; empty: none
  std::function<void(const Measured&)> report = {};  ///< called on rank 0 for every point, as soon as it is measured
};

/// A program of one's own between MPI_Init and MPI_Finalize.
class Program {
 public:
  Program(int rank, int ranks, std::function<int(const Study&)> measure)
      : rank_(rank), ranks_(ranks), measure_(std::move(measure)) {}
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }

  /// Measures what the study's plan holds. Returns 0, or 1 if wrong data arrived; throws InputError if a point
  /// can't be measured and OutputError if a figure can't be written, on every rank alike. Collective.
  [[nodiscard]] int measure(const Study& study) const { return measure_(study); }

 private:
  int rank_;
  int ranks_;
  std::function<int(const Study&)> measure_;
};

/// The whole program: `body` runs on every rank and returns the exit code. An InputError that it throws on every rank
/// becomes one message and exit code 2, an OutputError exit code 1.
int run_program(int argc, char** argv, const std::function<int(const Program&)>& body);

}  // namespace groma
