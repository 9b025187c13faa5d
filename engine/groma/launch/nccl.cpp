#include "groma/launch/nccl.hpp"

#include <algorithm>
#include <map>

#include "groma/device/nccl.hpp"
#include "groma/errors.hpp"
#include "groma/mpi/texts.hpp"
#include "groma/mpi/together.hpp"

namespace groma {
namespace {

/// This rank's device of a vendor: what tells it from all others, a line break, and its name.
std::string own_device(const DeviceMemory& memory, Vendor vendor, int node) {
  for (const DeviceMemory::Used& used : memory.used()) {
    if (used.driver != &Driver::of(vendor)) continue;
    const DeviceFacts facts = used.driver->facts();
    return (facts.uuid.empty() ? facts.pci + " of host " + std::to_string(node) : facts.uuid) + "\n" + facts.name;
  }
  return "";
}

void refuse_shared(const std::string& operation, const std::vector<int>& members,
                   const std::vector<std::string>& devices) {
  std::map<std::string, int> ranks;
  for (const int member : members) {
    const std::string& device = devices[static_cast<std::size_t>(member)];
    const auto [known, is_new] = ranks.emplace(device, member);
    if (is_new) continue;
    throw InputError(operation + " can't run: NCCL takes one rank per device, and ranks " +
                     std::to_string(known->second) + " and " + std::to_string(member) + " have the same (" +
                     device.substr(device.find('\n') + 1) +
                     "); use as many ranks as devices (one on one device), or name other devices with device");
  }
}

}  // namespace

void open_nccl(const Agenda& agenda, const DeviceMemory& memory, const Ranks& ranks) {
  const auto own = ranks.world.rank();
  for (const Vendor vendor : {Vendor::cuda, Vendor::hip}) {
    std::vector<std::size_t> points;
    for (std::size_t index = 0; index < agenda.size(); ++index) {
      const bool asks = agenda.operation(index).entry().facts.family == nccl_family &&
                        vendor_of(receive_kind(agenda.point(index))) == vendor;
      if (asks && !agenda.party(index).members.empty()) points.push_back(index);
    }
    if (points.empty()) continue;
    std::string device;
    together(ranks.world, [&] {
      const auto takes_part = [&](std::size_t index) {
        return std::ranges::count(agenda.party(index).members, own) > 0;
      };
      if (!std::ranges::any_of(points, takes_part)) return;
      if (Nccl::opened() != nullptr && Nccl::opened()->vendor() != vendor) {
        throw InputError(
            "operations nccl/* of one launch are in the memory of one vendor's devices; measure memory=cuda "
            "and memory=hip one after the other");
      }
      static_cast<void>(Nccl::of(vendor));
      device = own_device(memory, vendor, ranks.placement.node_of_rank[static_cast<std::size_t>(own)]);
    });
    const std::vector<std::string> devices = gather_texts(ranks.world, device);
    together(ranks.world, [&] {
      if (own != 0) return;
      for (const std::size_t index : points) {
        refuse_shared(agenda.point(index).operation, agenda.party(index).members, devices);
      }
    });
  }
}

}  // namespace groma
