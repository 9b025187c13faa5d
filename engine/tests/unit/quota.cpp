#include "groma/machine/quota.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace groma {
namespace {

/// A folder that stands for the root of the file system, while the test runs.
class Quota : public testing::Test {
 protected:
  void SetUp() override {
    root = testing::TempDir() + "groma-quota-" + testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(root);
  }
  void TearDown() override { std::filesystem::remove_all(root); }
  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::string root;
};

TEST_F(Quota, IsNoneWithoutControlGroups) { EXPECT_EQ(cpu_quota(root), std::nullopt); }

TEST_F(Quota, IsTheLeastOfAGroupAndThoseAboveIt) {
  write("/proc/self/cgroup", "0::/job/step/task\n");
  write("/sys/fs/cgroup/job/cpu.max", "150000 100000\n");
  write("/sys/fs/cgroup/job/step/cpu.max", "400000 100000\n");
  write("/sys/fs/cgroup/job/step/task/cpu.max", "max 100000\n");
  EXPECT_EQ(cpu_quota(root), 1.5);
}

TEST_F(Quota, OfAContainerIsAtTheRootOfItsMount) {
  write("/proc/self/cgroup", "0::/../../docker/0123abcd\n");
  write("/sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(cpu_quota(root), 0.5);
}

TEST_F(Quota, IsNoneWhereTheMembershipCannotBeRead) {
  write("/proc/self/cgroup", "0::job\nnothing\n\n::\n");
  EXPECT_EQ(cpu_quota(root), std::nullopt);
}

TEST_F(Quota, IsNoneWhereNoGroupLimitsIt) {
  write("/proc/self/cgroup", "0::/user.slice\n");
  write("/sys/fs/cgroup/user.slice/cpu.max", "max 100000\n");
  EXPECT_EQ(cpu_quota(root), std::nullopt);
}

TEST_F(Quota, OfVersion1IsThatOfTheCpuController) {
  write("/proc/self/cgroup", "5:memory:/job\n4:cpu,cpuacct:/job\n3:cpuset:/job\n0::/\n");
  write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "300000\n");
  write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpu_quota(root), 3);
}

}  // namespace
}  // namespace groma
