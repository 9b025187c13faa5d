#include "groma/launch/validate.hpp"

#include <algorithm>
#include <limits>

#include "groma/buffers/cache.hpp"
#include "groma/buffers/layout.hpp"
#include "groma/buffers/payload.hpp"
#include "groma/buffers/reduction.hpp"
#include "groma/buffers/share.hpp"
#include "groma/device/nccl.hpp"
#include "groma/launch/loads.hpp"
#include "groma/mpi/handles.hpp"
#include "groma/patterns/groups.hpp"
#include "groma/plan/fields.hpp"
#include "groma/record/point_json.hpp"
#include "groma/text/words.hpp"

namespace groma {
namespace {

/// Beyond int, a derived datatype describes the message, where one can.
void check_counts(const Point& point, const Info& info, std::int64_t members) {
  if (info.large || !exceeds_counts(info, point, members)) return;
  if (has_layouts(info) && !info.reduces && !info.on_doubles && point.layout == payload::Layout::contiguous) return;
  throw InputError("bytes=" + std::to_string(point.bytes) + " of " + point.operation +
                   " gives more elements than MPI's int counts can say (" + std::to_string(largest_count()) +
                   ") and no datatype can stand for them " +
                   (info.reduces
                        ? "in a reduction; use an operation whose name ends in _c, where the library has it, or "
                        : "here; use layout=contiguous, or ") +
                   "fewer bytes or a larger datatype");
}

void check_sizes(const Point& asked, const Info& info, std::int64_t members) {
  const Point point = own_share(asked, static_cast<int>(members));
  if (asked.bytes > 0 && point.bytes == 0) {
    throw InputError("bytes=" + std::to_string(asked.bytes) + " of " + point.operation + " divided among " +
                     std::to_string(members) + " ranks leaves less than one element of " + name_of(point.datatype) +
                     "; use more bytes, or bytes_of=each");
  }
  if (info.send == Size::none) {
    if (point.bytes != 0) {
      throw InputError(point.operation + " sends no message; leave bytes out");
    }
    return;
  }
  const std::int64_t element = element_bytes(point.datatype);
  if (point.bytes % element != 0) {
    throw InputError("bytes=" + std::to_string(point.bytes) + " of " + point.operation + " is not a multiple of the " +
                     std::to_string(element) + " bytes of " + name_of(point.datatype) + "; use " +
                     std::to_string((point.bytes / element + 1) * element) +
                     ", or datatype=byte where the operation allows it");
  }
  check_counts(point, info, members);
}

void check_doubles(const Point& point, const Info& info) {
  if (!info.on_doubles) return;
  if (point.datatype != payload::Datatype::double_precision) {
    throw InputError("datatype=" + name_of(point.datatype) + " of " + point.operation +
                     " can't be: it computes with its elements; use datatype=double");
  }
  if (point.bytes == 0) {
    throw InputError("bytes=0 of " + point.operation + " leaves nothing to compute with; use 8 or more");
  }
}

void check_reduction(const Point& point, const Info& info) {
  const bool own = point.reduction == payload::Reduction::nothing || point.reduction == payload::Reduction::user;
  if (info.one_sided && info.reduces && own) {
    throw InputError("reduction=" + name_of(point.reduction) + " of " + point.operation +
                     " can't be: one-sided calls take the operations of MPI alone; use reduction=sum, max or band");
  }
  if (!info.reduces || point.reduction == payload::Reduction::nothing) return;
  const std::string undefined = undefined_reduction(point);
  if (!undefined.empty()) throw InputError(undefined);
  const std::string refusal = reduction_refusal(point);
  if (!refusal.empty()) {
    throw InputError("reduction=" + name_of(point.reduction) + " on datatype=" + name_of(point.datatype) + " of " +
                     point.operation + " is not legal MPI, and this library refuses it (" + refusal +
                     "); use datatype=int32, int64, float or double");
  }
}

void check_buffers(const Point& point, const Info& info) {
  if (point.layout != payload::Layout::contiguous && info.send != Size::none && !has_layouts(info)) {
    throw InputError("layout=" + name_of(point.layout) + " of " + point.operation +
                     " can't be: one datatype describes a whole message, and here it is sent in parts or from a list; "
                     "use layout=contiguous");
  }
  if ((point.alignment & (point.alignment - 1)) != 0) {
    throw InputError("alignment=" + std::to_string(point.alignment) + " is not a power of two");
  }
  if (point.receive_offset % element_bytes(point.datatype) != 0) {
    throw InputError("receive_offset=" + std::to_string(point.receive_offset) + " is not a multiple of the size of " +
                     name_of(point.datatype));
  }
  if (point.alignment % element_bytes(point.datatype) != 0) {
    throw InputError("alignment=" + std::to_string(point.alignment) + " is not a multiple of the size of " +
                     name_of(point.datatype));
  }
  if (point.buffers == payload::Buffers::same && info.send != Size::none && info.sharing == Sharing::refused) {
    throw InputError("buffers=same is not legal for " + point.operation +
                     ": it sends and receives at once, and the arrays must not overlap; use buffers=separate");
  }
}

/// What only this operation can say against its options.
void check_options(const Point& point, const Configured& operation, std::size_t ranks, int ring) {
  operation.check({.operation = point.operation,
                   .datatype = name_of(point.datatype),
                   .elements = point.bytes / element_bytes(point.datatype),
                   .bytes = point.bytes,
                   .ranks = static_cast<std::int64_t>(ranks),
                   .pattern = point.pattern,
                   .communicator = point.communicator,
                   .cache = name_of(point.cache),
                   .ranks_per_node = point.ranks_per_node,
                   .ring = ring,
                   .settings = point.parameters});
}

[[noreturn]] void lack(const std::string& who, std::string_view what) {
  const Library own = library();
  throw LackingError(who + " needs " + std::string(what) + ", and this engine's library, " + own.name + " " +
                     own.version + " (MPI " + own.standard + "), lacks that; use another library, or leave it out");
}

void check_library(const Point& point, const Entry& entry) {
  if (!entry.lacks.empty()) lack(point.operation, entry.lacks);
  if (entry.info.send == Size::none || mpi_type(point.datatype) != MPI_DATATYPE_NULL) return;
  const bool brain = point.datatype == payload::Datatype::bfloat16;
  lack("datatype=" + name_of(point.datatype) + " of " + point.operation,
       brain ? "MPIX_BFLOAT16 in the library's header" : "MPIX_C_FLOAT16 or MPI_REAL2 in the library's header");
}

void check_phases(const Point& point, const Entry& entry) {
  if (entry.info.on_file && point.timing != method::Timing::call) {
    throw InputError("timing=" + name_of(point.timing) + " of " + point.operation +
                     " can't be: its file is made ready before each call; use timing=call, its default");
  }
  if (!entry.phases.empty() && point.timing != method::Timing::call) {
    throw InputError("timing=" + name_of(point.timing) + " of " + point.operation +
                     " would lose the times of its phases; use timing=call, its default");
  }
}

/// What NCCL can't do.
void check_nccl(const Point& point, const Entry& entry) {
  if (entry.facts.family != nccl_family) return;
  for (const payload::MemoryKind kind : {send_kind(point), receive_kind(point)}) {
    if (!for_host(kind) && vendor_of(kind) == vendor_of(receive_kind(point))) continue;
    throw InputError("memory=" + name_of(kind) + " of " + point.operation +
                     " can't be: NCCL's messages are in the memory of devices of one vendor; use memory=cuda, or "
                     "memory=hip");
  }
  if (point.layout != payload::Layout::contiguous) {
    throw InputError("layout=" + name_of(point.layout) + " of " + point.operation +
                     " can't be: NCCL has no derived datatypes; use layout=contiguous");
  }
  if (!entry.info.reduces) return;
  if (!nccl_reduces(point.datatype)) {
    throw InputError("datatype=" + name_of(point.datatype) + " of " + point.operation +
                     " can't be: NCCL reduces integers and real numbers; use datatype=float");
  }
  if (!nccl_reduces(point.reduction)) {
    throw InputError("reduction=" + name_of(point.reduction) + " of " + point.operation +
                     " can't be: of Groma's reductions NCCL has sum and max; use one of them");
  }
}

/// What the host does with messages besides MPI, and what changes which array is which.
void check_memory(const Point& point, const Info& info) {
  if (info.send == Size::none) return;
  const std::string what = "memory=" + name_of(for_host(send_kind(point)) ? receive_kind(point) : send_kind(point)) +
                           " of " + point.operation;
  const bool one_array = info.sharing == Sharing::single || point.buffers == payload::Buffers::same;
  if (send_kind(point) != receive_kind(point) && (one_array || info.alternates)) {
    throw InputError("send_memory and receive_memory of " + point.operation + " differ, and " +
                     (one_array ? "it has one array for both" : "its arrays change places with every call") +
                     "; use memory, which is of both");
  }
  if (point.allocation == payload::Allocation::mpi &&
      (send_kind(point) != payload::MemoryKind::host || receive_kind(point) != payload::MemoryKind::host)) {
    throw InputError("allocation=mpi of " + point.operation +
                     " is of host memory, and its memory is another; use allocation=pages or memory=host");
  }
  if (for_host(point)) return;
  if (point.touch != method::Touch::none) {
    throw InputError(what + " can't be with touch=" + name_of(point.touch) +
                     ": the host does not touch the memory of a device; use touch=none, or memory=pinned");
  }
  if (point.cache != method::Cache::warm) {
    throw InputError(what + " can't be with cache=" + name_of(point.cache) +
                     ": that is a state of the host's caches; use cache=warm, or memory=pinned");
  }
  if (info.one_sided) {
    throw InputError(what + " can't be: windows are in the memory of the host; use memory=host or memory=pinned");
  }
  if (info.on_file) {
    throw InputError(what +
                     " can't be: messages of files are in the memory of the host; use memory=host or "
                     "memory=pinned");
  }
  if (info.on_doubles || info.by_hand) {
    throw InputError(what + " can't be: the host computes with its elements; use memory=host or memory=pinned");
  }
  if (info.reduces && point.reduction == payload::Reduction::user) {
    throw InputError(what + " can't be with reduction=user: that is an operation of Groma on the host; use another");
  }
  if (info.reduces && point.layout != payload::Layout::contiguous) {
    throw InputError(what + " can't be with layout=" + name_of(point.layout) +
                     ": the reduction of such messages is an operation of Groma on the host; use layout=contiguous");
  }
}

void check_touch(const Point& point, const Entry& entry) {
  if (point.touch == method::Touch::none) return;
  const std::string what = "touch=" + name_of(point.touch) + " of " + point.operation;
  if (entry.info.one_sided) {
    throw InputError(what + " can't be: another rank may reach the array while this one touches it; leave it out");
  }
  if (entry.info.send == Size::none || point.bytes == 0) {
    throw InputError(what + " has no message to act on; leave it out");
  }
  if (point.buffers == payload::Buffers::same || point.layout != payload::Layout::contiguous ||
      point.cache != method::Cache::warm) {
    throw InputError(what +
                     " needs buffers=separate, layout=contiguous and cache=warm: each message has an array of "
                     "its own, without gaps, and whoever touches it has it in the caches");
  }
  if (point.timing == method::Timing::block && entry.touched.empty()) {
    throw InputError(what + " needs timing=call: in a block of calls, this operation does not touch between them");
  }
  if (point.timing != method::Timing::block && point.sync == method::Sync::none) {
    throw InputError(what +
                     " with timing=call needs ranks that meet once they have touched, or one would wait for "
                     "another inside its stamps; use sync=dissemination, or timing=block");
  }
}

void check_method(const Point& point) {
  const bool paced = point.sync == method::Sync::window || point.sync == method::Sync::roundtime ||
                     point.sync == method::Sync::automatic;
  if (point.arrival != method::Arrival::together && !paced) {
    throw InputError("arrival=" + name_of(point.arrival) +
                     " needs starts at agreed times; use sync=roundtime or sync=window");
  }
  if (point.sync == method::Sync::window && point.timing == method::Timing::block) {
    throw InputError("sync=window of " + point.operation +
                     " needs timing=call: a window is as long as one call needs, not a block; use sync=barrier or "
                     "sync=roundtime");
  }
  if (point.timing == method::Timing::cycle &&
      (point.sync != method::Sync::none || point.cache != method::Cache::warm || point.touch != method::Touch::none)) {
    throw InputError("timing=cycle of " + point.operation +
                     " needs sync=none, cache=warm and touch=none: what lies between two calls is in their time");
  }
  if (point.added_ns > 0 && point.clock != method::Clock::monotonic) {
    throw InputError("added_ns with clock=" + name_of(point.clock) +
                     " can't be: the wait is measured by the monotonic clock; use clock=monotonic");
  }
  if (point.cache != method::Cache::warm && point.timing == method::Timing::block) {
    throw InputError("cache=" + name_of(point.cache) +
                     " needs timing=call: in a block, only the first call would find that state");
  }
  if (point.cache != method::Cache::warm && point.bytes == 0) {
    throw InputError("cache=" + name_of(point.cache) + " of " + point.operation +
                     " has no buffers to act on; leave it out");
  }
  const std::string refusal = cache_refusal(point.cache);
  if (!refusal.empty())
    throw InputError("cache=" + name_of(point.cache) + " can't be had: " + refusal + "; use cache=sweep");
  if (point.timing == method::Timing::block &&
      (point.reduce == method::Reduce::span || point.reduce == method::Reduce::post_arrival) &&
      point.sync == method::Sync::none) {
    throw InputError("reduce=" + name_of(point.reduce) + " of blocks of " + point.operation +
                     " with sync=none would add up how far the ranks have run apart; "
                     "use another sync, or reduce=max");
  }
}

/// The load is checked as the point that it is.
void check_load(const Point& point, const std::vector<Entry>& entries, int world_ranks,
                std::span<const int> node_of_rank) {
  if (point.load == method::Load::none) return;
  if (point.pattern == "slowest" || point.pattern == "farthest") {
    throw InputError("pattern=" + point.pattern + " of " + point.operation + " with load=" + name_of(point.load) +
                     " can't be: the pair is searched for among all ranks; use another pattern");
  }
  const PlannedLoad load = planned_load(point, entries, world_ranks, node_of_rank);
  if (load.point) validate(*load.point, entry_named(entries, load.point->operation), world_ranks, node_of_rank);
}

}  // namespace

void validate(const Point& point, const Entry& entry, int world_ranks, std::span<const int> node_of_rank) {
  check_library(point, entry);
  const std::vector<Group> groups = groups_of(entry.info, point, world_ranks, node_of_rank);
  const auto by_size = [](const Group& a, const Group& b) { return a.size() < b.size(); };
  const auto [smallest, largest] = std::minmax_element(groups.begin(), groups.end(), by_size);
  const auto members = static_cast<std::int64_t>(smallest->size());
  check_sizes(point, entry.info, static_cast<std::int64_t>(largest->size()));
  check_doubles(point, entry.info);
  check_nccl(point, entry);
  check_reduction(point, entry.info);
  check_buffers(point, entry.info);
  check_method(point);
  check_touch(point, entry);
  check_memory(point, entry.info);
  check_phases(point, entry);
  check_options(own_share(point, static_cast<int>(largest->size())), Configured(entry, point.parameters),
                largest->size(), lane_of(point, groups.front(), node_of_rank));
  if (entry.info.rooted && point.root_rank >= members) {
    throw InputError("root_rank=" + std::to_string(point.root_rank) + " of " + point.operation +
                     " is out of range; the " + std::to_string(members) + " ranks that take part are 0 to " +
                     std::to_string(members - 1));
  }
  if (point.min_repetitions > point.max_repetitions) {
    throw InputError("min_repetitions=" + std::to_string(point.min_repetitions) +
                     " is more than max_repetitions=" + std::to_string(point.max_repetitions));
  }
}

std::string unfit(const Point& point, const std::vector<Entry>& entries, int world_ranks,
                  std::span<const int> node_of_rank) {
  try {
    validate(point, entry_named(entries, point.operation), world_ranks, node_of_rank);
    check_load(point, entries, world_ranks, node_of_rank);
  } catch (const UnfitError& error) {
    if (!point.optional) throw;
    return error.what();
  }
  return {};
}

bool library_has_any(const Plan& plan, const std::vector<Entry>& entries) {
  return std::ranges::any_of(plan.points,
                             [&](const Point& point) { return entry_named(entries, point.operation).lacks.empty(); });
}

}  // namespace groma
