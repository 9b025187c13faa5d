// NCCL, and RCCL for HIP: messages between devices without MPI. They are opened when a plan asks for their operations:
// nothing is linked. Both have the same calls with the same arguments.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "groma/device/driver.hpp"
#include "groma/plan/choices.hpp"

namespace groma {

/// The family of operations that call it (FamilyFacts).
inline constexpr std::string_view nccl_family = "nccl";

/// Whether the library reduces elements of this type, in this way.
bool nccl_reduces(payload::Datatype datatype);
bool nccl_reduces(payload::Reduction reduction);
/// The numbers by which its calls know a type and a reduction of MPI that it has; 0 for others.
int nccl_type(MPI_Datatype type);
int nccl_reduction(MPI_Op reduction);

/// One of the two libraries.
class Nccl {
 public:
  /// What names the ranks that find each other: 128 bytes, handed over by value.
  struct Id {
    std::array<char, 128> bytes;
  };
  using Group = void*;  ///< its own communicator
  struct Calls {
    int (*version)(int*) = nullptr;
    const char* (*error_text)(int) = nullptr;
    int (*make_id)(Id*) = nullptr;
    int (*join)(Group*, int ranks, Id, int rank) = nullptr;
    int (*leave)(Group) = nullptr;
    int (*abandon)(Group) = nullptr;
    int (*error_since)(Group, int*) = nullptr;
    int (*all_reduce)(const void*, void*, std::size_t, int type, int reduction, Group, void* stream) = nullptr;
    int (*broadcast)(const void*, void*, std::size_t, int type, int root, Group, void* stream) = nullptr;
    int (*reduce)(const void*, void*, std::size_t, int type, int reduction, int root, Group, void* stream) = nullptr;
    int (*all_gather)(const void*, void*, std::size_t, int type, Group, void* stream) = nullptr;
    int (*reduce_scatter)(const void*, void*, std::size_t, int type, int reduction, Group, void* stream) = nullptr;
    int (*send)(const void*, std::size_t, int type, int peer, Group, void* stream) = nullptr;
    int (*receive)(void*, std::size_t, int type, int peer, Group, void* stream) = nullptr;
    int (*begin_group)() = nullptr;
    int (*end_group)() = nullptr;
  };

  /// The one for the devices of this vendor, opened by the first call. Throws InputError where it cannot be opened or
  /// is too old.
  static const Nccl& of(Vendor vendor);
  /// The one that this process has opened: a launch uses devices of one vendor with it. Null if none.
  static const Nccl* opened();

  [[nodiscard]] Vendor vendor() const { return vendor_; }
  [[nodiscard]] const Calls& calls() const { return calls_; }
  [[nodiscard]] std::string_view name() const { return vendor_ == Vendor::cuda ? "NCCL" : "RCCL"; }
  [[nodiscard]] std::string version() const;
  /// The file that was opened.
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] std::string error_text(int code) const;

 private:
  explicit Nccl(Vendor vendor);

  Vendor vendor_;
  Calls calls_;
  std::string file_;
};

/// The ranks of an MPI communicator, each with a device, and a stream on this rank's device.
///
/// Each call is put on the stream. The first one that fails is kept, and said by `trouble_of`.
class NcclRanks {
 public:
  /// Made by the first call, with the library that was opened, and kept until the MPI communicator is freed.
  /// Collective. Nothing is called if the ranks could not find each other.
  static NcclRanks& of(MPI_Comm comm);
  /// What went wrong on this rank with the ranks of a communicator, in a sentence; empty if nothing did.
  static std::string trouble_of(MPI_Comm comm);
  NcclRanks(const NcclRanks&) = delete;
  NcclRanks& operator=(const NcclRanks&) = delete;
  ~NcclRanks();

  void all_reduce(const void* send, void* receive, std::size_t count, int type, int reduction) noexcept;
  void reduce(const void* send, void* receive, std::size_t count, int type, int reduction, int root) noexcept;
  void reduce_scatter(const void* send, void* receive, std::size_t count, int type, int reduction) noexcept;
  // The next ones move bytes.
  void broadcast(void* array, std::size_t bytes, int root) noexcept;
  void all_gather(const void* send, void* receive, std::size_t bytes) noexcept;
  void send(const void* array, std::size_t bytes, int to) noexcept;
  void receive(void* array, std::size_t bytes, int from) noexcept;
  /// Between these two, messages are sent and received all at once.
  void begin_group() noexcept;
  void end_group() noexcept;
  /// Until the stream has nothing left to do.
  void wait() noexcept;

 private:
  NcclRanks(MPI_Comm comm, const Nccl& library);
  static NcclRanks* kept_by(MPI_Comm comm);
  [[nodiscard]] std::string trouble() const;
  void join(MPI_Comm comm);
  void keep(const char* call, int code) noexcept {
    if (code == 0 || code_ != 0) return;
    call_ = call;
    code_ = code;
  }

  const Nccl& library_;
  const Nccl::Calls& calls_;
  const Driver& driver_;
  Nccl::Group group_ = nullptr;
  void* stream_ = nullptr;
  const char* call_ = "";  ///< that failed first
  int code_ = 0;
  int driver_code_ = 0;
  std::string refused_;  ///< why the ranks could not find each other
};

}  // namespace groma
