#include "groma/engine.hpp"

/// Statics live until the process ends. Every rank registers the destruction of its own here, at an address that all
/// ranks share: at exit smpirun would destroy those of one rank again and again.
extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }

int main(int argc, char** argv) { return groma::run<>(argc, argv); }
