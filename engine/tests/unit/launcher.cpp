#include "groma/mpi/launcher.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace groma {
namespace {

class Environment : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE", "PMI_RANK", "PALS_SIZE",
                             "PALS_RANKID", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK", "SLURM_STEP_NUM_TASKS",
                             "SLURM_PROCID", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "PALS_LOCAL_RANKID",
                             "MV2_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"}) {
      unsetenv(name);
    }
  }
};

TEST_F(Environment, WithoutALauncherNothingIsWrong) {
  EXPECT_FALSE(launcher_from_environment().ranks);
  EXPECT_EQ(launch_fault(launcher_from_environment(), 1, "MPICH 5"), "");
}

TEST_F(Environment, SingletonsAreExplained) {
  setenv("PMI_SIZE", "4", 1);
  setenv("PMI_RANK", "2", 1);
  const Launcher launcher = launcher_from_environment();
  EXPECT_EQ(launcher.name, "hydra");
  EXPECT_EQ(launcher.rank, 2);
  EXPECT_FALSE(launcher.host_rank);
  EXPECT_EQ(launch_fault(launcher, 4, "MPICH 5"), "");
  const std::string fault = launch_fault(launcher, 1, "Open MPI v4");
  EXPECT_NE(fault.find("hydra"), std::string::npos);
  EXPECT_NE(fault.find("started 4 processes"), std::string::npos);
  EXPECT_NE(fault.find("Open MPI v4 sees 1"), std::string::npos);
}

TEST_F(Environment, TheInnermostLauncherCounts) {
  setenv("SLURM_STEP_NUM_TASKS", "1", 1);
  setenv("SLURM_PROCID", "0", 1);
  setenv("OMPI_COMM_WORLD_SIZE", "8", 1);
  setenv("OMPI_COMM_WORLD_RANK", "3", 1);
  EXPECT_EQ(launcher_from_environment().name, "Open MPI");
  EXPECT_EQ(launcher_from_environment().ranks, 8);
  setenv("SLURM_LOCALID", "0", 1);
  setenv("OMPI_COMM_WORLD_LOCAL_RANK", "1", 1);
  EXPECT_EQ(launcher_from_environment().host_rank, 1);
}

}  // namespace
}  // namespace groma
