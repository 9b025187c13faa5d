// A ping-pong written by hand, without Groma: what against_bare_loop.py compares the engine with.
//
//   mpiexec -n 2 bare_pingpong SECONDS BYTES...
//
// Prints a JSON line that names the library, and for every size one with the one-way time: the median over blocks of
// round trips between two readings of the clock, each block at least 20 us long. The first size is measured once
// before, without a word: in the first tenth of a second of a launch 8 B take up to 8 % longer (Intel MPI on a Xeon).
// Messages travel in a copy of MPI_COMM_WORLD, as the engine's do: see docs/bench.md for what that costs.
#include <mpi.h>
#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t receive_offset_bytes = 1088;  // the two arrays must not be equal modulo a page
constexpr std::int64_t shortest_block_ns = 20'000;
constexpr std::int64_t most_blocks = 5000;
constexpr double warming_up_s = 0.1;

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

struct PingPong {
  MPI_Comm comm;
  int rank;
  int bytes;
  std::byte* send;
  std::byte* receive;

  std::int64_t block_ns(std::int64_t round_trips) const {
    const std::int64_t start = now_ns();
    for (std::int64_t i = 0; i < round_trips; ++i) {
      if (rank == 0) {
        MPI_Send(send, bytes, MPI_BYTE, 1, 0, comm);
        MPI_Recv(receive, bytes, MPI_BYTE, 1, 0, comm, MPI_STATUS_IGNORE);
      } else {
        MPI_Recv(receive, bytes, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE);
        MPI_Send(send, bytes, MPI_BYTE, 0, 0, comm);
      }
    }
    return now_ns() - start;
  }
};

std::int64_t agreed(std::int64_t value) {
  MPI_Bcast(&value, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  return value;
}

void measure(MPI_Comm comm, int rank, int bytes, double seconds, bool printed) {
  const auto size = static_cast<std::size_t>(bytes);
  std::byte* send = touched_array(size);
  std::byte* receive = touched_array(size + receive_offset_bytes);
  write_other_pages();
  const PingPong pingpong{comm, rank, bytes, send, receive + receive_offset_bytes};

  pingpong.block_ns(10);
  std::int64_t round_trips = 1;
  std::int64_t block_ns = agreed(pingpong.block_ns(round_trips));
  while (block_ns < shortest_block_ns) {
    round_trips *= 2;
    block_ns = agreed(pingpong.block_ns(round_trips));
  }
  const auto blocks = std::clamp(static_cast<std::int64_t>(seconds * 1e9) / block_ns, std::int64_t{50}, most_blocks);

  std::vector<std::int64_t> samples_ns(static_cast<std::size_t>(blocks));
  for (std::int64_t& sample_ns : samples_ns) sample_ns = pingpong.block_ns(round_trips);
  const auto middle = samples_ns.begin() + blocks / 2;
  std::nth_element(samples_ns.begin(), middle, samples_ns.end());
  if (rank == 0 && printed) {
    std::printf("{\"bytes\": %d, \"one_way_ns\": %.3f, \"blocks\": %lld, \"round_trips\": %lld}\n", bytes,
                static_cast<double>(*middle) / static_cast<double>(round_trips) / 2, static_cast<long long>(blocks),
                static_cast<long long>(round_trips));
  }
  std::free(send);
  std::free(receive);
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
  const bool usable = ranks == 2 && argc > 2;
  if (usable) {
    if (rank == 0) name_library();
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    measure(comm, rank, std::atoi(argv[2]), warming_up_s, false);
    for (int i = 2; i < argc; ++i) measure(comm, rank, std::atoi(argv[i]), std::atof(argv[1]), true);
  } else if (rank == 0) {
    std::fprintf(stderr, "usage: mpiexec -n 2 bare_pingpong SECONDS BYTES...\n");
  }
  MPI_Finalize();
  return usable ? 0 : 2;
}
