#include "groma/measure/payload_check.hpp"

#include <utility>

#include "groma/mpi/texts.hpp"
#include "groma/text/words.hpp"

namespace groma {

std::optional<Failure> PayloadCheck::compare(int trial, int root) {
  const auto wrong = payload_.verify(trial, root);
  const int none = party_.control.size();
  const int mine = wrong ? party_.control.rank() : none;
  int first = 0;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, party_.control.get());
  checked_ = payload_.checked_elements(root);
  MPI_Allreduce(MPI_IN_PLACE, &checked_, 1, MPI_INT64_T, MPI_SUM, party_.control.get());
  if (first == none) return std::nullopt;
  const int rank = party_.members[static_cast<std::size_t>(first)];
  std::string text;
  if (mine == first) {
    text = what_ + ": wrong data on rank " + std::to_string(rank) + " at offset " +
           std::to_string(wrong->offset_bytes) + ": expected " + plain_number(wrong->expected) + ", found " +
           plain_number(wrong->found);
  }
  return Failure{.reason = "wrong_data", .message = broadcast_text(party_.control, text, first), .ranks = {rank}};
}

}  // namespace groma
