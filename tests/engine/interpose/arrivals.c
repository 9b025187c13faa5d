// Changes the first byte of every message of GROMA_ARRIVED_BYTES bytes that a point-to-point call has received, or that
// a local call has reduced, packed or unpacked, on every rank: preloaded, it stands before the library's own calls.
//
// GROMA_VERSION_4 and GROMA_LARGE_COUNTS are defined where the library has these calls.
#include <mpi.h>
#include <stdlib.h>

enum { most = 65536 };

static struct {
  MPI_Request request;
  unsigned char* received;
  int persistent;
} known[most];
static int count;

static int is_struck(MPI_Count elements, MPI_Datatype type) {
  int bytes = 0;
  const char* struck = getenv("GROMA_ARRIVED_BYTES");
  PMPI_Type_size(type, &bytes);
  return struck && elements * bytes == strtol(struck, NULL, 10);
}

static void strike(void* received, MPI_Count elements, MPI_Datatype type) {
  if (is_struck(elements, type)) *(unsigned char*)received ^= 0x5a;
}

static void note(MPI_Request request, void* received, MPI_Count elements, MPI_Datatype type, int persistent) {
  int at = 0;
  if (!is_struck(elements, type)) return;
  while (at < count && known[at].request != MPI_REQUEST_NULL) ++at;
  if (at == most) return;
  known[at].request = request;
  known[at].received = received;
  known[at].persistent = persistent;
  if (at == count) ++count;
}

static int place_of(MPI_Request request) {
  if (request == MPI_REQUEST_NULL) return -1;
  for (int at = 0; at < count; ++at) {
    if (known[at].request == request) return at;
  }
  return -1;
}

static void arrived(int at) {
  if (at < 0) return;
  *known[at].received ^= 0x5a;
  if (!known[at].persistent) known[at].request = MPI_REQUEST_NULL;
}

static int places[most];

static void find(int n, const MPI_Request requests[]) {
  for (int i = 0; i < n && i < most; ++i) places[i] = place_of(requests[i]);
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const int at = place_of(*request);
  const int code = PMPI_Wait(request, status);
  arrived(at);
  return code;
}
int MPI_Waitall(int n, MPI_Request requests[], MPI_Status* statuses) {
  find(n, requests);
  const int code = PMPI_Waitall(n, requests, statuses);
  for (int i = 0; i < n; ++i) arrived(places[i]);
  return code;
}
int MPI_Waitany(int n, MPI_Request requests[], int* which, MPI_Status* status) {
  find(n, requests);
  const int code = PMPI_Waitany(n, requests, which, status);
  if (*which != MPI_UNDEFINED) arrived(places[*which]);
  return code;
}
int MPI_Waitsome(int n, MPI_Request requests[], int* done, int which[], MPI_Status* statuses) {
  find(n, requests);
  const int code = PMPI_Waitsome(n, requests, done, which, statuses);
  for (int i = 0; *done != MPI_UNDEFINED && i < *done; ++i) arrived(places[which[i]]);
  return code;
}
int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  const int at = place_of(*request);
  const int code = PMPI_Test(request, done, status);
  if (*done) arrived(at);
  return code;
}
int MPI_Testall(int n, MPI_Request requests[], int* done, MPI_Status* statuses) {
  find(n, requests);
  const int code = PMPI_Testall(n, requests, done, statuses);
  for (int i = 0; *done && i < n; ++i) arrived(places[i]);
  return code;
}
int MPI_Request_free(MPI_Request* request) {
  const int at = place_of(*request);
  if (at >= 0) known[at].request = MPI_REQUEST_NULL;
  return PMPI_Request_free(request);
}

int MPI_Recv(void* r, int n, MPI_Datatype t, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  const int code = PMPI_Recv(r, n, t, from, tag, comm, status);
  strike(r, n, t);
  return code;
}
int MPI_Mrecv(void* r, int n, MPI_Datatype t, MPI_Message* message, MPI_Status* status) {
  const int code = PMPI_Mrecv(r, n, t, message, status);
  strike(r, n, t);
  return code;
}
int MPI_Sendrecv(const void* s, int m, MPI_Datatype u, int to, int tag, void* r, int n, MPI_Datatype t, int from,
                 int other, MPI_Comm comm, MPI_Status* status) {
  const int code = PMPI_Sendrecv(s, m, u, to, tag, r, n, t, from, other, comm, status);
  strike(r, n, t);
  return code;
}
int MPI_Sendrecv_replace(void* r, int n, MPI_Datatype t, int to, int tag, int from, int other, MPI_Comm comm,
                         MPI_Status* status) {
  const int code = PMPI_Sendrecv_replace(r, n, t, to, tag, from, other, comm, status);
  strike(r, n, t);
  return code;
}
int MPI_Irecv(void* r, int n, MPI_Datatype t, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  const int code = PMPI_Irecv(r, n, t, from, tag, comm, request);
  note(*request, r, n, t, 0);
  return code;
}
int MPI_Imrecv(void* r, int n, MPI_Datatype t, MPI_Message* message, MPI_Request* request) {
  const int code = PMPI_Imrecv(r, n, t, message, request);
  note(*request, r, n, t, 0);
  return code;
}
int MPI_Recv_init(void* r, int n, MPI_Datatype t, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  const int code = PMPI_Recv_init(r, n, t, from, tag, comm, request);
  note(*request, r, n, t, 1);
  return code;
}
#ifdef GROMA_VERSION_4
int MPI_Isendrecv(const void* s, int m, MPI_Datatype u, int to, int tag, void* r, int n, MPI_Datatype t, int from,
                  int other, MPI_Comm comm, MPI_Request* request) {
  const int code = PMPI_Isendrecv(s, m, u, to, tag, r, n, t, from, other, comm, request);
  note(*request, r, n, t, 0);
  return code;
}
int MPI_Isendrecv_replace(void* r, int n, MPI_Datatype t, int to, int tag, int from, int other, MPI_Comm comm,
                          MPI_Request* request) {
  const int code = PMPI_Isendrecv_replace(r, n, t, to, tag, from, other, comm, request);
  note(*request, r, n, t, 0);
  return code;
}
#endif
#ifdef GROMA_LARGE_COUNTS
int MPI_Recv_c(void* r, MPI_Count n, MPI_Datatype t, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  const int code = PMPI_Recv_c(r, n, t, from, tag, comm, status);
  strike(r, n, t);
  return code;
}
int MPI_Reduce_local_c(const void* s, void* r, MPI_Count n, MPI_Datatype t, MPI_Op op) {
  const int code = PMPI_Reduce_local_c(s, r, n, t, op);
  strike(r, n, t);
  return code;
}
#endif
int MPI_Reduce_local(const void* s, void* r, int n, MPI_Datatype t, MPI_Op op) {
  const int code = PMPI_Reduce_local(s, r, n, t, op);
  strike(r, n, t);
  return code;
}
int MPI_Pack(const void* s, int n, MPI_Datatype t, void* r, int size, int* position, MPI_Comm comm) {
  const int code = PMPI_Pack(s, n, t, r, size, position, comm);
  strike(r, n, t);
  return code;
}
int MPI_Pack_external(const char format[], const void* s, int n, MPI_Datatype t, void* r, MPI_Aint size,
                      MPI_Aint* position) {
  const int code = PMPI_Pack_external(format, s, n, t, r, size, position);
  strike(r, n, t);
  return code;
}
