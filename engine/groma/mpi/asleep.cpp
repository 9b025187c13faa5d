#include "groma/mpi/asleep.hpp"

#include <ctime>

namespace groma {

void wait_asleep(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm, &request);
  int done = 0;
  MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  while (done == 0) {
    constexpr timespec nap{.tv_sec = 0, .tv_nsec = 500'000};
    nanosleep(&nap, nullptr);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
}

}  // namespace groma
