#include "groma/measure/payload_check.hpp"

#include <utility>

#include "groma/mpi/texts.hpp"
#include "groma/text/words.hpp"

namespace groma {

std::optional<Failure> PayloadCheck::compare(int trial, int root) {
  mirror_.fetch();
  if (auto lost = lost_device()) return lost;
  const auto wrong = payload_.verify(trial, root);
  checked_ = payload_.checked_elements(root);
  MPI_Allreduce(MPI_IN_PLACE, &checked_, 1, MPI_INT64_T, MPI_SUM, party_.control.get());
  if (!wrong) return first_failure("wrong_data", "");
  return first_failure("wrong_data", "wrong data on rank " + std::to_string(own_rank()) + " at offset " +
                                         std::to_string(wrong->offset_bytes) + ": expected " +
                                         plain_number(wrong->expected) + ", found " + plain_number(wrong->found));
}

std::optional<Failure> PayloadCheck::lost_device() const {
  if (!mirror_.any()) return std::nullopt;
  const std::string& lost = mirror_.lost();
  return first_failure("device", lost.empty() ? ""
                                              : "the device of rank " + std::to_string(own_rank()) +
                                                    " failed: " + lost + "; later points on it fail too");
}

int PayloadCheck::own_rank() const { return party_.members[static_cast<std::size_t>(party_.control.rank())]; }

/// The first rank that has something to say; nothing if no rank has.
std::optional<Failure> PayloadCheck::first_failure(std::string_view reason, const std::string& own) const {
  const int none = party_.control.size();
  const int mine = own.empty() ? none : party_.control.rank();
  int first = 0;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, party_.control.get());
  if (first == none) return std::nullopt;
  return Failure{.reason = std::string(reason),
                 .message = broadcast_text(party_.control, what_ + ": " + own, first),
                 .ranks = {party_.members[static_cast<std::size_t>(first)]}};
}

}  // namespace groma
