// Everything Groma can time, one line each, in the order of help and records. An operation added here, and to the list
// of its family, gets its loops, help, validation and tests.
#pragma once

#include "groma/operations/applications.hpp"
#include "groma/operations/atomics.hpp"
#include "groma/operations/buffer_calls.hpp"
#include "groma/operations/by_nccl.hpp"
#include "groma/operations/by_sends.hpp"
#include "groma/operations/communicators.hpp"
#include "groma/operations/datatypes.hpp"
#include "groma/operations/epoch_phases.hpp"
#include "groma/operations/epochs_alone.hpp"
#include "groma/operations/exchanges.hpp"
#include "groma/operations/fans.hpp"
#include "groma/operations/file_calls.hpp"
#include "groma/operations/files.hpp"
#include "groma/operations/halo.hpp"
#include "groma/operations/harness.hpp"
#include "groma/operations/master_worker.hpp"
#include "groma/operations/memory_calls.hpp"
#include "groma/operations/neighbourhoods.hpp"
#include "groma/operations/overlap.hpp"
#include "groma/operations/packing.hpp"
#include "groma/operations/partitioned.hpp"
#include "groma/operations/pending.hpp"
#include "groma/operations/point_to_point.hpp"
#include "groma/operations/processes.hpp"
#include "groma/operations/puts.hpp"
#include "groma/operations/reductions.hpp"
#include "groma/operations/request_trains.hpp"
#include "groma/operations/rooted.hpp"
#include "groma/operations/sessions.hpp"
#include "groma/operations/some_to_some.hpp"
#include "groma/operations/starts.hpp"
#include "groma/operations/streaming.hpp"
#include "groma/operations/swap.hpp"
#include "groma/operations/targets.hpp"
#include "groma/operations/then_barrier.hpp"
#include "groma/operations/threads.hpp"
#include "groma/operations/topologies.hpp"

namespace groma {

using Catalogue = OperationList<   //
    Noop,                          //
    Wtime,                         //
    CommRank,                      //
    PingPongs,                     //
    DelayedReceiver,               //
    PingPing,                      //
    PingPingAnySource,             //
    PingPingPosted,                //
    PingPingPersistent,            //
    PingPingStartall,              //
    SendRecv,                      //
    ISendRecv,                     //
    SendRecvReplace,               //
    ISendRecvReplace,              //
    SendRecvPairwise,              //
    Exchange,                      //
    Stream,                        //
    StreamPersistent,              //
    BiStream,                      //
    BiStreamPersistent,            //
    BiMessageRate,                 //
    MessageRate,                   //
    Targets,                       //
    TargetsAnySource,              //
    HaloSendrecv,                  //
    HaloIsendRecv,                 //
    HaloIsendIrecv,                //
    HaloAllAtOnce,                 //
    HaloPersistent,                //
    Overlap,                       //
    RequestTrains,                 //
    MasterWaitsome,                //
    MasterWaitany,                 //
    MasterAnySource,               //
    StsAsync,                      //
    StsSync,                       //
    Swaps,                         //
    FormsWithoutCounts<Barrier>,   //
    AllForms<Bcast>,               //
    BcastSegmented,                //
    AllForms<Reduce>,              //
    AllForms<Allreduce>,           //
    AllForms<ReduceScatter>,       //
    AllForms<ReduceScatterBlock>,  //
    AllForms<Scan>,                //
    AllForms<Exscan>,              //
    AllForms<Allgather>,           //
    AllForms<Allgatherv>,          //
    AllForms<Gather>,              //
    AllForms<Gatherv>,             //
    AllForms<Scatter>,             //
    AllForms<Scatterv>,            //
    AllForms<Alltoall>,            //
    AlltoallAlternating,           //
    AllForms<Alltoallv>,           //
    AlltoallvUneven,               //
    AllForms<Alltoallw>,           //
    Neighbourhoods,                //
    BcastThenBarrier,              //
    ReduceThenBarrier,             //
    AllreduceThenBarrier,          //
    AlltoallThenBarrier,           //
    CollectivesByHand,             //
    HaloApplication,               //
    TransposeApplication,          //
    GradientApplication,           //
    CommunicatorCalls,             //
    Topologies,                    //
    Processes,                     //
    HaloNeighbourhood,             //
    PendingRequests,               //
    BufferCalls,                   //
    LocalWork,                     //
    DatatypeCalls,                 //
    Puts,                          //
    Gets,                          //
    Accumulates,                   //
    Atomics,                       //
    EpochsAlone,                   //
    WindowsMade,                   //
    MemoryCalls,                   //
    EpochPhases,                   //
    Partitions,                    //
    Sessions,                      //
    Starts,                        //
    Fans,                          //
    Threads,                       //
    FileWrites,                    //
    FileReads,                     //
    FileCalls,                     //
    NcclOperations>;

/// The lists of the families, each of which one source makes.
using Families =
    OperationList<Accumulates, Applications, Atomics, BufferCalls, CollectivesByHand, CommunicatorCalls, DatatypeCalls,
                  EpochPhases, EpochsAlone, Exchanges, Fans, FileCalls, FileReads, FileWrites, Gets, HaloExchanges,
                  HarnessCalls, LocalWork, MasterWorkers, MemoryCalls, NcclOperations, Neighbourhoods, Overlaps,
                  Partitions, PendingRequests, PointToPoint, Processes, Puts, Reductions, TrainsOfRequests,
                  RootedCollectives, Sessions, SomeToSomes, Starts, Streams, ManyTargets, ThenBarriers, Threads,
                  Topologies, StandardSwaps, ReadySwaps, SynchronousSwaps, WindowsMade>;

}  // namespace groma
