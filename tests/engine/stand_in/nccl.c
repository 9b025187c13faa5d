// NCCL without devices, for tests; with -DHIP for the stand-in of HIP's driver. The ranks of a communicator share a
// file in memory. A call is done when it returns: the stream has nothing left to do.
//
//   STAND_IN_NCCL_FAILS  a call that returns an error, such as ncclAllReduce
//   STAND_IN_NCCL_RANK   the one rank where it does (all)
//   STAND_IN_NCCL_LATER  1: an error that is only told when asked for
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#ifdef HIP
#define DRIVER "libamdhip64.so.6"
#else
#define DRIVER "libcuda.so.1"
#endif

enum { well, system_error = 2, internal = 3, bad_argument = 4 };
enum { most_ranks = 8, most_messages = 4096, slots = 16 };
static const size_t slot = 4u << 20;  // of a message
static const size_t room = slots * (4u << 20);

typedef struct {
  char bytes[128];
} Id;

// How many messages from one rank to another were put into its slots, and taken from them.
typedef struct {
  atomic_long written, taken;
} Box;
typedef struct {
  atomic_int arrived, turn;
  Box boxes[most_ranks][most_ranks];
} Shared;
typedef struct {
  Shared* shared;
  unsigned char* data;  // of each box, and of each rank
  int rank, ranks;
  long sent[most_ranks], received[most_ranks];
  int sense;
  Id id;
} Group;

typedef struct {
  Group* group;
  void* array;
  size_t bytes;
  int peer, sends, done;
} Message;
static Message messages[most_messages];
static int waiting, depth;

static int planted(const char* call, const Group* group) {
  const char *fails = getenv("STAND_IN_NCCL_FAILS"), *rank = getenv("STAND_IN_NCCL_RANK");
  if (!fails || strcmp(fails, call) != 0) return 0;
  return !rank || (group && atoi(rank) == group->rank);
}

// Where the host may reach device memory; null if it is none.
static unsigned char* at(const void* place) {
  static void* (*finder)(const void*);
  if (!finder) {
    void* driver = dlopen(DRIVER, RTLD_NOW | RTLD_NOLOAD);
    if (!driver) return NULL;
    finder = (void* (*)(const void*))dlsym(driver, "stand_in_host");
  }
  unsigned char* found = finder(place);
  return found == place ? NULL : found;
}

static size_t size_of(int type) {
  static const size_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return sizes[type];
}

static void meet(Group* group) {
  const int sense = group->sense = !group->sense;
  if (atomic_fetch_add(&group->shared->arrived, 1) + 1 == group->ranks) {
    atomic_store(&group->shared->arrived, 0);
    atomic_store(&group->shared->turn, sense);
  }
  while (atomic_load(&group->shared->turn) != sense) sched_yield();
}

static unsigned char* box(const Group* group, int from, int to) {
  return group->data + (size_t)(from * most_ranks + to) * room;
}
static unsigned char* own(const Group* group, int rank) {
  return group->data + (size_t)(most_ranks * most_ranks + rank) * room;
}

int ncclGetVersion(int* version) { return *version = 22203, well; }
const char* ncclGetErrorString(int code) { return code == internal ? "stand-in error" : "another stand-in error"; }
int ncclGetUniqueId(Id* id) {
  static int made;
  if (planted("ncclGetUniqueId", NULL)) return internal;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  snprintf(id->bytes, sizeof id->bytes, "/groma-nccl-%d-%d-%ld", getpid(), made++, now.tv_nsec);
  const int file = shm_open(id->bytes, O_RDWR | O_CREAT | O_EXCL, 0600);
  if (file < 0 || ftruncate(file, 4096 + (most_ranks + 1) * most_ranks * (off_t)room) != 0) return system_error;
  close(file);
  return well;
}
int ncclCommInitRank(Group** group, int ranks, Id id, int rank) {
  Group self = {.rank = rank, .ranks = ranks, .id = id};
  if (ranks > most_ranks) return bad_argument;
  if (planted("ncclCommInitRank", &self)) {
    if (!getenv("STAND_IN_NCCL_RANK")) shm_unlink(id.bytes);
    return internal;
  }
  const int file = shm_open(id.bytes, O_RDWR, 0600);
  if (file < 0) return system_error;
  const size_t all = 4096 + (most_ranks + 1) * most_ranks * room;
  void* memory = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  close(file);
  if (memory == MAP_FAILED) return system_error;
  *group = malloc(sizeof self);
  self.shared = memory;
  self.data = (unsigned char*)memory + 4096;
  **group = self;
  if (getenv("STAND_IN_NCCL_FAILS")) return well;  // another rank may not join
  meet(*group);
  if (rank == 0) shm_unlink(id.bytes);
  return well;
}
int ncclCommDestroy(Group* group) {
  shm_unlink(group->id.bytes);
  munmap(group->shared, 4096 + (most_ranks + 1) * most_ranks * room);
  free(group);
  return well;
}
int ncclCommAbort(Group* group) { return ncclCommDestroy(group); }
int ncclCommGetAsyncError(Group* group, int* code) {
  (void)group;
  *code = getenv("STAND_IN_NCCL_LATER") ? system_error : well;
  return well;
}

#define REDUCE(Element)                                                             \
  {                                                                                 \
    Element *to = into, *more = (void*)from;                                        \
    for (size_t i = 0; i < count; ++i) {                                            \
      to[i] = reduction == 0 ? to[i] + more[i] : to[i] > more[i] ? to[i] : more[i]; \
    }                                                                               \
    return;                                                                         \
  }
static void reduce(void* into, const void* from, size_t count, int type, int reduction) {
  switch (type) {
    case 0:
      REDUCE(int8_t)
    case 2:
      REDUCE(int32_t)
    case 4:
      REDUCE(int64_t)
    case 7:
      REDUCE(float)
    case 8:
      REDUCE(double)
    default:
      abort();
  }
}

// Every rank shows `bytes` to all others.
static int show(Group* group, const char* call, const void* array, size_t bytes) {
  if (planted(call, group)) return internal;
  if (bytes && !at(array)) return bad_argument;
  if (bytes) memcpy(own(group, group->rank), at(array), bytes);
  meet(group);
  return well;
}
static int reduced(Group* group, void* array, size_t skipped, size_t count, int type, int reduction) {
  unsigned char* into = at(array);
  if (count && !into) return bad_argument;
  const size_t start = skipped * size_of(type);
  memcpy(into, own(group, 0) + start, count * size_of(type));
  for (int rank = 1; rank < group->ranks; ++rank) reduce(into, own(group, rank) + start, count, type, reduction);
  return well;
}
int ncclAllReduce(const void* send, void* receive, size_t count, int type, int reduction, Group* group, void* stream) {
  (void)stream;
  int code = show(group, "ncclAllReduce", send, count * size_of(type));
  if (code) return code;
  code = reduced(group, receive, 0, count, type, reduction);
  meet(group);
  return code;
}
int ncclReduce(const void* send, void* receive, size_t count, int type, int reduction, int root, Group* group,
               void* stream) {
  (void)stream;
  int code = show(group, "ncclReduce", send, count * size_of(type));
  if (code) return code;
  if (group->rank == root) code = reduced(group, receive, 0, count, type, reduction);
  meet(group);
  return code;
}
int ncclReduceScatter(const void* send, void* receive, size_t count, int type, int reduction, Group* group,
                      void* stream) {
  (void)stream;
  int code = show(group, "ncclReduceScatter", send, group->ranks * count * size_of(type));
  if (code) return code;
  code = reduced(group, receive, group->rank * count, count, type, reduction);
  meet(group);
  return code;
}
int ncclBroadcast(const void* send, void* receive, size_t count, int type, int root, Group* group, void* stream) {
  (void)stream;
  const size_t bytes = count * size_of(type);
  const int code = show(group, "ncclBroadcast", send, group->rank == root ? bytes : 0);
  if (code) return code;
  if (bytes && !at(receive)) return bad_argument;
  if (bytes) memcpy(at(receive), own(group, root), bytes);
  meet(group);
  return well;
}
int ncclAllGather(const void* send, void* receive, size_t count, int type, Group* group, void* stream) {
  (void)stream;
  const size_t bytes = count * size_of(type);
  const int code = show(group, "ncclAllGather", send, bytes);
  if (code) return code;
  if (bytes && !at(receive)) return bad_argument;
  for (int rank = 0; bytes && rank < group->ranks; ++rank) {
    memcpy(at(receive) + rank * bytes, own(group, rank), bytes);
  }
  meet(group);
  return well;
}

// True if the message could be put into its box, or taken from it.
static int moved(Message* one) {
  Group* group = one->group;
  const int from = one->sends ? group->rank : one->peer, to = one->sends ? one->peer : group->rank;
  Box* place = &group->shared->boxes[from][to];
  const long written = atomic_load(&place->written), taken = atomic_load(&place->taken);
  if (one->sends ? written - taken == slots : written == taken) return 0;
  unsigned char* own_slot = box(group, from, to) + (one->sends ? written : taken) % slots * slot;
  if (one->bytes && one->sends) memcpy(own_slot, at(one->array), one->bytes);
  if (one->bytes && !one->sends) memcpy(at(one->array), own_slot, one->bytes);
  atomic_fetch_add(one->sends ? &place->written : &place->taken, 1);
  return 1;
}
static int earlier(int number) {
  for (int i = 0; i < number; ++i) {
    const Message *one = &messages[i], *other = &messages[number];
    if (!one->done && one->group == other->group && one->peer == other->peer && one->sends == other->sends) return 1;
  }
  return 0;
}
static void move_all(void) {
  for (int left = waiting; left > 0;) {
    for (int i = 0; i < waiting; ++i) {
      if (messages[i].done || earlier(i) || !moved(&messages[i])) continue;
      messages[i].done = 1;
      --left;
    }
    if (left) sched_yield();
  }
  waiting = 0;
}
static int queued(const char* call, void* array, size_t bytes, int peer, Group* group, int sends) {
  if (planted(call, group)) return internal;
  if ((bytes && !at(array)) || bytes > slot || waiting == most_messages || peer >= group->ranks) return bad_argument;
  messages[waiting++] = (Message){group, array, bytes, peer, sends, 0};
  if (!depth) move_all();
  return well;
}
int ncclSend(const void* array, size_t count, int type, int peer, Group* group, void* stream) {
  (void)stream;
  return queued("ncclSend", (void*)array, count * size_of(type), peer, group, 1);
}
int ncclRecv(void* array, size_t count, int type, int peer, Group* group, void* stream) {
  (void)stream;
  return queued("ncclRecv", array, count * size_of(type), peer, group, 0);
}
#ifndef OLD
int ncclGroupStart(void) { return ++depth, well; }
int ncclGroupEnd(void) {
  if (--depth == 0) move_all();
  return planted("ncclGroupEnd", NULL) ? internal : well;
}
#endif
