// Everything Groma can time, one line each. An operation added here gets its loops, help, validation and tests.
#pragma once

#include "groma/measure/entry.hpp"
#include "groma/operations/communicators.hpp"
#include "groma/operations/exchanges.hpp"
#include "groma/operations/harness.hpp"
#include "groma/operations/master_worker.hpp"
#include "groma/operations/point_to_point.hpp"
#include "groma/operations/reductions.hpp"
#include "groma/operations/rooted.hpp"
#include "groma/operations/streaming.hpp"
#include "groma/operations/then_barrier.hpp"

namespace groma {

using Catalogue = OperationList<  //
    Noop,                         //
    Wtime,                        //
    CommRank,                     //
    PingPong,                     //
    PingPongSynchronous,          //
    PingPongIsend,                //
    PingPongIrecv,                //
    PingPongAnySource,            //
    DelayedReceiver,              //
    PingPing,                     //
    SendRecv,                     //
    SendRecvPairwise,             //
    Exchange,                     //
    Stream,                       //
    BiStream,                     //
    MessageRate,                  //
    MasterWaitsome,               //
    MasterWaitany,                //
    MasterAnySource,              //
    Barrier,                      //
    Bcast,                        //
    BcastSegmented,               //
    Reduce,                       //
    Allreduce,                    //
    ReduceScatter,                //
    ReduceScatterBlock,           //
    Scan,                         //
    Exscan,                       //
    Allgather,                    //
    Allgatherv,                   //
    Gather,                       //
    Gatherv,                      //
    Scatter,                      //
    Scatterv,                     //
    Alltoall,                     //
    Alltoallv,                    //
    BcastThenBarrier,             //
    ReduceThenBarrier,            //
    AllreduceThenBarrier,         //
    AlltoallThenBarrier,          //
    CommDup,                      //
    CommSplit>;

}  // namespace groma
