// What a launch says of the devices whose memory it uses: parts of the start record.
#pragma once

#include <cstdint>

#include "groma/schema/member.hpp"

namespace groma::schema {

struct DeviceCopy {
  std::string driver;
  std::int64_t bytes = 0;
  double to_device_ns = 0;
  double to_host_ns = 0;
  double within_device_ns = 0;
  std::optional<double> to_peer_ns;
  std::string peer;
  std::optional<bool> peer_direct;
  static constexpr std::string_view kind = "device_copy";
  static constexpr std::string_view help =
      "One copy by the driver of rank 0's device, until it is done. The host's memory is pinned.";
  static constexpr auto table() {
    return std::tuple{
        member("driver", &DeviceCopy::driver, "`cuda` or `hip`"),
        member("bytes", &DeviceCopy::bytes, "of the copy"),
        member("to_device_ns", &DeviceCopy::to_device_ns, "from the host"),
        member("to_host_ns", &DeviceCopy::to_host_ns, "from the device"),
        member("within_device_ns", &DeviceCopy::within_device_ns, "from one place of the device to another"),
        member("to_peer_ns", &DeviceCopy::to_peer_ns,
               "to another device; null if it sees one, or could not use another"),
        member("peer", &DeviceCopy::peer, "UUID of that device: another rank's, if it can be; empty if there is none"),
        member("peer_direct", &DeviceCopy::peer_direct,
               "whether the driver lets both reach each other's memory: else the copy goes through the host's")};
  }
};

struct NcclLibrary {
  std::string name;
  std::string version;
  std::string file;
  std::string tried;
  static constexpr std::string_view kind = "nccl_library";
  static constexpr std::string_view help = "The library of the operations nccl/*.";
  static constexpr auto table() {
    return std::tuple{member("name", &NcclLibrary::name, "`NCCL` or `RCCL`"),
                      member("version", &NcclLibrary::version, "its own"),
                      member("file", &NcclLibrary::file, "that was opened"),
                      member("tried", &NcclLibrary::tried, "as of a rank_device")};
  }
};

struct DeviceSupport {
  std::string memory_kinds;
  std::optional<bool> cuda;
  std::optional<bool> hip;
  static constexpr std::string_view kind = "device_support";
  static constexpr std::string_view help = "What the MPI library says of messages in the memory of devices.";
  static constexpr auto table() {
    return std::tuple{
        member("memory_kinds", &DeviceSupport::memory_kinds,
               "mpi_memory_alloc_kinds (MPI-4.1), such as `mpi,system,cuda`; empty if it is silent"),
        member("cuda", &DeviceSupport::cuda,
               "MPIX_Query_cuda_support, or MPIX_GPU_query_support; null if it has neither"),
        member("hip", &DeviceSupport::hip, "MPIX_Query_rocm_support, or the same; null if it has neither")};
  }
};

struct RankDevice {
  int rank = 0;
  std::string driver;
  int device = 0;
  std::string name;
  std::string uuid;
  std::string pci;
  std::string version;
  std::string compute_mode;
  std::optional<bool> mps;
  std::optional<bool> ecc;
  std::optional<std::int64_t> clock_khz;
  std::optional<std::int64_t> memory_clock_khz;
  std::int64_t memory_bytes = 0;
  std::optional<int> numa_node;
  std::optional<int> distance;
  double synchronise_ns = 0;
  std::string tried;
  static constexpr std::string_view kind = "rank_device";
  static constexpr std::string_view help = "The device of one rank, as its driver describes it.";
  static constexpr auto table() {
    return std::tuple{
        member("rank", &RankDevice::rank, "of MPI_COMM_WORLD"),
        member("driver", &RankDevice::driver, "`cuda` or `hip`"),
        member("device", &RankDevice::device, "its number among those that the rank sees"),
        member("name", &RankDevice::name, "of the model"),
        member("uuid", &RankDevice::uuid, "32 hexadecimal digits; equal if two ranks have the same device"),
        member("pci", &RankDevice::pci, "its address on the PCI bus, such as 0000:1b:00.0"),
        member("version", &RankDevice::version, "of the driver's interface"),
        member("compute_mode", &RankDevice::compute_mode,
               "`default` if several processes may use it, `exclusive process` or `prohibited`"),
        member("mps", &RankDevice::mps,
               "whether processes share it through a server (MPS); null if the driver is silent"),
        member("ecc", &RankDevice::ecc, "whether its memory corrects errors; null if the driver is silent"),
        member("clock_khz", &RankDevice::clock_khz, "of its processors; null if the driver is silent"),
        member("memory_clock_khz", &RankDevice::memory_clock_khz, "of its memory; null if the driver is silent"),
        member("memory_bytes", &RankDevice::memory_bytes, "of the device"),
        member("numa_node", &RankDevice::numa_node, "to which it is attached; null if the kernel does not say"),
        member("distance", &RankDevice::distance,
               "from the rank's NUMA node to the device's, as the kernel gives it: 10 is the same node; null if the "
               "kernel does not say"),
        member("synchronise_ns", &RankDevice::synchronise_ns,
               "what waiting for an idle device takes, before the first and after the last stamp of a batch"),
        member("tried", &RankDevice::tried,
               "`never tried on a device` if Groma's use of this driver was only ever tested "
               "on a stand-in; else empty")};
  }
};

}  // namespace groma::schema
