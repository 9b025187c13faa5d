// Writes down which MPI calls a program makes: preloaded, it stands before the library's own calls. Calls that differ
// in function, length, datatype, operation or the use of MPI_IN_PLACE are told apart. Of each kind it keeps how many
// there were, which kinds followed it, and how many roots and buffers they had.
//
//   GROMA_CALLS  the beginning of a file's name: in MPI_Finalize each rank writes GROMA_CALLS.<rank>, with a line of
//                JSON for each kind of call: its place, its facts, and "next", pairs of a kind's place and how often it
//                followed
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_kinds = 512, most_addresses = 8192, most_roots = 64 };

struct Addresses {
  uintptr_t all[most_addresses];
  int many;
  uintptr_t bits;  // those set in any of them: the lowest is what all are aligned to
};

struct Kind {
  const char* function;
  long bytes;  // of Waitall: requests
  MPI_Datatype type;
  MPI_Op operation;
  int in_place;
  long calls;
  struct Addresses sent, received;
  int same_buffer;
  int roots[most_roots];
  int many_roots;
  long next[most_kinds];
};

static struct Kind* kinds[most_kinds];
static int many_kinds;
static int last_kind = -1;

static int is_buffer(const void* buffer) { return buffer != NULL && buffer != MPI_IN_PLACE && buffer != MPI_BOTTOM; }

static void add_address(struct Addresses* known, const void* buffer) {
  const uintptr_t address = (uintptr_t)buffer;
  if (!is_buffer(buffer)) return;
  known->bits |= address;
  size_t place = (address >> 3) * 2654435761u % most_addresses;
  for (int tried = 0; tried < 64; ++tried, place = (place + 1) % most_addresses) {
    if (known->all[place] == address) return;
    if (known->all[place] == 0) {
      known->all[place] = address;
      ++known->many;
      return;
    }
  }
}

static void add_root(struct Kind* kind, int root) {
  for (int i = 0; i < kind->many_roots; ++i) {
    if (kind->roots[i] == root) return;
  }
  if (kind->many_roots < most_roots) kind->roots[kind->many_roots++] = root;
}

static int kind_of(const char* function, long bytes, MPI_Datatype type, MPI_Op operation, int in_place) {
  // The newest first: a program makes the calls of one length after those of another.
  for (int i = many_kinds - 1; i >= 0; --i) {
    const struct Kind* kind = kinds[i];
    if (kind->function == function && kind->bytes == bytes && kind->type == type && kind->operation == operation &&
        kind->in_place == in_place) {
      return i;
    }
  }
  if (many_kinds == most_kinds) return -1;
  struct Kind* kind = calloc(1, sizeof *kind);
  if (kind == NULL) return -1;
  kind->function = function;
  kind->bytes = bytes;
  kind->type = type;
  kind->operation = operation;
  kind->in_place = in_place;
  kinds[many_kinds] = kind;
  return many_kinds++;
}

/// Counts a call of the kind at `place`, which follows the one before; returns NULL where there is no place left.
static struct Kind* note_place(int place) {
  if (place < 0) return NULL;
  ++kinds[place]->calls;
  if (last_kind >= 0) ++kinds[last_kind]->next[place];
  last_kind = place;
  return kinds[place];
}

static void note(const char* function, const void* sent, const void* received, int count, MPI_Datatype type,
                 MPI_Op operation, int root) {
  int type_bytes = 0;
  if (type != MPI_DATATYPE_NULL) PMPI_Type_size(type, &type_bytes);
  const int in_place = sent == MPI_IN_PLACE || received == MPI_IN_PLACE;
  struct Kind* kind = note_place(kind_of(function, (long)count * type_bytes, type, operation, in_place));
  if (kind == NULL) return;
  add_address(&kind->sent, sent);
  add_address(&kind->received, received);
  if (is_buffer(sent) && sent == received) kind->same_buffer = 1;
  add_root(kind, root);
}

static void note_transfer(const char* function, const void* sent, const void* received, int count, MPI_Datatype type) {
  note(function, sent, received, count, type, MPI_OP_NULL, 0);
}

static void note_alone(const char* function) { note(function, NULL, NULL, 0, MPI_DATATYPE_NULL, MPI_OP_NULL, 0); }

static int most(const int* counts, MPI_Comm comm) {
  int ranks = 0, largest = 0;
  PMPI_Comm_size(comm, &ranks);
  for (int rank = 0; counts != NULL && rank < ranks; ++rank) largest = counts[rank] > largest ? counts[rank] : largest;
  return largest;
}

/// An array that a call uses at its root alone: elsewhere a program may pass anything.
static const void* at_root(const void* buffer, int root, MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank == root ? buffer : NULL;
}

// --- between two ranks

#define SENDS(function)                                                                                        \
  int MPI_##function(const void* buffer, int count, MPI_Datatype type, int receiver, int tag, MPI_Comm comm) { \
    note_transfer(#function, buffer, NULL, count, type);                                                       \
    return PMPI_##function(buffer, count, type, receiver, tag, comm);                                          \
  }
SENDS(Send)
SENDS(Ssend)
SENDS(Rsend)
SENDS(Bsend)

#define STARTS_SEND(function)                                                                                \
  int MPI_##function(const void* buffer, int count, MPI_Datatype type, int receiver, int tag, MPI_Comm comm, \
                     MPI_Request* request) {                                                                 \
    note_transfer(#function, buffer, NULL, count, type);                                                     \
    return PMPI_##function(buffer, count, type, receiver, tag, comm, request);                               \
  }
STARTS_SEND(Isend)
STARTS_SEND(Issend)

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int sender, int tag, MPI_Comm comm, MPI_Status* status) {
  note_transfer(sender == MPI_ANY_SOURCE ? "Recv from any source" : "Recv", NULL, buffer, count, type);
  return PMPI_Recv(buffer, count, type, sender, tag, comm, status);
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int sender, int tag, MPI_Comm comm, MPI_Request* request) {
  note_transfer(sender == MPI_ANY_SOURCE ? "Irecv from any source" : "Irecv", NULL, buffer, count, type);
  return PMPI_Irecv(buffer, count, type, sender, tag, comm, request);
}

/// With itself a rank copies: no message is sent.
int MPI_Sendrecv(const void* sent, int count, MPI_Datatype type, int receiver, int tag, void* received, int counts,
                 MPI_Datatype types, int sender, int tags, MPI_Comm comm, MPI_Status* status) {
  if (comm != MPI_COMM_SELF) note_transfer("Sendrecv", sent, received, count, type);
  return PMPI_Sendrecv(sent, count, type, receiver, tag, received, counts, types, sender, tags, comm, status);
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  note_alone("Wait");
  return PMPI_Wait(request, status);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  note_place(kind_of("Waitall", count, MPI_DATATYPE_NULL, MPI_OP_NULL, 0));
  return PMPI_Waitall(count, requests, statuses);
}

// --- one-sided: where a call reaches at the target is noted as if that were its second buffer

/// An address that no buffer has, for a place in a window. What another rank's memory begins with is not known here.
static const void* at_target(MPI_Aint displacement) { return (const void*)(displacement + (MPI_Aint)4096); }

#define MOVES(function, constness)                                                                              \
  int MPI_##function(constness void* origin, int count, MPI_Datatype type, int target, MPI_Aint at, int counts, \
                     MPI_Datatype types, MPI_Win window) {                                                      \
    note_transfer(#function, origin, at_target(at), count, type);                                               \
    return PMPI_##function(origin, count, type, target, at, counts, types, window);                             \
  }
MOVES(Put, const)
MOVES(Get, )

int MPI_Accumulate(const void* origin, int count, MPI_Datatype type, int target, MPI_Aint at, int counts,
                   MPI_Datatype types, MPI_Op operation, MPI_Win window) {
  note("Accumulate", origin, at_target(at), count, type, operation, 0);
  return PMPI_Accumulate(origin, count, type, target, at, counts, types, operation, window);
}

int MPI_Get_accumulate(const void* origin, int count, MPI_Datatype type, void* result, int results,
                       MPI_Datatype result_type, int target, MPI_Aint at, int counts, MPI_Datatype types,
                       MPI_Op operation, MPI_Win window) {
  note("Get_accumulate", origin, result, count, type, operation, 0);
  return PMPI_Get_accumulate(origin, count, type, result, results, result_type, target, at, counts, types, operation,
                             window);
}

int MPI_Fetch_and_op(const void* origin, void* result, MPI_Datatype type, int target, MPI_Aint at, MPI_Op operation,
                     MPI_Win window) {
  note("Fetch_and_op", origin, result, 1, type, operation, 0);
  return PMPI_Fetch_and_op(origin, result, type, target, at, operation, window);
}

/// Its buffers change places in the profile, so that each call finds what it expects.
int MPI_Compare_and_swap(const void* origin, const void* compared, void* result, MPI_Datatype type, int target,
                         MPI_Aint at, MPI_Win window) {
  note("Compare_and_swap", NULL, result, 1, type, MPI_OP_NULL, 0);
  return PMPI_Compare_and_swap(origin, compared, result, type, target, at, window);
}

#define COMPLETES(function)                            \
  int MPI_Win_##function(int target, MPI_Win window) { \
    note_alone("Win_" #function);                      \
    return PMPI_Win_##function(target, window);        \
  }
COMPLETES(flush)
COMPLETES(flush_local)
COMPLETES(unlock)

int MPI_Win_lock(int kind, int target, int promises, MPI_Win window) {
  note_alone(kind == MPI_LOCK_EXCLUSIVE ? "Win_lock, exclusive" : "Win_lock, shared");
  return PMPI_Win_lock(kind, target, promises, window);
}

int MPI_Win_complete(MPI_Win window) {
  note_alone("Win_complete");
  return PMPI_Win_complete(window);
}

int MPI_Win_wait(MPI_Win window) {
  note_alone("Win_wait");
  return PMPI_Win_wait(window);
}

#define BEGINS(function)                                                  \
  int MPI_Win_##function(MPI_Group group, int promises, MPI_Win window) { \
    note_alone("Win_" #function);                                         \
    return PMPI_Win_##function(group, promises, window);                  \
  }
BEGINS(post)
BEGINS(start)

// --- among all, blocking and nonblocking

#define ALL(...) __VA_ARGS__
/// Both calls of a collective: `upper` and `lower` are its name with a large and a small first letter.
#define BOTH(upper, lower, parameters, arguments, noted)              \
  int MPI_##upper(parameters, MPI_Comm comm) {                        \
    note(#upper, noted);                                              \
    return PMPI_##upper(arguments, comm);                             \
  }                                                                   \
  int MPI_I##lower(parameters, MPI_Comm comm, MPI_Request* request) { \
    note("I" #lower, noted);                                          \
    return PMPI_I##lower(arguments, comm, request);                   \
  }

#define SENT const void *sent, int count, MPI_Datatype type
#define RECEIVED void *received, int counts, MPI_Datatype types
#define SENT_PARTS const void *sent, const int from[], const int places[], MPI_Datatype type
#define RECEIVED_PARTS void *received, const int to[], const int at[], MPI_Datatype types
#define REDUCED const void *sent, void *received, int count, MPI_Datatype type, MPI_Op operation

int MPI_Barrier(MPI_Comm comm) {
  note_alone("Barrier");
  return PMPI_Barrier(comm);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  note_alone("Ibarrier");
  return PMPI_Ibarrier(comm, request);
}

BOTH(Bcast, bcast, ALL(void* buffer, int count, MPI_Datatype type, int root), ALL(buffer, count, type, root),
     ALL(NULL, buffer, count, type, MPI_OP_NULL, root))
BOTH(Reduce, reduce, ALL(REDUCED, int root), ALL(sent, received, count, type, operation, root),
     ALL(sent, at_root(received, root, comm), count, type, operation, root))
BOTH(Allreduce, allreduce, ALL(REDUCED), ALL(sent, received, count, type, operation),
     ALL(sent, received, count, type, operation, 0))
BOTH(Reduce_scatter, reduce_scatter,
     ALL(const void* sent, void* received, const int to[], MPI_Datatype type, MPI_Op operation),
     ALL(sent, received, to, type, operation), ALL(sent, received, most(to, comm), type, operation, 0))
BOTH(Reduce_scatter_block, reduce_scatter_block, ALL(REDUCED), ALL(sent, received, count, type, operation),
     ALL(sent, received, count, type, operation, 0))
BOTH(Allgather, allgather, ALL(SENT, RECEIVED), ALL(sent, count, type, received, counts, types),
     ALL(sent, received, counts, types, MPI_OP_NULL, 0))
BOTH(Alltoall, alltoall, ALL(SENT, RECEIVED), ALL(sent, count, type, received, counts, types),
     ALL(sent, received, counts, types, MPI_OP_NULL, 0))
BOTH(Gather, gather, ALL(SENT, RECEIVED, int root), ALL(sent, count, type, received, counts, types, root),
     ALL(sent, at_root(received, root, comm), sent == MPI_IN_PLACE ? counts : count,
         sent == MPI_IN_PLACE ? types : type, MPI_OP_NULL, root))
BOTH(Scatter, scatter, ALL(SENT, RECEIVED, int root), ALL(sent, count, type, received, counts, types, root),
     ALL(at_root(sent, root, comm), received, received == MPI_IN_PLACE ? count : counts,
         received == MPI_IN_PLACE ? type : types, MPI_OP_NULL, root))
BOTH(Allgatherv, allgatherv, ALL(SENT, RECEIVED_PARTS), ALL(sent, count, type, received, to, at, types),
     ALL(sent, received, most(to, comm), types, MPI_OP_NULL, 0))
BOTH(Gatherv, gatherv, ALL(SENT, RECEIVED_PARTS, int root), ALL(sent, count, type, received, to, at, types, root),
     ALL(sent, at_root(received, root, comm), sent == MPI_IN_PLACE ? most(to, comm) : count,
         sent == MPI_IN_PLACE ? types : type, MPI_OP_NULL, root))
BOTH(Scatterv, scatterv, ALL(SENT_PARTS, RECEIVED, int root),
     ALL(sent, from, places, type, received, counts, types, root),
     ALL(at_root(sent, root, comm), received, received == MPI_IN_PLACE ? most(from, comm) : counts,
         received == MPI_IN_PLACE ? type : types, MPI_OP_NULL, root))
BOTH(Alltoallv, alltoallv, ALL(SENT_PARTS, RECEIVED_PARTS), ALL(sent, from, places, type, received, to, at, types),
     ALL(sent, received, most(to, comm), types, MPI_OP_NULL, 0))

// --- what is written

static const char* operation_name(MPI_Op operation) {
  if (operation == MPI_OP_NULL) return "";
  if (operation == MPI_SUM) return "MPI_SUM";
  if (operation == MPI_MAX) return "MPI_MAX";
  if (operation == MPI_MIN) return "MPI_MIN";
  if (operation == MPI_PROD) return "MPI_PROD";
  if (operation == MPI_BAND) return "MPI_BAND";
  if (operation == MPI_BOR) return "MPI_BOR";
  return "another operation";
}

static int alignment(const struct Addresses* known) {
  int bytes = 1;
  while (bytes < 4096 && (known->bits & (uintptr_t)bytes) == 0) bytes *= 2;
  return known->many ? bytes : 0;
}

static void write_kind(FILE* file, int place) {
  const struct Kind* kind = kinds[place];
  char type[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  if (kind->type != MPI_DATATYPE_NULL) PMPI_Type_get_name(kind->type, type, &length);
  fprintf(file,
          "{\"place\": %d, \"function\": \"%s\", \"bytes\": %ld, \"datatype\": \"%s\", \"operation\": \"%s\", "
          "\"in_place\": %s, \"calls\": %ld, \"send_buffers\": %d, \"receive_buffers\": %d, \"same_buffer\": %s, "
          "\"send_alignment\": %d, \"receive_alignment\": %d, \"roots\": %d, \"next\": [",
          place, kind->function, kind->bytes, type, operation_name(kind->operation), kind->in_place ? "true" : "false",
          kind->calls, kind->sent.many, kind->received.many, kind->same_buffer ? "true" : "false",
          alignment(&kind->sent), alignment(&kind->received), kind->many_roots);
  const char* between = "";
  for (int next = 0; next < many_kinds; ++next) {
    if (kind->next[next] == 0) continue;
    fprintf(file, "%s[%d, %ld]", between, next, kind->next[next]);
    between = ", ";
  }
  fprintf(file, "]}\n");
}

int MPI_Finalize(void) {
  const char* prefix = getenv("GROMA_CALLS");
  char path[4096];
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(path, sizeof path, "%s.%d", prefix ? prefix : "calls", rank);
  FILE* file = fopen(path, "w");
  for (int place = 0; file != NULL && place < many_kinds; ++place) write_kind(file, place);
  if (file != NULL) fclose(file);
  return PMPI_Finalize();
}
