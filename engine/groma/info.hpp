// What an operation says of itself, and what it sees while it is timed.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "groma/grid.hpp"

#include "groma/patterns/transfers.hpp"

namespace groma {

enum class Family { harness, point_to_point, collective };

/// How much memory one side of an operation needs, in messages.
enum class Size { none, message, two, window, per_rank, faces, targets, transfers };

/// What a correct receive buffer holds afterwards; see buffers/payload.cpp.
enum class Result {
  none,
  from_partner,     ///< the partner's message, once for every message of the window
  from_left,        ///< the left neighbour's message
  from_neighbours,  ///< the left neighbour's message, then the right one's
  from_faces,       ///< through every face of a grid, the neighbour's message for that face
  from_targets,     ///< every source's message, in their order, once for every message of the window
  from_any_target,  ///< the same messages in any order
  from_root,        ///< the root's message
  from_root_block,  ///< the root's block for this rank
  from_all,         ///< every rank's message, by rank
  from_others,      ///< every other rank's message, by rank
  from_all_block,   ///< every rank's block for this rank, by rank
  from_sources,     ///< the messages that are for this rank, in the order of the list of transfers
  reduced,          ///< the reduction over all ranks
  reduced_block,    ///< this rank's block of the reduction over all ranks
  reduced_through,  ///< the reduction over the ranks up to and including this one
  reduced_before,   ///< the reduction over the ranks before this one
  face_sums,        ///< through every face of a grid, the neighbour's message for that face plus this rank's own
  transposed,       ///< this rank's rows of a two-dimensional array that was transposed (tile.hpp)
  gradient_step     ///< (p.Ap) p + Ap + p.p, where p is this rank's part of a vector and A the Laplacian on a ring
};

/// Which ranks hold the result.
enum class Holders { every, root, not_root, second, not_first };

/// Whose stamps make a sample: every rank's, or only the first of each pair's.
enum class Timers { every, first };

/// What `buffers=same` means for an operation.
enum class Sharing {
  refused,      ///< send and receive arrays must not overlap here (MPI-4.1, 3.2.4 and 3.10)
  one_array,    ///< the receive array is the send array
  single,       ///< the operation has only one array anyway
  in_place,     ///< MPI_IN_PLACE on every rank
  root_send,    ///< MPI_IN_PLACE as the root's send array
  root_receive  ///< MPI_IN_PLACE as the root's receive array
};

/// What of a collective's algorithm bandwidth every rank's link must carry, whatever the algorithm, among p ranks. The
/// definitions are those of NCCL's tests (doc/PERFORMANCE.md), so that figures can be compared. The size is `bytes`, or
/// p blocks of `bytes` where a rank has one for every rank.
enum class Bus {
  undefined,
  whole,         ///< 1: broadcast and reduction
  others,        ///< (p - 1) / p: a rank keeps its own block
  others_twice,  ///< 2 (p - 1) / p: reduced and handed back
};

/// Whether an operation is run by one group, by pairs of ranks, or by ranks that have `targets` partners each.
enum class Parties { group, pairs, targets };

/// What a swap says of its protocol; `number` is COMMTEST's, and negative where an operation is no swap.
struct SwapFacts {
  int number = -1;
  bool alike = false;     ///< both ranks of a pair may send first: swap_order=simple and delayed
  bool overlaps = false;  ///< something in it does not block: swap_overlap=true
};

struct Info {
  std::string_view name;
  std::string_view summary;
  std::string_view calls;
  Family family = Family::collective;
  Parties parties = Parties::group;
  int min_ranks = 1;
  Size send = Size::none;
  Size receive = Size::none;
  Result result = Result::none;
  Holders holders = Holders::every;
  Timers timers = Timers::every;
  Sharing sharing = Sharing::refused;
  bool rooted = false;
  bool reduces = false;
  bool windowed = false;   ///< `window` matters, though the receive array does not show it
  bool segmented = false;  ///< `segments` matters: the message is sent in so many parts
  bool signals = false;    ///< it uses Site::signals
  SwapFacts swap = {};
  bool computes = false;    ///< `compute` and `tests` matter: work is done while messages travel
  int least_window = 1;     ///< the fewest messages with which a windowed operation makes sense
  bool on_doubles = false;  ///< it computes with its elements, which are doubles
  bool spaces = false;      ///< `compute` matters: delays of so many round trips part its messages
  int divisor = 1;
  std::string_view time = "one call";
  std::string_view bandwidth = {};
  Bus bus = Bus::undefined;
  std::string_view timing = {};   ///< default timing; empty: that of the family
  std::string_view pattern = {};  ///< default pattern; empty: that of the family
  std::string_view sync = {};     ///< default sync; empty: that of the family
  std::string_view bytes = {};    ///< default bytes; empty: that of the field
  std::string_view window = {};   ///< default window; empty: that of the field
  std::string_view compute = {};  ///< default compute; empty: that of the field
};

constexpr double bus_factor(Bus bus, std::int64_t ranks) {
  const auto p = static_cast<double>(ranks);
  switch (bus) {
    case Bus::undefined:
      return 0;
    case Bus::whole:
      return 1;
    case Bus::others:
      return (p - 1) / p;
    case Bus::others_twice:
      return 2 * (p - 1) / p;
  }
  return 0;
}

/// The numbers from which an operation states its traffic: `bytes_moved(shape)` (default: one message) and
/// `messages(shape)` (default: none counted), both per repetition.
struct Shape {
  std::int64_t bytes = 0;
  std::int64_t ranks = 1;
  std::int64_t window = 1;
  std::int64_t window_places = 1;  ///< in the receive array, for the messages of a window
  std::int64_t swap_messages = 1;
  std::int64_t element_bytes = 1;  ///< of the datatype
  TransferRules transfers = {};    ///< the list of Size::transfers
  std::int64_t dimensions = 1;
  std::int64_t targets = 1;
  [[nodiscard]] constexpr std::int64_t pairs() const { return ranks / 2; }
};

/// Bytes of which the algorithm bandwidth is reckoned; 0 where none is defined.
constexpr std::int64_t algorithm_bytes(const Info& info, const Shape& shape) {
  if (info.bus == Bus::undefined) return 0;
  const bool blocks = info.send == Size::per_rank || info.receive == Size::per_rank;
  return (blocks ? shape.ranks : 1) * shape.bytes;
}

/// Where a rank stands in the operation being timed. Ranks are those of `comm`.
struct Site {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm signals = MPI_COMM_NULL;  ///< the same ranks; for handshakes, which can't meet the messages of `comm`
  int rank = 0;
  int ranks = 1;
  int partner = 0;    ///< the other rank of the pair
  bool first = true;  ///< this rank is the first of its pair
  int left = 0;
  int right = 0;
  int root = 0;   ///< set anew before every repetition
  int count = 0;  ///< of `type` in one message
  int window = 1;
  int segments = 1;
  int swap_messages = 1;
  MPI_Datatype type = MPI_BYTE;
  MPI_Op reduction = MPI_OP_NULL;
  std::int64_t message_bytes = 0;  ///< from one message to the next in an array, gaps of the layout included
  std::int64_t window_stride = 0;  ///< from one message of a window to the next in the receive array
  std::int64_t element_bytes = 1;
  std::span<const Transfer> transfers = {};  ///< the list, where the operation has one
  SendFrom send_from = SendFrom::places;     ///< of the messages of that list
  Grid grid{};                               ///< of the operations that have faces
  std::vector<int> targets{};                ///< of the operations that have targets: whom to send to
  std::vector<int> sources{};                ///< and whom to receive from, as many
  double compute = 1;
  int tests = 0;
};

/// The memory of an operation. Where MPI_IN_PLACE applies, `send` and the `root_` pointers hold it.
struct Buffers {
  void* send = nullptr;
  void* receive = nullptr;
  void* root_send = nullptr;
  void* root_receive = nullptr;

  /// Message `index` of the receive array.
  [[nodiscard]] void* slot(const Site& site, int index) const noexcept {
    return static_cast<std::byte*>(receive) + index * site.message_bytes;
  }
  /// Where message `index` of a window is received.
  [[nodiscard]] void* arrival(const Site& site, int index) const noexcept {
    return static_cast<std::byte*>(receive) + index * site.window_stride;
  }
  /// Message `index` of the send array.
  [[nodiscard]] void* outgoing(const Site& site, int index) const noexcept {
    return static_cast<std::byte*>(send) + index * site.message_bytes;
  }
};

}  // namespace groma
