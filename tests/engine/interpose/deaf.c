// Lets no connection be accepted once MPI has started, as a firewall would: preloaded, it stands before the system's
// own call. What the library has connected by then goes on.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <sys/socket.h>

int accept4(int socket, struct sockaddr* address, socklen_t* length, int flags) {
  int (*own)(int, struct sockaddr*, socklen_t*, int) =
      (int (*)(int, struct sockaddr*, socklen_t*, int))dlsym(RTLD_NEXT, "accept4");
  int started = 0;
  PMPI_Initialized(&started);
  if (!started) return own(socket, address, length, flags);
  errno = EAGAIN;
  return -1;
}
