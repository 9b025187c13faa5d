// Loops written by hand, without Groma: what against_bare_loop.py compares the engine with.
//
//   mpiexec -n 2 bare_loops SECONDS OPERATION:BYTES[:CALLS]...
//
// Prints a JSON line that names the library, and for every operation and size one with the time of a call (of a
// ping-pong: one way): the median over blocks of CALLS calls between two readings of the clock, or of as many as take
// at least 20 us. Then it measures the same loop with a busy wait of a tenth of that time before every call, on both
// ranks. The first one is measured once before, without a word: in the first tenth of a second of a launch 8 B take up
// to 8 % longer (Intel MPI on a Xeon). Messages travel in a copy of MPI_COMM_WORLD, as the engine's do: see
// docs/bench.md for what that costs.
#include <mpi.h>
#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t receive_offset_bytes = 1088;  // the two arrays must not be equal modulo a page
constexpr std::int64_t shortest_block_ns = 20'000;
constexpr std::int64_t most_blocks = 5000;
constexpr double warming_up_s = 0.1;
constexpr double planted_share = 0.1;

std::int64_t now_ns() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

// Memory written by the rank that uses it, with bytes that vary: never the kernel's one zero page.
std::byte* touched_array(std::size_t bytes) {
  const std::size_t whole_pages = (bytes + page_bytes) / page_bytes * page_bytes;
  auto* array = static_cast<std::byte*>(std::aligned_alloc(page_bytes, whole_pages));
  for (std::size_t i = 0; i < whole_pages; ++i) array[i] = static_cast<std::byte>(i % 251 + 1);
  return array;
}

// The last pages that a program wrote are copied from more slowly (new_pages.py): those of the arrays are not the last.
void write_other_pages() {
  constexpr std::size_t bytes = 64 * page_bytes;
  void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return;
  std::memset(start, 1, bytes);
  munmap(start, bytes);
}

// Takes the same time for the same number of turns; a clock cannot be read often enough to wait for 20 ns.
void spin(std::int64_t turns) {
  for (std::int64_t i = 0; i < turns; ++i) asm volatile("" ::: "memory");
}

std::int64_t turns_of(double wait_ns) {
  constexpr std::int64_t many = 20'000'000;
  const std::int64_t start = now_ns();
  spin(many);
  return static_cast<std::int64_t>(wait_ns * many / static_cast<double>(now_ns() - start));
}

struct Site {
  static constexpr bool meets = false;  // a barrier before each block
  static constexpr bool sums = false;   // adds what is sent: zeros
  MPI_Comm comm;
  int rank;
  int bytes;
  std::byte* send;
  std::byte* receive;
  std::int64_t block;  // calls between two readings of the clock; 0: enough
  void open() {}
  void close() {}
};

// One call of each: a round trip, a collective, or what one rank does to the other's memory. `wait` passes the planted
// time.
struct PingPong : Site {
  static constexpr int calls = 2;
  void step(std::int64_t wait) {
    if (rank == 0) {
      spin(wait);
      MPI_Send(send, bytes, MPI_BYTE, 1, 0, comm);
      MPI_Recv(receive, bytes, MPI_BYTE, 1, 0, comm, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(receive, bytes, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE);
      spin(wait);
      MPI_Send(send, bytes, MPI_BYTE, 0, 0, comm);
    }
  }
};

struct PingPongIsend : Site {
  static constexpr int calls = 2;
  void sent(int partner) {
    MPI_Request request;
    MPI_Isend(send, bytes, MPI_BYTE, partner, 0, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  void step(std::int64_t wait) {
    if (rank == 0) {
      spin(wait);
      sent(1);
      MPI_Recv(receive, bytes, MPI_BYTE, 1, 0, comm, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(receive, bytes, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE);
      spin(wait);
      sent(0);
    }
  }
};

struct PingPongPersistent : Site {
  static constexpr int calls = 2;
  MPI_Request sending = MPI_REQUEST_NULL;
  MPI_Request receiving = MPI_REQUEST_NULL;
  void open() {
    MPI_Send_init(send, bytes, MPI_BYTE, 1 - rank, 0, comm, &sending);
    MPI_Recv_init(receive, bytes, MPI_BYTE, 1 - rank, 0, comm, &receiving);
  }
  void close() {
    MPI_Request_free(&sending);
    MPI_Request_free(&receiving);
  }
  static void done(MPI_Request* request) {
    MPI_Start(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
  }
  void step(std::int64_t wait) {
    if (rank == 0) {
      spin(wait);
      done(&sending);
      done(&receiving);
    } else {
      done(&receiving);
      spin(wait);
      done(&sending);
    }
  }
};

struct Allreduce : Site {
  static constexpr int calls = 1;
  static constexpr bool meets = true;
  static constexpr bool sums = true;
  int count() const { return bytes / static_cast<int>(sizeof(float)); }
  void step(std::int64_t wait) {
    spin(wait);
    MPI_Allreduce(send, receive, count(), MPI_FLOAT, MPI_SUM, comm);
  }
};

struct Iallreduce : Allreduce {
  void step(std::int64_t wait) {
    spin(wait);
    MPI_Request request;
    MPI_Iallreduce(send, receive, count(), MPI_FLOAT, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
};

// The first rank calls; the second, whose memory it reaches, has no calls and waits inside MPI until all blocks are
// over. Both have locked all ranks for as long as the window lives.
struct OneSided : Site {
  static constexpr int calls = 1;
  MPI_Win window = MPI_WIN_NULL;
  void open() {
    void* memory = nullptr;
    MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, comm, &memory, &window);
    std::memset(memory, 1, static_cast<std::size_t>(bytes));
    MPI_Win_lock_all(0, window);
    MPI_Win_sync(window);
    MPI_Barrier(comm);
    MPI_Win_sync(window);
  }
  void close() {
    MPI_Barrier(comm);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
  }
};

struct PutFlush : OneSided {
  void step(std::int64_t wait) {
    if (rank != 0) return;
    spin(wait);
    MPI_Put(send, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, window);
    MPI_Win_flush(1, window);
  }
};

struct FetchAndOpFlush : OneSided {
  static constexpr bool sums = true;
  void step(std::int64_t wait) {
    if (rank != 0) return;
    spin(wait);
    MPI_Fetch_and_op(send, receive, MPI_INT64_T, 1, 0, MPI_SUM, window);
    MPI_Win_flush(1, window);
  }
};

#if MPI_VERSION >= 4
// A round trip of a message in partitions.
struct PartitionedInOrder : Site {
  static constexpr int calls = 2;
  static constexpr int partitions = 4;
  MPI_Request sending = MPI_REQUEST_NULL;
  MPI_Request receiving = MPI_REQUEST_NULL;
  void open() {
    const int part = bytes / partitions;
    MPI_Psend_init(send, partitions, part, MPI_BYTE, 1 - rank, 0, comm, MPI_INFO_NULL, &sending);
    MPI_Precv_init(receive, partitions, part, MPI_BYTE, 1 - rank, 0, comm, MPI_INFO_NULL, &receiving);
  }
  void close() {
    MPI_Request_free(&sending);
    MPI_Request_free(&receiving);
  }
  void sent(std::int64_t wait) {
    spin(wait);
    MPI_Start(&sending);
    for (int part = 0; part < partitions; ++part) MPI_Pready(part, sending);
    MPI_Wait(&sending, MPI_STATUS_IGNORE);
  }
  void step(std::int64_t wait) {
    MPI_Start(&receiving);
    if (rank == 0) sent(wait);
    MPI_Wait(&receiving, MPI_STATUS_IGNORE);
    if (rank != 0) sent(wait);
  }
};

struct AllreduceInit : Allreduce {
  MPI_Request request = MPI_REQUEST_NULL;
  void open() { MPI_Allreduce_init(send, receive, count(), MPI_FLOAT, MPI_SUM, comm, MPI_INFO_NULL, &request); }
  void close() { MPI_Request_free(&request); }
  void step(std::int64_t wait) {
    spin(wait);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
};
#endif

std::int64_t agreed(std::int64_t value) {
  MPI_Bcast(&value, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  return value;
}

template <class Operation>
std::int64_t block_ns(Operation& operation, std::int64_t calls, std::int64_t wait) {
  if (Operation::meets) MPI_Barrier(operation.comm);
  const std::int64_t start = now_ns();
  for (std::int64_t i = 0; i < calls; ++i) operation.step(wait);
  return now_ns() - start;
}

// The time of a call, in ns: the median over blocks on rank 0.
template <class Operation>
double call_ns(Operation& operation, double seconds, std::int64_t wait) {
  block_ns(operation, 10, wait);
  std::int64_t calls = operation.block > 0 ? operation.block : 1;
  std::int64_t taken_ns = agreed(block_ns(operation, calls, wait));
  while (operation.block == 0 && taken_ns < shortest_block_ns) {
    calls *= 2;
    taken_ns = agreed(block_ns(operation, calls, wait));
  }
  const auto blocks = std::clamp(static_cast<std::int64_t>(seconds * 1e9) / taken_ns, std::int64_t{50}, most_blocks);
  std::vector<std::int64_t> samples_ns(static_cast<std::size_t>(agreed(blocks)));
  for (std::int64_t& sample_ns : samples_ns) sample_ns = block_ns(operation, calls, wait);
  const auto middle = samples_ns.begin() + static_cast<std::ptrdiff_t>(samples_ns.size() / 2);
  std::nth_element(samples_ns.begin(), middle, samples_ns.end());
  return static_cast<double>(*middle) / static_cast<double>(calls) / Operation::calls;
}

template <class Operation>
void measure(Site site, double seconds, const char* printed) {
  const auto size = static_cast<std::size_t>(site.bytes);
  std::byte* send = touched_array(size);
  std::byte* receive = touched_array(size + receive_offset_bytes);
  write_other_pages();
  if (Operation::sums) std::memset(send, 0, size);
  site.send = send;
  site.receive = receive + receive_offset_bytes;
  Operation operation{site};
  operation.open();
  const double plain_ns = call_ns(operation, seconds, 0);
  const auto share_ns = static_cast<double>(agreed(static_cast<std::int64_t>(1e3 * planted_share * plain_ns))) / 1e3;
  const double planted_ns = printed ? call_ns(operation, seconds, turns_of(share_ns)) : 0;
  operation.close();
  if (site.rank == 0 && printed) {
    std::printf("{\"point\": \"%s\", \"ns\": %.3f, \"planted_ns\": %.3f}\n", printed, plain_ns, planted_ns);
  }
  std::free(send);
  std::free(receive);
}

// Measures OPERATION:BYTES[:CALLS]; false if there is no such operation in this library.
bool measure_point(Site site, double seconds, const char* word, bool printed) {
  const std::string_view text(word);
  const std::string_view name = text.substr(0, text.find(':'));
  if (name.size() == text.size()) return false;
  char* after = nullptr;
  site.bytes = static_cast<int>(std::strtol(word + name.size() + 1, &after, 10));
  site.block = *after == ':' ? std::strtol(after + 1, nullptr, 10) : 0;
  const char* said = printed ? word : nullptr;
  if (name == "pingpong") return measure<PingPong>(site, seconds, said), true;
  if (name == "pingpong_isend") return measure<PingPongIsend>(site, seconds, said), true;
  if (name == "pingpong_persistent") return measure<PingPongPersistent>(site, seconds, said), true;
  if (name == "iallreduce") return measure<Iallreduce>(site, seconds, said), true;
  if (name == "put/flush") return measure<PutFlush>(site, seconds, said), true;
  if (name == "fetch_and_op/flush") return measure<FetchAndOpFlush>(site, seconds, said), true;
#if MPI_VERSION >= 4
  if (name == "partitioned/in_order") return measure<PartitionedInOrder>(site, seconds, said), true;
  if (name == "allreduce_init") return measure<AllreduceInit>(site, seconds, said), true;
#endif
  return false;
}

/// The first line of what the library says of itself, as the engine records it.
void name_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  text[std::strcspn(text, "\n")] = '\0';
  for (char* one = text; *one != '\0'; ++one) {
    if (*one == '"' || *one == '\\' || *one == '\t') *one = ' ';
  }
  std::printf("{\"library\": \"%s\"}\n", text);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  bool usable = ranks == 2 && argc > 2;
  if (usable) {
    if (rank == 0) name_library();
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const Site site{comm, rank, 0, nullptr, nullptr, 0};
    usable = measure_point(site, warming_up_s, argv[2], false);
    for (int i = 2; i < argc && usable; ++i) usable = measure_point(site, std::atof(argv[1]), argv[i], true);
  }
  if (!usable && rank == 0) std::fprintf(stderr, "usage: mpiexec -n 2 bare_loops SECONDS OPERATION:BYTES[:CALLS]...\n");
  MPI_Finalize();
  return usable ? 0 : 2;
}
