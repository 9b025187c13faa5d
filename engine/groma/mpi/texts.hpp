/// Texts that one rank has, or each, handed to others.
#pragma once

#include <string>
#include <vector>

#include "groma/mpi/handles.hpp"

namespace groma {

/// The text of rank 0, on every rank.
std::string broadcast_text(const Comm& comm, std::string text, int from = 0);

/// One text a rank, by rank, on rank 0 (empty elsewhere). Rank 0 receives log2(p) messages.
std::vector<std::string> gather_texts(const Comm& comm, const std::string& text);

}  // namespace groma
