// Drivers of devices with memory of their own, opened when a plan asks for such memory: nothing is linked. libcuda and
// libamdhip64 have the calls that Groma needs with the same arguments, so one table of entry points serves both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "groma/plan/choices.hpp"

namespace groma {

/// A call of a driver that failed: which, and why, in the driver's words.
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Vendor { cuda, hip };

/// What a driver says of one of its devices; nothing for what it does not say.
struct DeviceFacts {
  std::string name;
  std::string uuid;  ///< 32 hexadecimal digits
  std::string pci;   ///< such as 0000:1b:00.0
  std::string driver;
  std::string compute_mode;
  std::optional<bool> mps;  ///< contexts of several processes share the device through a server (MPS)
  std::optional<bool> ecc;
  std::optional<std::int64_t> clock_khz;
  std::optional<std::int64_t> memory_clock_khz;
  std::int64_t memory_bytes = 0;
};

class Driver {
 public:
  /// The driver of this vendor, opened by the first call. Throws InputError where it cannot be opened, is too old, or
  /// sees no device.
  static Driver& of(Vendor vendor);

  [[nodiscard]] int devices() const { return devices_; }
  /// Of its own memory.
  [[nodiscard]] payload::MemoryKind kind() const {
    return vendor_ == Vendor::cuda ? payload::MemoryKind::cuda : payload::MemoryKind::hip;
  }
  /// Everything below is of this device from now on.
  void use(int device);
  [[nodiscard]] DeviceFacts facts() const;

  /// Memory of a kind that this driver has. Throws DeviceError.
  [[nodiscard]] std::byte* allocate(payload::MemoryKind kind, std::size_t bytes) const;
  void release(payload::MemoryKind kind, std::byte* start) const noexcept;
  void to_device(std::byte* to, const std::byte* from, std::size_t bytes) const;
  void to_host(std::byte* to, const std::byte* from, std::size_t bytes) const;
  /// May return before the copy is done.
  void within_device(std::byte* to, const std::byte* from, std::size_t bytes) const;
  /// Until all work of this process on the device is done, on whatever stream.
  void synchronise() const;

  /// Another device of this driver, with memory to which this one copies.
  class Peer {
   public:
    /// Throws DeviceError, where the device takes no other process for instance.
    Peer(const Driver& driver, int device, std::size_t bytes);
    ~Peer();
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;
    /// From this driver's own device, and done when it returns.
    void take(const std::byte* from, std::size_t bytes) const;
    /// True if the devices reach each other's memory without the host's.
    [[nodiscard]] bool direct() const { return direct_; }

   private:
    const Driver& driver_;
    int device_;
    void* context_ = nullptr;
    std::byte* start_ = nullptr;
    bool direct_ = false;
  };
  /// 32 hexadecimal digits; empty if the driver does not say.
  [[nodiscard]] std::string uuid_of(int device) const;

  /// A stream that waits for no other one.
  [[nodiscard]] void* make_stream() const;
  void release_stream(void* stream) const noexcept { calls_.release_stream(stream); }
  /// Until what was put on the stream is done; the driver's code, 0 if all is well.
  [[nodiscard]] int wait_for(void* stream) const noexcept { return calls_.wait_for(stream); }
  [[nodiscard]] std::string error_text(int code) const;

 private:
  struct Calls {
    int (*start)(unsigned) = nullptr;
    int (*version)(int*) = nullptr;
    int (*count)(int*) = nullptr;
    int (*name)(char*, int, int) = nullptr;
    int (*uuid)(unsigned char*, int) = nullptr;
    int (*pci)(char*, int, int) = nullptr;
    int (*attribute)(int*, int, int) = nullptr;
    int (*memory)(std::size_t*, std::size_t*) = nullptr;
    int (*allocate)(void**, std::size_t) = nullptr;
    int (*allocate_managed)(void**, std::size_t, unsigned) = nullptr;
    int (*allocate_pinned)(void**, std::size_t, unsigned) = nullptr;
    int (*release)(void*) = nullptr;
    int (*release_pinned)(void*) = nullptr;
    int (*to_device)(void*, const void*, std::size_t) = nullptr;
    int (*to_host)(void*, const void*, std::size_t) = nullptr;
    int (*within_device)(void*, const void*, std::size_t) = nullptr;
    int (*fill)(void*, unsigned char, std::size_t) = nullptr;
    int (*synchronise)() = nullptr;
    int (*error_name)(int, const char**) = nullptr;
    int (*make_stream)(void**, unsigned) = nullptr;
    int (*wait_for)(void*) = nullptr;
    int (*release_stream)(void*) = nullptr;
    // Only CUDA has contexts, and only HIP a device that is set.
    int (*retain)(void**, int) = nullptr;
    int (*make_current)(void*) = nullptr;
    int (*set_device)(int) = nullptr;
    int (*release_context)(int) = nullptr;
    // A peer is a context of CUDA's, and the number of a device of HIP.
    int (*can_reach)(int*, int, int) = nullptr;
    int (*reach_context)(void*, unsigned) = nullptr;
    int (*copy_to_context)(void*, void*, const void*, void*, std::size_t) = nullptr;
    int (*reach_device)(int, unsigned) = nullptr;
    int (*copy_to_device)(void*, int, const void*, int, std::size_t) = nullptr;
  };
  struct Names;
  static const Names& names_of(Vendor vendor);

  explicit Driver(Vendor vendor);
  void load();
  void done(int code, std::string_view call) const;
  [[nodiscard]] int make_current(int device, void* context) const;
  [[nodiscard]] std::optional<int> attribute(int number) const;

  Vendor vendor_;
  Calls calls_;
  int devices_ = 0;
  int device_ = 0;
  void* context_ = nullptr;  ///< null where the driver has none
};

/// The driver's vendor of a kind of memory of devices.
constexpr Vendor vendor_of(payload::MemoryKind kind) {
  const bool hip = kind == payload::MemoryKind::hip || kind == payload::MemoryKind::hip_managed;
  return hip ? Vendor::hip : Vendor::cuda;
}

/// The driver of a kind of memory that is not plain host memory; pinned memory is of whichever driver opens.
Driver& driver_of(payload::MemoryKind kind);

}  // namespace groma
