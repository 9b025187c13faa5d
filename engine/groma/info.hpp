// What an operation says of itself, and what it sees while it is timed.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "groma/parameter.hpp"

namespace groma {

/// Which defaults an operation has: a collective is timed call by call, with synchronised starts; others in blocks.
enum class Family { harness, point_to_point, collective };

/// Size of an array: no array, one message, one message for every rank, or `stated`: as the operation's `memory` says.
enum class Size { none, message, per_rank, stated };

/// What a correct receive buffer holds afterwards; see buffers/payload.cpp.
enum class Result {
  none,                  ///< nothing is checked
  own,                   ///< this rank's own message
  from_partner,          ///< the partner's message, in every place of the receive array
  from_left,             ///< the left neighbour's message
  from_root,             ///< the root's message
  from_root_block,       ///< the root's block for this rank
  from_all,              ///< every rank's message, by rank
  from_others,           ///< every other rank's message, by rank
  from_all_block,        ///< every rank's block for this rank, by rank
  reduced,               ///< the reduction over all ranks
  reduced_block,         ///< this rank's block of the reduction over all ranks
  reduced_through,       ///< the reduction over the ranks up to and including this one
  reduced_before,        ///< the reduction over the ranks before this one
  reduced_own,           ///< the reduction of this rank's message and of another that the array held before
  stated,                ///< the messages that the operation's `contents` says are received, each in its place
  stated_any_order,      ///< the same messages in any order
  reduced_with_partner,  ///< the reduction of this rank's message and its partner's
  fetched_and_reduced,   ///< on the second rank of a pair the same, on the first the partner's message
  stated_plus_own,       ///< each of them plus the message of that number that this rank sends
  transposed,            ///< this rank's rows of a two-dimensional array that was transposed (tile.hpp)
  gradient_step          ///< (p.Ap) p + Ap + p.p, where p is this rank's part of a vector and A the Laplacian on a ring
};

/// Which ranks hold the result.
enum class Holders { every, root, not_root, first, second, not_first };

/// Whose stamps make a sample: every rank's, or only the first of each pair's.
enum class Timers { every, first };

/// What `buffers=same` means for an operation.
enum class Sharing {
  refused,      ///< send and receive arrays must not overlap here (MPI-4.1, 3.2.4 and 3.10)
  one_array,    ///< the receive array is the send array
  single,       ///< the operation has only one array anyway
  replaced,     ///< the operation has only one array, in which what is received replaces what is sent
  in_place,     ///< MPI_IN_PLACE on every rank
  root_send,    ///< MPI_IN_PLACE as the root's send array
  root_receive  ///< MPI_IN_PLACE as the root's receive array
};

/// Share of the message that every rank's link must carry with any algorithm, among p ranks (the bus bandwidth of
/// NCCL's tests, doc/PERFORMANCE.md). The size is `bytes`, or p blocks of `bytes` if a rank has one for every rank.
enum class Bus {
  undefined,
  whole,         ///< 1: broadcast and reduction
  others,        ///< (p - 1) / p: a rank keeps its own block
  others_twice,  ///< 2 (p - 1) / p: reduced and handed back
};

/// An operation is run by one group, by pairs of ranks, or by rings in which a rank has several partners.
enum class Parties { group, pairs, rings };

/// What an operation declares: its member `static constexpr groma::Info info{.name = ..., ...};`.
struct Info {
  std::string_view name = {};          ///< as plans, options and records have it
  std::string_view summary = {};       ///< one sentence
  std::string_view calls = {};         ///< MPI calls of one repetition, with commas between them
  Family family = Family::collective;  ///< decides defaults
  Parties parties = Parties::group;    ///< who runs it: a group, pairs or rings
  int min_ranks = 1;                   ///< fewest ranks
  Size send = Size::none;              ///< the send array
  Size receive = Size::none;           ///< the receive array
  Result result = Result::none;        ///< what the payload check expects; none: nothing is checked
  Holders holders = Holders::every;    ///< ranks that hold the result
  Timers timers = Timers::every;       ///< ranks whose stamps make a sample
  Sharing sharing = Sharing::refused;  ///< what buffers=same does
  bool rooted = false;                 ///< it has a root, `Site::root`
  bool reduces = false;                ///< it reduces, by `Site::reduction`
  bool in_parts = false;       ///< a message is sent in parts, or is one of a list: no derived datatype describes it
  bool on_doubles = false;     ///< it computes with its elements, which are doubles
  bool by_hand = false;        ///< it computes with its elements where a layout puts them
  bool large = false;          ///< its calls take counts beyond int
  bool one_sided = false;      ///< ranks access each other's arrays: these are filled and checked while no rank runs it
  bool accumulates = false;    ///< repetitions add up: only the first one after a fill is checked
  bool on_file = false;        ///< it writes or reads a file, which is made ready before each repetition
  bool touches = false;        ///< a repetition sends every message once, so that it can be touched before (Touched)
  bool threads_share = false;  ///< its threads have one message together
  bool alternates = false;     ///< send and receive arrays change places with every call
  int divisor = 1;             ///< figures in one repetition: 2 for a round trip that is reported one way
  std::string_view time = "one call";  ///< what the reported time is of, in words
  std::string_view bandwidth = {};     ///< how the bandwidth follows from the time, in words; empty: it has none
  Bus bus = Bus::undefined;            ///< defines algorithm and bus bandwidth
  std::string_view timing = {};        ///< default timing; empty: that of the family
  std::string_view pattern = {};       ///< default pattern; empty: that of the family
  std::string_view sync = {};          ///< default sync; empty: that of the family
  std::string_view bytes = {};         ///< default bytes; empty: that of the field
  std::string_view datatype = {};      ///< default datatype; empty: that of the family
  std::string_view memory = {};        ///< default memory; empty: that of the field
  std::string_view form_of = {};       ///< the blocking operation of which this is another form
  std::string_view validation = {};    ///< what is checked, if the result is stated; empty: as for every such result
};

/// `common`, which several operations share, as the one of this name.
constexpr Info named(Info common, std::string_view name, std::string_view summary, std::string_view calls) {
  common.name = name;
  common.summary = summary;
  common.calls = calls;
  return common;
}

/// The bus bandwidth over the algorithm bandwidth; 0 if neither is defined.
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

/// The numbers of a point from which an operation states its traffic and memory, in `bytes_moved`, `messages` and
/// `memory`.
struct Shape {
  std::int64_t bytes = 0;                                                   ///< of one message
  std::int64_t ranks = 1;                                                   ///< in the group
  std::int64_t element_bytes = 1;                                           ///< of the datatype
  [[nodiscard]] constexpr std::int64_t pairs() const { return ranks / 2; }  ///< in the group, of two ranks each
};

/// Memory for one set of arrays on one rank; if ranks differ, on the rank that needs most.
struct Memory {
  std::int64_t send_bytes = 0;
  std::int64_t receive_bytes = 0;
};

/// From the arrays of one thread of a rank to those of the next, which begin on cache lines of their own.
constexpr std::int64_t thread_stride(std::int64_t bytes) {
  constexpr std::int64_t lines = 256;
  return (bytes + lines - 1) / lines * lines;
}

/// Bytes of which the algorithm bandwidth is reckoned; 0 if none is defined.
constexpr std::int64_t algorithm_bytes(const Info& info, const Shape& shape) {
  if (info.bus == Bus::undefined) return 0;
  const bool blocks = info.send == Size::per_rank || info.receive == Size::per_rank;
  return (blocks ? shape.ranks : 1) * shape.bytes;
}

/// A number of elements, which calls take as an int or, in those for large messages, as an MPI_Count.
struct Counted {
  std::int64_t number = 0;
};

/// Where a rank stands in the operation being timed, and the arguments of its calls. The engine sets it before `open`.
/// Rank numbers are those of `comm`.
struct Site {
  MPI_Comm comm = MPI_COMM_NULL;         ///< the ranks that take part
  int rank = 0;                          ///< this rank
  int ranks = 1;                         ///< of `comm`
  int partner = 0;                       ///< the other rank of the pair
  bool first = true;                     ///< this rank is the first of its pair
  int left = 0;                          ///< the neighbour before this rank
  int right = 0;                         ///< the neighbour after it
  int ring = 1;                          ///< ranks in a ring (Parties::rings)
  int root = 0;                          ///< set again before every repetition
  int roots_change = 0;                  ///< 1 if the root changes between repetitions
  int count = 0;                         ///< of `type` in one message
  Counted counted{};                     ///< the same, beyond int if the operation is `large`
  std::int64_t elements = 0;             ///< of the datatype in one message
  MPI_Datatype type = MPI_BYTE;          ///< the datatype, or the point's layout of it
  MPI_Op reduction = MPI_OP_NULL;        ///< if the operation reduces
  std::int64_t message_bytes = 0;        ///< from one message to the next in an array, gaps of the layout included
  std::int64_t element_bytes = 1;        ///< of the datatype
  std::span<std::byte> send_array{};     ///< all places of the sent message under cache=rotate; else the one
  std::span<std::byte> receive_array{};  ///< the same of the received message
  std::span<const int> cpus{};           ///< of each thread of this rank, if the operation has threads
};

/// One message in an array of this rank: where it lies, and who sends it as which of its messages.
struct Piece {
  std::int64_t start_bytes = 0;  ///< from the start of the array
  std::int64_t elements = 0;     ///< of the datatype
  int from = 0;                  ///< the sending rank
  std::int64_t key = 0;          ///< tells the messages of one sender apart; those of the same key are the same
};

/// The messages that a rank sends, and those that it must have received afterwards.
struct Contents {
  std::vector<Piece> sent;       ///< in the send array
  std::vector<Piece> received;   ///< in the receive array
  std::int64_t rounds = 1;       ///< times that `received` repeats in the receive array
  std::int64_t round_bytes = 0;  ///< from one of these to the next
};

/// The part of a point that an operation's `check` sees; sizes are those of the largest group.
struct Request {
  std::string_view operation = {};
  std::string_view datatype = {};
  std::int64_t elements = 0;  ///< in one message
  std::int64_t bytes = 0;     ///< of one message
  std::int64_t ranks = 1;
  std::string_view pattern = {};
  std::string_view communicator = {};
  std::string_view cache = {};
  std::int64_t ranks_per_node = 0;
  int ring = 1;              ///< ranks in a ring (Parties::rings)
  const Settings& settings;  ///< of all parameters, those of other operations too
};

/// The arrays of an operation. The engine allocates and fills them; under cache=rotate it sets other pointers between
/// repetitions. Where MPI_IN_PLACE applies, `send` and the `root_` pointers hold it.
struct Buffers {
  void* send = nullptr;          ///< first message to send
  void* receive = nullptr;       ///< where the first message arrives
  void* root_send = nullptr;     ///< what the root gives as its send array
  void* root_receive = nullptr;  ///< what the root gives as its receive array

  /// Message `index` of the receive array.
  [[nodiscard]] void* slot(const Site& site, int index) const noexcept {
    return static_cast<std::byte*>(receive) + index * site.message_bytes;
  }
  /// Message `index` of the send array.
  [[nodiscard]] void* outgoing(const Site& site, int index) const noexcept {
    return static_cast<std::byte*>(send) + index * site.message_bytes;
  }
};

/// Operations, or lists of them. Every family's header ends with the list of its own.
template <class... Operations>
struct OperationList {};

/// What the engine gives to every operation before it runs.
struct Placed {
  Site site;
  Buffers buffers;
};

}  // namespace groma
