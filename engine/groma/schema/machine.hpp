// What a launch says of the machine: parts of the start and end records, and nodes.json.
#pragma once

#include <cstdint>

#include "groma/schema/member.hpp"

namespace groma::schema {

struct HarnessCost {
  double call_ns = 0;
  double block_ns = 0;
  static constexpr std::string_view kind = "harness";
  static constexpr std::string_view help = "What an empty operation costs per repetition, beyond two clock reads.";
  static constexpr auto table() {
    return std::tuple{member("call_ns", &HarnessCost::call_ns, "noop per repetition, with timing=call"),
                      member("block_ns", &HarnessCost::block_ns, "noop per repetition, in a block")};
  }
};

struct Handoff {
  std::int64_t bytes = 0;
  double ns = 0;
  double stream_ns = 0;
  std::optional<double> one_copy;
  std::optional<double> half_each;
  std::optional<double> two_copies;
  std::vector<int> ranks;
  static constexpr std::string_view kind = "handoff";
  static constexpr std::string_view help =
      "A message handed from core to core without MPI, through shared memory. The message has changed (ADR 17). No "
      "size "
      "takes longer than the next. For the first two members of every point of one host, up to 4 pairs, and 16 MiB.";
  static constexpr auto table() {
    return std::tuple{
        member("bytes", &Handoff::bytes, "of the message"),
        member("ns", &Handoff::ns, "one way, by the fastest method"),
        member("stream_ns", &Handoff::stream_ns, "per message, with many in flight, by the fastest method"),
        some_have("one_copy", &Handoff::one_copy, "one way in nanoseconds: the receiver makes one copy"),
        some_have("half_each", &Handoff::half_each,
                  "one way in nanoseconds: each rank makes half of a copy; from 1 KiB on"),
        some_have("two_copies", &Handoff::two_copies,
                  "one way in nanoseconds: two copies through a ring of chunks; up to 1 MiB"),
        member("ranks", &Handoff::ranks, "the pair")};
  }
};

struct TcpRow {
  std::int64_t bytes = 0;
  double ns = 0;
  double stream_ns = 0;
  std::vector<int> ranks;
  static constexpr std::string_view kind = "tcp_row";
  static constexpr std::string_view help = "A message over a plain TCP connection between two hosts.";
  static constexpr auto table() {
    return std::tuple{member("bytes", &TcpRow::bytes, "of the message"), member("ns", &TcpRow::ns, "one way"),
                      member("stream_ns", &TcpRow::stream_ns, "per message of a stream"),
                      member("ranks", &TcpRow::ranks, "the pair")};
  }
};

struct TcpNote {
  std::vector<int> ranks;
  std::string note;
  static constexpr std::string_view kind = "tcp_note";
  static constexpr std::string_view help = "Why two ranks have no rows, or fewer than asked.";
  static constexpr auto table() {
    return std::tuple{member("ranks", &TcpNote::ranks, "the pair"),
                      member("note", &TcpNote::note, "why rows are missing")};
  }
};

struct Tcp {
  std::vector<TcpRow> rows;
  std::vector<TcpNote> notes;
  static constexpr std::string_view kind = "tcp";
  static constexpr std::string_view help =
      "Plain TCP between two hosts, a reference. For the first member of every point between hosts and the first on "
      "another host.";
  static constexpr auto table() {
    return std::tuple{member("rows", &Tcp::rows, "by size; empty on one host"),
                      member("notes", &Tcp::notes, "of pairs without all rows; empty on one host")};
  }
};

struct Limits {
  std::optional<double> line_bounce_ns;
  std::optional<double> two_flags_ns;
  std::vector<int> bounce_ranks;
  std::vector<Handoff> handoff;
  Tcp tcp;
  static constexpr std::string_view kind = "limits";
  static constexpr std::string_view help = "What the machine itself needs, without MPI.";
  static constexpr auto table() {
    return std::tuple{member("line_bounce_ns", &Limits::line_bounce_ns,
                             "a cache line from core to core, one way, each rank on its own CPU; null if no host has "
                             "two ranks that can run at once"),
                      member("two_flags_ns", &Limits::two_flags_ns,
                             "the same with a line for each direction; null as line_bounce_ns"),
                      member("bounce_ranks", &Limits::bounce_ranks, "the two ranks; empty if line_bounce_ns is null"),
                      member("handoff", &Limits::handoff, "messages from core to core without MPI"),
                      member("tcp", &Limits::tcp, "messages over TCP between hosts")};
  }
};

struct Noise {
  int rank = 0;
  double lost_share = 0;
  std::int64_t longest_ns = 0;
  std::int64_t detours = 0;
  std::int64_t observed_ns = 0;
  static constexpr std::string_view kind = "noise";
  static constexpr std::string_view help = "Interruptions that one rank saw in a tight clock loop.";
  static constexpr auto table() {
    return std::tuple{member("rank", &Noise::rank, "of MPI_COMM_WORLD"),
                      member("lost_share", &Noise::lost_share, "share of the time that the interruptions took"),
                      member("longest_ns", &Noise::longest_ns, "the longest interruption"),
                      member("detours", &Noise::detours, "interruptions longer than 1 us"),
                      member("observed_ns", &Noise::observed_ns, "length of the loop")};
  }
};

struct Memory {
  std::int64_t needed_bytes = 0;
  std::int64_t available_bytes = 0;
  static constexpr std::string_view kind = "memory";
  static constexpr std::string_view help = "Memory of the node that comes closest to its limit.";
  static constexpr auto table() {
    return std::tuple{member("needed_bytes", &Memory::needed_bytes, "what its ranks need for the largest point"),
                      member("available_bytes", &Memory::available_bytes, "what the system can give them")};
  }
};

struct ProcessMemory {
  std::int64_t before_bytes = 0;
  std::int64_t after_bytes = 0;
  std::optional<std::int64_t> after_messages_bytes;
  static constexpr std::string_view kind = "process_memory";
  static constexpr std::string_view help =
      "Resident memory of a process around the start of MPI: the most of any rank.";
  static constexpr auto table() {
    return std::tuple{member("before_bytes", &ProcessMemory::before_bytes, "before MPI_Init_thread"),
                      member("after_bytes", &ProcessMemory::after_bytes, "after it"),
                      some_have("after_messages_bytes", &ProcessMemory::after_messages_bytes,
                                "after first messages to all peers, 64 at most")};
  }
};

struct NodeLoad {
  std::size_t node = 0;
  std::string name;
  double foreign_cores = 0;
  double own_cores = 0;
  double stolen_cores = 0;
  static constexpr std::string_view kind = "node_load";
  static constexpr std::string_view help = "CPU time taken on one node while the launch measured, in cores.";
  static constexpr auto table() {
    return std::tuple{member("node", &NodeLoad::node, "place in the nodes of nodes.json"),
                      member("name", &NodeLoad::name, "of the host"),
                      member("foreign_cores", &NodeLoad::foreign_cores, "CPU time other processes took"),
                      member("own_cores", &NodeLoad::own_cores, "CPU time of the launch's ranks"),
                      member("stolen_cores", &NodeLoad::stolen_cores, "CPU time that the hypervisor withheld")};
  }
};

struct Node {
  std::string name;
  int ranks = 0;
  std::string kernel;
  std::string cpu_model;
  std::int64_t cpus = 0;
  int numa_nodes = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t last_level_cache_bytes = 0;
  std::string governor;
  bool smt = false;
  std::string clock_source;
  bool virtual_machine = false;
  std::optional<double> cpu_quota;
  static constexpr std::string_view kind = "node";
  static constexpr std::string_view help = "One host as its first rank saw it.";
  static constexpr auto table() {
    return std::tuple{
        member("name", &Node::name, "of the host"),
        member("ranks", &Node::ranks, "of the launch on this host"),
        member("kernel", &Node::kernel, "name and release of the operating system"),
        member("cpu_model", &Node::cpu_model, "as /proc/cpuinfo says"),
        member("cpus", &Node::cpus, "CPUs that are online"),
        member("numa_nodes", &Node::numa_nodes, "1 if the system shows none"),
        member("memory_bytes", &Node::memory_bytes, "of the host"),
        member("last_level_cache_bytes", &Node::last_level_cache_bytes, "of CPU 0"),
        member("governor", &Node::governor, "of CPU 0's frequency, such as `performance`, or empty"),
        member("smt", &Node::smt, "whether cores run two threads or more"),
        member("clock_source", &Node::clock_source, "of the kernel, such as `tsc`"),
        member("virtual_machine", &Node::virtual_machine, "whether a hypervisor can be detected"),
        some_have("cpu_quota", &Node::cpu_quota,
                  "CPU limit of the first rank's control groups (cpu.max), in CPUs; only if there is one")};
  }
};

struct RankPlace {
  std::size_t rank = 0;
  int node = 0;
  std::string allowed_cpus;
  unsigned cpu = 0;
  unsigned numa_node = 0;
  std::optional<int> core;
  std::optional<int> cache;
  std::optional<int> socket;
  static constexpr std::string_view kind = "rank_place";
  static constexpr std::string_view help = "Where one rank was, and where it was allowed to be.";
  static constexpr auto table() {
    return std::tuple{
        member("rank", &RankPlace::rank, "of MPI_COMM_WORLD"),
        member("node", &RankPlace::node, "place in `nodes`"),
        member("allowed_cpus", &RankPlace::allowed_cpus, "as the kernel lists them, such as 0-3,8"),
        member("cpu", &RankPlace::cpu, "on which it was"),
        member("numa_node", &RankPlace::numa_node, "on which it was"),
        some_have("core", &RankPlace::core,
                  "lowest CPU of the core that has all its allowed CPUs; absent if they are of several cores, or if "
                  "the kernel does not say"),
        some_have("cache", &RankPlace::cache, "the same of the CPUs that share a last-level cache"),
        some_have("socket", &RankPlace::socket, "number of the socket that has all its allowed CPUs; absent as core")};
  }
};

struct Nodes {
  int schema = 1;
  std::vector<Node> nodes;
  std::vector<RankPlace> ranks;
  static constexpr std::string_view kind = "nodes";
  static constexpr std::string_view help = "nodes.json: where the ranks were, as measured on every rank.";
  static constexpr auto table() {
    return std::tuple{member("schema", &Nodes::schema, "1"),
                      member("nodes", &Nodes::nodes, "the hosts, in the order of their first ranks"),
                      member("ranks", &Nodes::ranks, "the ranks, in order")};
  }
};

}  // namespace groma::schema
