// A collective and a barrier after it, timed together: how MPBench kept repetitions from overlapping (Altix paper).
#pragma once

#include "groma/operations/exchanges.hpp"
#include "groma/operations/reductions.hpp"
#include "groma/operations/rooted.hpp"

namespace groma {

template <class Operation>
struct ThenBarrier : Blocking<Operation> {
  static constexpr Info describe(std::string_view name, std::string_view calls) {
    Info info = Operation::info;
    info.name = name;
    info.summary = "The operation and a barrier after it, timed together (MPBench).";
    info.calls = calls;
    info.time = "one call and the barrier after it";
    return info;
  }
  void step() noexcept {
    Blocking<Operation>::step();
    MPI_Barrier(this->site.comm);
  }
};

struct BcastThenBarrier : ThenBarrier<Bcast> {
  static constexpr Info info = describe("bcast_then_barrier", "MPI_Bcast, MPI_Barrier");
};
struct ReduceThenBarrier : ThenBarrier<Reduce> {
  static constexpr Info info = describe("reduce_then_barrier", "MPI_Reduce, MPI_Barrier");
};
struct AllreduceThenBarrier : ThenBarrier<Allreduce> {
  static constexpr Info info = describe("allreduce_then_barrier", "MPI_Allreduce, MPI_Barrier");
};
struct AlltoallThenBarrier : ThenBarrier<Alltoall> {
  static constexpr Info info = describe("alltoall_then_barrier", "MPI_Alltoall, MPI_Barrier");
};

using ThenBarriers = OperationList<BcastThenBarrier, ReduceThenBarrier, AllreduceThenBarrier, AlltoallThenBarrier>;

}  // namespace groma
