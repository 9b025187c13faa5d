// Every rank runs every test; a rank without failures still fails when another rank has one.
#include <gtest/gtest.h>

#include "groma/mpi/handles.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const groma::Mpi mpi(argc, argv);
  const groma::Comm world(MPI_COMM_WORLD);
  if (world.rank() != 0)
    delete testing::UnitTest::GetInstance()->listeners().Release(
        testing::UnitTest::GetInstance()->listeners().default_result_printer());
  int failed = RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, world.get());
  return failed;
}
