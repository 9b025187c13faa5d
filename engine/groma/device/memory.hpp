// The memory of all points of a launch that is not plain host memory: of each kind a send and a receive region, as
// large as the largest point needs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "groma/device/driver.hpp"
#include "groma/plan/point.hpp"

namespace groma {

inline constexpr std::size_t memory_kinds = std::size(payload::memory_kinds);

/// Bytes of the two regions of a kind.
struct RegionBytes {
  std::int64_t send = 0;
  std::int64_t receive = 0;
};
using RegionNeeds = std::array<RegionBytes, memory_kinds>;

/// One region, until it goes out of scope.
struct ReleaseRegion {
  payload::MemoryKind kind{};
  void operator()(std::byte* start) const noexcept { driver_of(kind).release(kind, start); }
};
struct Region {
  std::unique_ptr<std::byte, ReleaseRegion> start;
  std::size_t bytes = 0;
};

class DeviceMemory {
 public:
  DeviceMemory() = default;
  /// Opens the drivers of the kinds that are needed, has each use this rank's device, the one of number `host_rank`
  /// in the list `devices` (empty: of those visible), and allocates. Throws InputError.
  DeviceMemory(const RegionNeeds& needs, const std::string& devices, int host_rank);

  [[nodiscard]] std::span<std::byte> send(payload::MemoryKind kind) const { return span_of(kind, send_); }
  [[nodiscard]] std::span<std::byte> receive(payload::MemoryKind kind) const { return span_of(kind, receive_); }

  /// The drivers in use, and the numbers of their devices: the same ones on every rank.
  struct Used {
    Driver* driver = nullptr;
    int device = 0;
  };
  [[nodiscard]] const std::vector<Used>& used() const { return used_; }

 private:
  static Region allocated(payload::MemoryKind kind, std::int64_t bytes);
  static std::span<std::byte> span_of(payload::MemoryKind kind, const std::array<Region, memory_kinds>& regions) {
    const Region& one = regions[static_cast<std::size_t>(kind)];
    return {one.start.get(), one.bytes};
  }
  void use(payload::MemoryKind kind, const std::string& devices, int host_rank);

  std::vector<Used> used_;
  std::array<Region, memory_kinds> send_;
  std::array<Region, memory_kinds> receive_;
};

/// The device of a rank of a host. Throws InputError for one that is not there.
int device_of(const std::string& devices, int host_rank, int visible);

}  // namespace groma
