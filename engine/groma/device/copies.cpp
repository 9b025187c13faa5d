#include "groma/device/copies.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "groma/clock/clocks.hpp"
#include "groma/machine/files.hpp"
#include "groma/stopping/interval.hpp"
#include "groma/text/words.hpp"

namespace groma {
namespace {

using payload::MemoryKind;

/// Memory of one kind for as long as this lives.
class Held {
 public:
  Held(const Driver& driver, MemoryKind kind, std::int64_t bytes)
      : driver_(driver), kind_(kind), start_(driver.allocate(kind, static_cast<std::size_t>(bytes))) {}
  ~Held() { driver_.release(kind_, start_); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  [[nodiscard]] std::byte* start() const { return start_; }

 private:
  const Driver& driver_;
  MemoryKind kind_;
  std::byte* start_;
};

/// The median of some calls, in ns, after one that warms up; fewer where they are long.
template <class Action>
double median_ns(Action action) {
  constexpr int most = 21;
  constexpr std::int64_t enough_ns = 20'000'000;
  std::vector<std::int64_t> times;
  action();
  for (std::int64_t spent = 0; static_cast<int>(times.size()) < most && (times.size() < 3 || spent < enough_ns);) {
    const std::int64_t begin = Monotonic::now();
    action();
    times.push_back(Monotonic::now() - begin);
    spent += times.back();
  }
  return median_of(times);
}

std::optional<int> numa_node_of(const std::string& pci) {
  const auto number = parse_integer(first_line("/sys/bus/pci/devices/" + pci + "/numa_node"));
  return number && *number >= 0 ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

/// As the kernel gives it: one number for every node, in their order.
std::optional<int> distance_between(unsigned from, std::optional<int> to) {
  if (!to) return std::nullopt;
  const std::string line = first_line("/sys/devices/system/node/node" + std::to_string(from) + "/distance");
  const auto distances = split(line, ' ');
  if (static_cast<std::size_t>(*to) >= distances.size()) return std::nullopt;
  const auto number = parse_integer(distances[static_cast<std::size_t>(*to)]);
  return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

void measure_with(const Driver& driver, const std::vector<std::int64_t>& sizes,
                  std::vector<schema::DeviceCopy>& found) {
  const Held host(driver, MemoryKind::pinned, sizes.back());
  const Held from(driver, driver.kind(), sizes.back());
  const Held to(driver, driver.kind(), sizes.back());
  for (const std::int64_t bytes : sizes) {
    const auto size = static_cast<std::size_t>(bytes);
    const auto timed = [&](auto copy) {
      return median_ns([&] {
        copy();
        driver.synchronise();
      });
    };
    found.push_back({.driver = name_of(driver.kind()),
                     .bytes = bytes,
                     .to_device_ns = timed([&] { driver.to_device(from.start(), host.start(), size); }),
                     .to_host_ns = timed([&] { driver.to_host(host.start(), from.start(), size); }),
                     .within_device_ns = timed([&] { driver.within_device(to.start(), from.start(), size); }),
                     .to_peer_ns = {},
                     .peer = {},
                     .peer_direct = {}});
  }
}

/// The device to which copies go: the first of another rank, or else the first other one. Nothing if there is none.
std::optional<int> peer_of(const DeviceMemory::Used& used, const std::vector<std::string>& others) {
  std::optional<int> found;
  for (int device = used.driver->devices() - 1; device >= 0; --device) {
    if (device != used.device) found = device;
  }
  const std::string own = used.driver->uuid_of(used.device);
  for (const std::string& other : others) {
    if (other == own) continue;
    for (int device = 0; device < used.driver->devices(); ++device) {
      if (device != used.device && used.driver->uuid_of(device) == other) return device;
    }
  }
  return found;
}

/// Adds what copies to another device take; nothing where that one has no memory left, or takes no other process.
void add_peer(const DeviceMemory::Used& used, int device, std::vector<schema::DeviceCopy>& found) {
  const Driver& driver = *used.driver;
  std::int64_t longest = 0;
  for (const schema::DeviceCopy& one : found) {
    if (one.driver == name_of(driver.kind())) longest = std::max(longest, one.bytes);
  }
  if (longest == 0) return;
  try {
    const Held from(driver, driver.kind(), longest);
    const Driver::Peer peer(driver, device, static_cast<std::size_t>(longest));
    for (schema::DeviceCopy& one : found) {
      if (one.driver != name_of(driver.kind())) continue;
      one.to_peer_ns = median_ns([&] { peer.take(from.start(), static_cast<std::size_t>(one.bytes)); });
      one.peer = driver.uuid_of(device);
      one.peer_direct = peer.direct();
    }
  } catch (const DeviceError&) {
    return;
  }
}

}  // namespace

std::vector<schema::DeviceCopy> measure_copies(const DeviceMemory& memory, const std::vector<std::int64_t>& sizes,
                                               const std::vector<std::string>& others) {
  std::vector<schema::DeviceCopy> found;
  for (const DeviceMemory::Used& used : memory.used()) {
    // A device whose memory is full is measured without them, down to the lengths for which there is room.
    for (std::vector<std::int64_t> left = sizes; !left.empty(); left.pop_back()) {
      try {
        measure_with(*used.driver, left, found);
        break;
      } catch (const DeviceError&) {
        continue;
      }
    }
    if (const std::optional<int> peer = peer_of(used, others)) add_peer(used, *peer, found);
  }
  return found;
}

std::vector<schema::RankDevice> describe_devices(const DeviceMemory& memory, int rank) {
  unsigned numa_node = 0;
  syscall(SYS_getcpu, nullptr, &numa_node, nullptr);
  std::vector<schema::RankDevice> found;
  for (const auto& [driver, device] : memory.used()) {
    auto& own = *driver;
    const DeviceFacts facts = own.facts();
    const std::optional<int> node = numa_node_of(facts.pci);
    found.push_back({.rank = rank,
                     .driver = name_of(driver->kind()),
                     .device = device,
                     .name = facts.name,
                     .uuid = facts.uuid,
                     .pci = facts.pci,
                     .version = facts.driver,
                     .compute_mode = facts.compute_mode,
                     .mps = facts.mps,
                     .ecc = facts.ecc,
                     .clock_khz = facts.clock_khz,
                     .memory_clock_khz = facts.memory_clock_khz,
                     .memory_bytes = facts.memory_bytes,
                     .numa_node = node,
                     .distance = distance_between(numa_node, node),
                     .synchronise_ns = median_ns([&own] { own.synchronise(); }),
                     .tried = "never tried on a device"});
  }
  return found;
}

}  // namespace groma
