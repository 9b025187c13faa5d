// Preloaded before an MPI library that waits busily through UCX, as MPICH 4 does: a rank whose progress call made none
// leaves its processor to another rank. With more ranks than processors each message would else take the scheduler's
// time slices.
#include <dlfcn.h>
#include <sched.h>

extern "C" unsigned ucp_worker_progress(void* worker) {
  using Progress = unsigned (*)(void*);
  static const auto own = reinterpret_cast<Progress>(dlsym(RTLD_NEXT, "ucp_worker_progress"));
  const unsigned made = own(worker);
  if (made == 0) sched_yield();
  return made;
}
