#include "groma/engine.hpp"

int main(int argc, char** argv) { return groma::run<>(argc, argv); }
