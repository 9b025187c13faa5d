// Who sends how much to whom in a some-to-some exchange (STS, NAS page): a list drawn from a seed, the same on every
// rank, machine and MPI library. Generator and order of the draws are frozen: a change would make it a different
// benchmark (ADR 7).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace groma {

/// The parameters of a list.
struct TransferRules {
  int ranks = 2;
  int messages = 6;        ///< that each rank sends, on the average, before they are doubled
  bool both_ways = false;  ///< every pair reversed too, with a length of its own
  std::uint32_t seed = 1;
  std::int64_t longest = 0;  ///< lengths are 1 to this many elements, each as likely
};

/// One message; its length counts elements.
struct Transfer {
  int source = 0;
  int destination = 0;
  int length = 0;
};

/// ranks * messages pairs of different ranks, repeats allowed; then the same pairs reversed, where asked for.
std::vector<Transfer> draw_transfers(const TransferRules& rules);

/// The length of all together.
std::int64_t total_length(std::span<const Transfer> transfers);

/// The most that any rank sends, or receives.
struct Heaviest {
  std::int64_t sent = 0;
  std::int64_t received = 0;
};
Heaviest heaviest(std::span<const Transfer> transfers, int ranks);

/// From where a rank sends its messages.
enum class SendFrom { one_buffer, places };

/// One message as one of its two ranks sees it; `start` counts elements. The messages received lie one behind another
/// in the receive array. Those sent do so in the send array, or each begins where that array does.
struct Part {
  bool sent = false;
  int peer = 0;
  int length = 0;
  std::int64_t start = 0;
  std::int64_t number = 0;  ///< in the list
};
std::vector<Part> parts_of(std::span<const Transfer> transfers, int rank, SendFrom from);

/// PCG32 (XSH-RR 64/32; O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for Random
/// Number Generation", 2014).
class Pcg32 {
 public:
  explicit Pcg32(std::uint64_t seed, std::uint64_t stream);
  std::uint32_t next();
  /// 0 to bound - 1, each as likely: draws from the incomplete last round are discarded.
  std::uint32_t below(std::uint32_t bound);

 private:
  std::uint64_t state_ = 0;
  std::uint64_t increment_;
};

}  // namespace groma
