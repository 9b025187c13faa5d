#include "groma/device/driver.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>

#include "groma/errors.hpp"

namespace groma {

using payload::MemoryKind;

namespace {

constexpr int no_device = 100;  // of both drivers

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

/// What a vendor calls the library, its entry points, and the attributes of a device.
struct Driver::Names {
  std::string_view vendor;
  std::span<const char* const> libraries;
  std::array<const char*, 31> entries;              ///< in the order of Calls; null where it has none
  int ecc, compute_mode, clock, memory_clock, mps;  ///< -1 if it has none
};

const Driver::Names& Driver::names_of(Vendor vendor) {
  static constexpr const char* cuda_libraries[] = {"libcuda.so.1"};
  static constexpr const char* hip_libraries[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                                                  "libamdhip64.so"};
  static constexpr Names cuda{"CUDA",
                              cuda_libraries,
                              {"cuInit",
                               "cuDriverGetVersion",
                               "cuDeviceGetCount",
                               "cuDeviceGetName",
                               "cuDeviceGetUuid",
                               "cuDeviceGetPCIBusId",
                               "cuDeviceGetAttribute",
                               "cuMemGetInfo_v2",
                               "cuMemAlloc_v2",
                               "cuMemAllocManaged",
                               "cuMemHostAlloc",
                               "cuMemFree_v2",
                               "cuMemFreeHost",
                               "cuMemcpyHtoD_v2",
                               "cuMemcpyDtoH_v2",
                               "cuMemcpyDtoD_v2",
                               "cuMemsetD8_v2",
                               "cuCtxSynchronize",
                               "cuGetErrorName",
                               "cuStreamCreate",
                               "cuStreamSynchronize",
                               "cuStreamDestroy_v2",
                               "cuDevicePrimaryCtxRetain",
                               "cuCtxSetCurrent",
                               nullptr,
                               "cuDevicePrimaryCtxRelease",
                               "cuDeviceCanAccessPeer",
                               "cuCtxEnablePeerAccess",
                               "cuMemcpyPeer",
                               nullptr,
                               nullptr},
                              32,
                              20,
                              13,
                              36,
                              133};
  static constexpr Names hip{"HIP",
                             hip_libraries,
                             {"hipInit",
                              "hipDriverGetVersion",
                              "hipGetDeviceCount",
                              "hipDeviceGetName",
                              "hipDeviceGetUuid",
                              "hipDeviceGetPCIBusId",
                              "hipDeviceGetAttribute",
                              "hipMemGetInfo",
                              "hipMalloc",
                              "hipMallocManaged",
                              "hipHostMalloc",
                              "hipFree",
                              "hipHostFree",
                              "hipMemcpyHtoD",
                              "hipMemcpyDtoH",
                              "hipMemcpyDtoD",
                              "hipMemsetD8",
                              "hipDeviceSynchronize",
                              "hipDrvGetErrorName",
                              "hipStreamCreateWithFlags",
                              "hipStreamSynchronize",
                              "hipStreamDestroy",
                              nullptr,
                              nullptr,
                              "hipSetDevice",
                              nullptr,
                              "hipDeviceCanAccessPeer",
                              nullptr,
                              nullptr,
                              "hipDeviceEnablePeerAccess",
                              "hipMemcpyPeer"},
                             0,
                             6,
                             5,
                             -1,
                             -1};
  return vendor == Vendor::cuda ? cuda : hip;
}

Driver& Driver::of(Vendor vendor) {
  static std::array<std::unique_ptr<Driver>, 2> opened;
  std::unique_ptr<Driver>& one = opened[static_cast<std::size_t>(vendor)];
  if (!one) one.reset(new Driver(vendor));
  return *one;
}

Driver::Driver(Vendor vendor) : vendor_(vendor) {
  load();
  const std::string name(names_of(vendor).vendor);
  int code = calls_.start(0);
  if (code == 0) code = calls_.count(&devices_);
  if (code == no_device || (code == 0 && devices_ == 0)) {
    throw InputError("the driver of " + name +
                     " sees no device here; run where there is one (and look at CUDA_VISIBLE_DEVICES or "
                     "HIP_VISIBLE_DEVICES), or use memory=host");
  }
  if (code != 0) {
    throw InputError("the driver of " + name + " can't be started: " + error_text(code) +
                     "; look whether it fits the device and the kernel, or use memory=host");
  }
}

/// Opens the library and finds every entry point.
void Driver::load() {
  const Names& names = names_of(vendor_);
  void* library = nullptr;
  for (const char* file : names.libraries) {
    if (library == nullptr) library = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
  }
  if (library == nullptr) {
    throw InputError("memory of " + std::string(names.vendor) + " needs its driver, and " + names.libraries.front() +
                     " can't be opened; install the driver (LD_LIBRARY_PATH says where it is), or use memory=host");
  }
  auto find = [&, next = names.entries.begin()]<class Call>(Call& call) mutable {
    const char* entry = *next++;
    if (entry == nullptr) return;
    call = reinterpret_cast<Call>(dlsym(library, entry));
    if (call == nullptr) {
      throw InputError("the driver of " + std::string(names.vendor) + " is too old: " + names.libraries.front() +
                       " has no " + entry + "; use a newer one (CUDA 9.2, ROCm 5.4), or memory=host");
    }
  };
  Calls& c = calls_;
  find(c.start), find(c.version), find(c.count), find(c.name), find(c.uuid), find(c.pci), find(c.attribute);
  find(c.memory), find(c.allocate), find(c.allocate_managed), find(c.allocate_pinned), find(c.release);
  find(c.release_pinned), find(c.to_device), find(c.to_host), find(c.within_device), find(c.fill);
  find(c.synchronise), find(c.error_name), find(c.make_stream), find(c.wait_for), find(c.release_stream),
      find(c.retain), find(c.make_current), find(c.set_device);
  find(c.release_context), find(c.can_reach), find(c.reach_context), find(c.copy_to_context);
  find(c.reach_device), find(c.copy_to_device);
}

std::string Driver::error_text(int code) const {
  const char* name = nullptr;
  if (calls_.error_name(code, &name) != 0 || name == nullptr) name = "an unknown error";
  return std::string(name) + " (" + std::to_string(code) + ")";
}

void Driver::done(int code, std::string_view call) const {
  if (code == 0) return;
  throw DeviceError(std::string(names_of(vendor_).vendor) + " " + std::string(call) + ": " + error_text(code));
}

void Driver::use(int device) {
  device_ = device;
  const std::string what = "can't use device " + std::to_string(device);
  if (calls_.retain != nullptr) done(calls_.retain(&context_, device), what);
  done(make_current(device, context_), what);
}

int Driver::make_current(int device, void* context) const {
  return calls_.set_device != nullptr ? calls_.set_device(device) : calls_.make_current(context);
}

Driver::Peer::Peer(const Driver& driver, int device, std::size_t bytes) : driver_(driver), device_(device) {
  const Calls& calls = driver.calls_;
  const std::string what = "can't use device " + std::to_string(device);
  if (calls.retain != nullptr) driver.done(calls.retain(&context_, device), what);
  int code = driver.make_current(device, context_);
  void* start = nullptr;
  if (code == 0) code = calls.allocate(&start, bytes);
  start_ = static_cast<std::byte*>(start);
  static_cast<void>(driver.make_current(driver.device_, driver.context_));
  if (code != 0) {
    if (calls.release_context != nullptr) calls.release_context(device);
    driver.done(code, what);
  }
  int can = 0;
  constexpr int reached_before = 704;
  if (calls.can_reach(&can, driver.device_, device) != 0 || can == 0) return;
  code = calls.reach_device != nullptr ? calls.reach_device(device, 0) : calls.reach_context(context_, 0);
  direct_ = code == 0 || code == reached_before;
}

Driver::Peer::~Peer() {
  const Calls& calls = driver_.calls_;
  static_cast<void>(driver_.make_current(device_, context_));
  calls.release(start_);
  static_cast<void>(driver_.make_current(driver_.device_, driver_.context_));
  if (calls.release_context != nullptr) calls.release_context(device_);
}

void Driver::Peer::take(const std::byte* from, std::size_t bytes) const {
  const Calls& calls = driver_.calls_;
  driver_.done(calls.copy_to_device != nullptr ? calls.copy_to_device(start_, device_, from, driver_.device_, bytes)
                                               : calls.copy_to_context(start_, context_, from, driver_.context_, bytes),
               "can't copy to another device");
  driver_.synchronise();
}

std::optional<int> Driver::attribute(int number) const {
  int value = 0;
  if (number < 0 || calls_.attribute(&value, number, device_) != 0) return std::nullopt;
  return value;
}

std::string Driver::uuid_of(int device) const {
  std::string found;
  std::array<unsigned char, 16> uuid{};
  if (calls_.uuid(uuid.data(), device) != 0) return found;
  for (const unsigned char byte : uuid) {
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", byte);
    found += digits.data();
  }
  return found;
}

DeviceFacts Driver::facts() const {
  static constexpr std::string_view modes[] = {"default", "exclusive thread", "prohibited", "exclusive process"};
  const Names& names = names_of(vendor_);
  DeviceFacts facts;
  std::array<char, 256> text{};
  if (calls_.name(text.data(), text.size(), device_) == 0) facts.name = text.data();
  if (calls_.pci(text.data(), text.size(), device_) == 0) facts.pci = text.data();
  std::ranges::transform(facts.pci, facts.pci.begin(), [](unsigned char one) { return std::tolower(one); });
  facts.uuid = uuid_of(device_);
  int version = 0;
  if (calls_.version(&version) == 0) {
    facts.driver =
        std::string(names.vendor) + " " + (vendor_ == Vendor::cuda ? version_text(version) : std::to_string(version));
  }
  if (const auto mode = attribute(names.compute_mode); mode && *mode >= 0 && *mode < 4)
    facts.compute_mode = modes[*mode];
  if (const auto shared = attribute(names.mps)) facts.mps = *shared != 0;
  if (const auto corrects = attribute(names.ecc)) facts.ecc = *corrects != 0;
  facts.clock_khz = attribute(names.clock);
  facts.memory_clock_khz = attribute(names.memory_clock);
  std::size_t left = 0;
  std::size_t all = 0;
  if (calls_.memory(&left, &all) == 0) facts.memory_bytes = static_cast<std::int64_t>(all);
  return facts;
}

std::byte* Driver::allocate(MemoryKind kind, std::size_t bytes) const {
  constexpr unsigned for_all = 1;  // portable pinned memory, and managed memory that any stream may use
  void* start = nullptr;
  const std::string what = "can't allocate " + std::to_string(bytes) + " bytes";
  if (kind == MemoryKind::pinned) {
    done(calls_.allocate_pinned(&start, bytes, for_all), what);
  } else if (kind == MemoryKind::cuda_managed || kind == MemoryKind::hip_managed) {
    done(calls_.allocate_managed(&start, bytes, for_all), what);
  } else {
    done(calls_.allocate(&start, bytes), what);
  }
  // Every page is written, managed ones by the device, which then has them.
  constexpr unsigned char pattern = 0x5A;
  if (kind == MemoryKind::pinned) {
    std::memset(start, pattern, bytes);
  } else {
    done(calls_.fill(start, pattern, bytes), "can't write its memory");
  }
  return static_cast<std::byte*>(start);
}

void Driver::release(MemoryKind kind, std::byte* start) const noexcept {
  kind == MemoryKind::pinned ? calls_.release_pinned(start) : calls_.release(start);
}

void Driver::to_device(std::byte* to, const std::byte* from, std::size_t bytes) const {
  done(calls_.to_device(to, from, bytes), "can't copy to the device");
}

void Driver::to_host(std::byte* to, const std::byte* from, std::size_t bytes) const {
  done(calls_.to_host(to, from, bytes), "can't copy from the device");
}

void Driver::within_device(std::byte* to, const std::byte* from, std::size_t bytes) const {
  done(calls_.within_device(to, from, bytes), "can't copy within the device");
}

void* Driver::make_stream() const {
  constexpr unsigned by_itself = 1;
  void* stream = nullptr;
  done(calls_.make_stream(&stream, by_itself), "can't make a stream");
  return stream;
}

void Driver::synchronise() const { done(calls_.synchronise(), "can't wait for the device"); }

Driver& driver_of(MemoryKind kind) {
  if (kind != MemoryKind::pinned) return Driver::of(vendor_of(kind));
  try {
    return Driver::of(Vendor::cuda);
  } catch (const InputError& none) {
    try {
      return Driver::of(Vendor::hip);
    } catch (const InputError&) {
      throw none;
    }
  }
}

}  // namespace groma
