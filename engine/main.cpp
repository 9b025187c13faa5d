#include "groma/engine.hpp"
#include "programs/programs.hpp"

int main(int argc, char** argv) {
  if (const auto program = argc > 0 ? groma::programs::program_named(argv[0]) : nullptr) return program(argc, argv);
  return groma::run<>(argc, argv);
}
