// The choices of the fields that every point and plan has, as typed values. Each enumeration has its values in the
// order of its table, which says their names and what they mean; fields.cpp binds both to the members of points and
// plans.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>

#include "groma/parameter.hpp"

namespace groma {

/// What is sent.
namespace payload {

enum class BytesOf { each, total };
inline constexpr Choice shares[] = {
    {"each", "of each rank's own message"},
    {"total", "of all together: divided among the ranks, down to whole elements (MPIBench)"}};
constexpr std::span<const Choice> choices_of(BytesOf) { return shares; }

enum class Datatype {
  byte,
  character,
  int32,
  int64,
  single_precision,
  double_precision,
  single_complex,
  double_complex,
  int_at,
  double_at,
  float16,
  bfloat16
};
inline constexpr Choice datatypes[] = {
    {"byte", "MPI_BYTE"},
    {"char", "MPI_CHAR"},
    {"int32", "MPI_INT32_T"},
    {"int64", "MPI_INT64_T"},
    {"float", "MPI_FLOAT"},
    {"double", "MPI_DOUBLE"},
    {"complex", "MPI_C_FLOAT_COMPLEX"},
    {"double_complex", "MPI_C_DOUBLE_COMPLEX"},
    {"2int", "MPI_2INT: a value and its place"},
    {"double_int", "MPI_DOUBLE_INT: a value and its place, 16 bytes in memory"},
    {"float16", "IEEE 754's binary16: MPIX_C_FLOAT16 or MPI_REAL2; of libraries that have it"},
    {"bfloat16", "MPIX_BFLOAT16; of libraries that have it"}};
constexpr std::span<const Choice> choices_of(Datatype) { return datatypes; }

enum class Layout { contiguous, vector, indexed, records };
inline constexpr Choice layouts[] = {
    {"contiguous", "one element behind the other"},
    {"vector", "every second element: MPI_Type_vector"},
    {"indexed", "blocks of 1, 2 and 3 elements with a gap of one between: MPI_Type_indexed"},
    {"struct", "records of one element, a gap of one, and three elements: MPI_Type_create_struct"}};
constexpr std::span<const Choice> choices_of(Layout) { return layouts; }

enum class Reduction { sum, max, band, nothing, minloc, maxloc, user };
inline constexpr Choice reductions[] = {
    {"sum", "MPI_SUM; not on bytes, 2int and double_int; on char only if the library accepts it"},
    {"max", "MPI_MAX; on char as sum; not on other types than integers and real numbers"},
    {"band", "MPI_BAND; on integers and bytes"},
    {"null", "an operation of Groma that does nothing (PMB): the cost of a reduction without its arithmetic"},
    {"minloc", "MPI_MINLOC; on 2int and double_int"},
    {"maxloc", "MPI_MAXLOC; on 2int and double_int"},
    {"user", "an operation of Groma that adds, made by MPI_Op_create; where sum is legal"}};
constexpr std::span<const Choice> choices_of(Reduction) { return reductions; }

enum class Buffers { separate, same };
inline constexpr Choice buffers[] = {{"separate", "distinct send and receive arrays"},
                                     {"same", "one array for both, MPI_IN_PLACE in collectives"}};
constexpr std::span<const Choice> choices_of(Buffers) { return buffers; }

enum class Allocation { pages, mpi };
inline constexpr Choice allocations[] = {
    {"pages", "pages of the kernel, once for all points of a launch"},
    {"mpi",
     "MPI_Alloc_mem, again for each point: the library chooses the place, such as huge pages or next to another array; "
     "alignment and receive_offset have no effect"}};
constexpr std::span<const Choice> choices_of(Allocation) { return allocations; }

enum class MemoryKind { host, pinned, cuda, cuda_managed, hip, hip_managed };
inline constexpr Choice memory_kinds[] = {
    {"host", "memory of the host, as `allocation` says"},
    {"pinned", "memory of the host that the driver of a device pins (CUDA's, else HIP's)"},
    {"cuda", "memory of a CUDA device (cuMemAlloc)"},
    {"cuda_managed", "memory that CUDA moves between host and device (cuMemAllocManaged), first written by the device"},
    {"hip", "memory of a HIP device (hipMalloc); never tried on a device"},
    {"hip_managed", "memory that HIP moves between host and device (hipMallocManaged); never tried on a device"}};
constexpr std::span<const Choice> choices_of(MemoryKind) { return memory_kinds; }

/// The kind of one side: `same`, or one of those above in their order.
enum class SideMemory { same, host, pinned, cuda, cuda_managed, hip, hip_managed };
inline constexpr Choice side_memories[] = {{"same", "as `memory`"}, memory_kinds[0], memory_kinds[1], memory_kinds[2],
                                           memory_kinds[3],         memory_kinds[4], memory_kinds[5]};
constexpr std::span<const Choice> choices_of(SideMemory) { return side_memories; }

constexpr MemoryKind kind_of(SideMemory side, MemoryKind both) {
  return side == SideMemory::same ? both : static_cast<MemoryKind>(static_cast<int>(side) - 1);
}
/// True if the host can read and write it.
constexpr bool for_host(MemoryKind kind) { return kind == MemoryKind::host || kind == MemoryKind::pinned; }

}  // namespace payload

/// How it is timed.
namespace method {

enum class Clock { monotonic, mpi, tsc, gettimeofday };
inline constexpr Choice clocks[] = {
    {"monotonic", "clock_gettime(CLOCK_MONOTONIC)"},
    {"mpi", "MPI_Wtime"},
    {"tsc", "the serialised cycle counter, calibrated to ns; refused unless it is invariant"},
    {"gettimeofday", "gettimeofday, steps of 1 us"}};
constexpr std::span<const Choice> choices_of(Clock) { return clocks; }

enum class Timing { call, cycle, block };
inline constexpr Choice timings[] = {{"call", "every call is stamped on entry and exit"},
                                     {"cycle",
                                      "the same, and a call lasts until the next one begins: the loop around it is "
                                      "in its time, with two readings of the clock"},
                                     {"block", "calls back to back between two stamps"}};
constexpr std::span<const Choice> choices_of(Timing) { return timings; }

enum class Sync { none, barrier, dissemination, window, roundtime, automatic };
inline constexpr Choice syncs[] = {
    {"none", "back to back: measures throughput"},
    {"barrier", "MPI_Barrier, with the exit skew of the library under test"},
    {"dissemination", "Groma's own barrier of ceil(log2 p) rounds"},
    {"window", "starts one window apart on the global clock; late or overrunning repetitions are dropped"},
    {"roundtime", "the first rank announces each start a little ahead, on the global clock"},
    {"auto", "roundtime; barrier if there are more ranks than CPUs"}};
constexpr std::span<const Choice> choices_of(Sync) { return syncs; }

enum class Arrival { together, one_late, linear, random };
inline constexpr Choice arrivals[] = {
    {"together", "all ranks at once"},
    {"one_late", "the last rank arrives arrival_delay_us after the others"},
    {"linear", "rank r arrives r/(p-1) of arrival_delay_us late"},
    {"random", "each rank arrives up to arrival_delay_us late, drawn for each repetition"}};
constexpr std::span<const Choice> choices_of(Arrival) { return arrivals; }

/// What the ranks do that are split off to load the network while the others are measured.
enum class Load { none, silent, alltoall, incast, bcast, bisection };
inline constexpr Choice loads[] = {
    {"none", "no ranks are split off"},
    {"silent", "ranks are split off and sleep: what a load is compared with"},
    {"alltoall", "`alltoall` among them"},
    {"incast", "`incast`: all others send to the first of them"},
    {"bcast", "`bcast` among them"},
    {"bisection",
     "`bimessage_rate`: the first half of them exchange messages with the second; an odd last one sleeps"}};
constexpr std::span<const Choice> choices_of(Load) { return loads; }

enum class LoadRanks { random, block };
inline constexpr Choice load_ranks[] = {{"random", "drawn from the seed of the plan, anew in each launch"},
                                        {"block", "the last ones"}};
constexpr std::span<const Choice> choices_of(LoadRanks) { return load_ranks; }

enum class Reduce { root, max, mean, min, span, post_arrival };
inline constexpr Choice reduces[] = {{"root", "the time of the root, or of the first rank"},
                                     {"max", "the longest time over ranks"},
                                     {"mean", "the mean time over ranks"},
                                     {"min", "the shortest time over ranks"},
                                     {"span", "from the first entry to the last exit, on the global clock"},
                                     {"post_arrival", "from the last entry to the last exit, on the global clock"}};
constexpr std::span<const Choice> choices_of(Reduce) { return reduces; }

enum class Cache { warm, rotate, sweep, flush };
inline constexpr Choice caches[] = {
    {"warm", "the same buffers every time"},
    {"rotate",
     "other buffers every time, in shuffled order over twice the last-level cache: cold lines and cold pages of the "
     "buffers, a warm library; with cache_pool, one after the other through that many bytes, read once beforehand"},
    {"sweep", "twice the last-level cache is read and written before each call: everything is cold, the library too"},
    {"flush",
     "the lines of the buffers are dropped from all caches before each call: cold lines, warm pages, a warm library"}};
constexpr std::span<const Choice> choices_of(Cache) { return caches; }

enum class Touch { none, write, read, both };
inline constexpr Choice touches[] = {
    {"none", "messages stay the same, and nobody reads them: single-copy paths look faster than in most programs"},
    {"write", "each sender changes every cache line of its message before it sends it"},
    {"read", "each receiver reads every cache line of a message that has arrived"},
    {"both", "both, as IMB-P2P does"}};
constexpr std::span<const Choice> choices_of(Touch) { return touches; }

enum class Root { fixed, rotate, random };
inline constexpr Choice roots[] = {{"fixed", "root_rank in every repetition"},
                                   {"rotate", "the next rank in every repetition, from root_rank on"},
                                   {"random", "drawn from the plan's seed, the same on every rank"}};
constexpr std::span<const Choice> choices_of(Root) { return roots; }

enum class Stop { reps, time, ci, rse };
inline constexpr Choice stops[] = {
    {"reps", "after `repetitions` samples"},
    {"time", "when slot_s is over"},
    {"ci", "when the samples are steady and the 95 % interval of their median is within `precision` of it"},
    {"rse", "when the standard error is within `rse_limit` of the mean"}};
constexpr std::span<const Choice> choices_of(Stop) { return stops; }

enum class Order { sequential, interleaved, shuffled };
inline constexpr Choice orders[] = {{"sequential", "as written in the plan"},
                                    {"interleaved", "rounds over all points, one batch of each"},
                                    {"shuffled", "in an order drawn from the seed"}};
constexpr std::span<const Choice> choices_of(Order) { return orders; }

enum class ClockSync { hca3, jk, offset_only };
inline constexpr Choice clock_syncs[] = {{"hca3", "a tree of lines over node leaders, O(log p) messages"},
                                         {"jk", "a line of every node leader to rank 0, O(p) messages"},
                                         {"offset_only", "an offset of every node leader to rank 0, no drift"}};
constexpr std::span<const Choice> choices_of(ClockSync) { return clock_syncs; }

enum class ClockSharing { host, none };
inline constexpr Choice sharings[] = {{"host", "the ranks of a host read one counter, which is checked"},
                                      {"none", "every rank is synchronised as if it were a host of its own"}};
constexpr std::span<const Choice> choices_of(ClockSharing) { return sharings; }

}  // namespace method

/// The name of a choice, as plans, records and messages write it.
template <class Enum>
requires std::is_enum_v<Enum> std::string name_of(Enum value) {
  return std::string(choices_of(value)[static_cast<std::size_t>(value)].name);
}

}  // namespace groma
