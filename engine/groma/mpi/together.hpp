// Errors of one rank become errors of all: everyone stops together, with one message.
#pragma once

#include <new>
#include <string>

#include "groma/errors.hpp"
#include "groma/mpi/handles.hpp"
#include "groma/mpi/texts.hpp"

namespace groma {

/// Throws on every rank what the lowest rank with an error reports; `text` is empty if there is none. Collective.
template <class Error>
void throw_together(const Comm& world, const std::string& text) {
  const int mine = text.empty() ? world.size() : world.rank();
  int first = 0;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, world.get());
  if (first < world.size()) throw Error(broadcast_text(world, text, first));
}

/// Does `action` on every rank; an InputError or OutputError of any becomes everyone's. Collective, so `action` must
/// not communicate.
template <class Action>
void together(const Comm& world, Action action) {
  std::string bad_input;
  std::string bad_output;
  try {
    action();
  } catch (const InputError& error) {
    bad_input = error.what();
  } catch (const OutputError& error) {
    bad_output = error.what();
  } catch (const std::bad_alloc&) {
    bad_input = "rank " + std::to_string(world.rank()) +
                " can't get the memory it needs; ask for smaller messages or fewer ranks per node";
  }
  throw_together<InputError>(world, bad_input);
  throw_together<OutputError>(world, bad_output);
}

}  // namespace groma
