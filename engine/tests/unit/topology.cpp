#include "groma/machine/topology.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "groma/machine/cpus.hpp"

namespace groma {
namespace {

/// A folder as /sys/devices/system/cpu; gone with the test.
class Cpus {
 public:
  Cpus() : folder_(testing::TempDir() + "topology-" + std::to_string(getpid())) {}
  ~Cpus() { std::filesystem::remove_all(folder_); }
  Cpus(const Cpus&) = delete;
  Cpus& operator=(const Cpus&) = delete;

  void say(int cpu, const std::string& file, const std::string& text) const {
    const std::filesystem::path path = folder_ + "/cpu" + std::to_string(cpu) + "/" + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << "\n";
  }

  /// A first level of data and of instructions, and a second that is shared.
  void caches(int cpu, const std::string& sharing) const {
    for (const auto& [index, level, type, shared] :
         {std::tuple{0, 1, "Data", std::to_string(cpu)}, {1, 2, "Unified", sharing}, {2, 3, "Instruction", "0-99"}}) {
      const std::string cache = "cache/index" + std::to_string(index) + "/";
      say(cpu, cache + "level", std::to_string(level));
      say(cpu, cache + "type", type);
      say(cpu, cache + "shared_cpu_list", shared);
    }
  }

  [[nodiscard]] CpuGroups of(const std::vector<int>& cpus) const { return groups_of(cpus, folder_); }

 private:
  std::string folder_;
};

void expect(const CpuGroups& found, const CpuGroups& expected) {
  EXPECT_EQ(found.core, expected.core);
  EXPECT_EQ(found.cache, expected.cache);
  EXPECT_EQ(found.socket, expected.socket);
}

/// Two sockets of four cores with two threads each, two cores a cache: threads are CPU n and n + 8.
void two_sockets(const Cpus& cpus) {
  for (int cpu = 0; cpu < 16; ++cpu) {
    const int core = cpu % 8;
    const int first = core - core % 2;
    const std::string threads = std::to_string(core) + "," + std::to_string(core + 8);
    cpus.say(cpu, "topology/thread_siblings_list", threads);
    cpus.caches(cpu, as_ranges({first, first + 1, first + 8, first + 9}));
    cpus.say(cpu, "topology/physical_package_id", std::to_string(core / 4));
    cpus.say(cpu, "topology/package_cpus_list", core < 4 ? "0-3,8-11" : "4-7,12-15");
  }
}

TEST(Topology, ACpuHasACoreACacheAndASocket) {
  const Cpus cpus;
  two_sockets(cpus);
  expect(cpus.of({15}), {.core = 7, .cache = 6, .socket = 1});
}

TEST(Topology, SeveralCpusHaveWhatAllOfThemShare) {
  const Cpus cpus;
  two_sockets(cpus);
  expect(cpus.of({3, 11}), {.core = 3, .cache = 2, .socket = 0});
  expect(cpus.of({2, 3}), {.core = std::nullopt, .cache = 2, .socket = 0});
  expect(cpus.of({1, 2}), {.core = std::nullopt, .cache = std::nullopt, .socket = 0});
  expect(cpus.of({3, 4}), {});
}

TEST(Topology, WhatTheKernelDoesNotSayIsAbsent) {
  const Cpus cpus;
  expect(cpus.of({0}), {});
  expect(cpus.of({}), {});
  cpus.say(0, "topology/physical_package_id", "-1");
  cpus.say(0, "topology/package_cpus_list", "0-1");
  cpus.say(0, "topology/thread_siblings_list", "nonsense");
  expect(cpus.of({0}), {});
}

TEST(Topology, OlderKernelsNameTheSocketOtherwise) {
  const Cpus cpus;
  cpus.say(4, "topology/physical_package_id", "1");
  cpus.say(4, "topology/core_siblings_list", "4-7");
  expect(cpus.of({4}), {.core = std::nullopt, .cache = std::nullopt, .socket = 1});
}

}  // namespace
}  // namespace groma
