#include "groma/device/nccl.hpp"

#include <dlfcn.h>

#include <memory>
#include <optional>
#include <span>

#include "groma/buffers/arrays.hpp"
#include "groma/errors.hpp"

namespace groma {
namespace {

constexpr int bytes_of_any_type = 0;  // the number of its type of one byte

std::span<const char* const> files_of(Vendor vendor) {
  static constexpr const char* nccl[] = {"libnccl.so.2"};
  static constexpr const char* rccl[] = {"librccl.so.1", "librccl.so"};
  if (vendor == Vendor::cuda) return nccl;
  return rccl;
}

std::array<std::unique_ptr<const Nccl>, 2>& libraries() {
  static std::array<std::unique_ptr<const Nccl>, 2> opened;
  return opened;
}

int free_with_communicator(MPI_Comm, int, void* ranks, void*) {
  delete static_cast<NcclRanks*>(ranks);
  return MPI_SUCCESS;
}

/// Under which a communicator keeps its ranks with devices.
int key_of_ranks() {
  static int key = MPI_KEYVAL_INVALID;
  if (key == MPI_KEYVAL_INVALID) MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &free_with_communicator, &key, nullptr);
  return key;
}

/// The library's number of a type; nothing for those that it has not.
constexpr std::optional<int> type_number(payload::Datatype datatype) {
  switch (datatype) {
    case payload::Datatype::character:
      return 0;
    case payload::Datatype::byte:
      return 1;
    case payload::Datatype::int32:
      return 2;
    case payload::Datatype::int64:
      return 4;
    case payload::Datatype::float16:
      return 6;
    case payload::Datatype::single_precision:
      return 7;
    case payload::Datatype::double_precision:
      return 8;
    case payload::Datatype::bfloat16:
      return 9;
    case payload::Datatype::single_complex:
    case payload::Datatype::double_complex:
    case payload::Datatype::int_at:
    case payload::Datatype::double_at:
      break;
  }
  return std::nullopt;
}

}  // namespace

bool nccl_reduces(payload::Datatype datatype) {
  return datatype != payload::Datatype::byte && type_number(datatype).has_value();
}

bool nccl_reduces(payload::Reduction reduction) {
  return reduction == payload::Reduction::sum || reduction == payload::Reduction::max;
}

int nccl_type(MPI_Datatype type) {
  for (std::size_t at = 0; at < std::size(payload::datatypes); ++at) {
    const auto datatype = static_cast<payload::Datatype>(at);
    if (mpi_type(datatype) == type) return type_number(datatype).value_or(0);
  }
  return 0;
}

int nccl_reduction(MPI_Op reduction) { return reduction == MPI_MAX ? 2 : 0; }

const Nccl& Nccl::of(Vendor vendor) {
  std::unique_ptr<const Nccl>& one = libraries()[static_cast<std::size_t>(vendor)];
  if (!one) one.reset(new Nccl(vendor));
  return *one;
}

const Nccl* Nccl::opened() {
  const auto& [cuda, hip] = libraries();
  return cuda ? cuda.get() : hip.get();
}

Nccl::Nccl(Vendor vendor) : vendor_(vendor) {
  void* library = nullptr;
  for (const char* file : files_of(vendor)) {
    if (library == nullptr) library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  }
  const std::string first = files_of(vendor).front();
  if (library == nullptr) {
    throw InputError("operations nccl/* need " + std::string(name()) + ", and " + first +
                     " can't be opened; install it (LD_LIBRARY_PATH says where it is), or leave them out");
  }
  auto find = [&]<class Call>(Call& call, const char* entry) {
    call = reinterpret_cast<Call>(dlsym(library, entry));
    if (call == nullptr) {
      throw InputError(std::string(name()) + " is too old: " + first + " has no " + entry +
                       "; use 2.7 or newer, or leave nccl/* out");
    }
  };
  find(calls_.version, "ncclGetVersion");
  find(calls_.error_text, "ncclGetErrorString");
  find(calls_.make_id, "ncclGetUniqueId");
  find(calls_.join, "ncclCommInitRank");
  find(calls_.leave, "ncclCommDestroy");
  find(calls_.abandon, "ncclCommAbort");
  find(calls_.error_since, "ncclCommGetAsyncError");
  find(calls_.all_reduce, "ncclAllReduce");
  find(calls_.broadcast, "ncclBroadcast");
  find(calls_.reduce, "ncclReduce");
  find(calls_.all_gather, "ncclAllGather");
  find(calls_.reduce_scatter, "ncclReduceScatter");
  find(calls_.send, "ncclSend");
  find(calls_.receive, "ncclRecv");
  find(calls_.begin_group, "ncclGroupStart");
  find(calls_.end_group, "ncclGroupEnd");
  Dl_info found{};
  if (dladdr(reinterpret_cast<void*>(calls_.version), &found) != 0 && found.dli_fname != nullptr) {
    file_ = found.dli_fname;
  }
}

std::string Nccl::version() const {
  int number = 0;
  if (calls_.version(&number) != 0) return "";
  const int unit = number >= 10'000 ? 10'000 : 1'000;  // since 2.9 a minor version has two digits
  return std::to_string(number / unit) + "." + std::to_string(number % unit / 100) + "." + std::to_string(number % 100);
}

std::string Nccl::error_text(int code) const {
  const char* text = calls_.error_text(code);
  return std::string(text == nullptr ? "an unknown error" : text) + " (" + std::to_string(code) + ")";
}

NcclRanks* NcclRanks::kept_by(MPI_Comm comm) {
  void* kept = nullptr;
  int there = 0;
  MPI_Comm_get_attr(comm, key_of_ranks(), static_cast<void*>(&kept), &there);
  return there == 0 ? nullptr : static_cast<NcclRanks*>(kept);
}

NcclRanks& NcclRanks::of(MPI_Comm comm) {
  if (NcclRanks* kept = kept_by(comm)) return *kept;
  auto* made = new NcclRanks(comm, *Nccl::opened());
  MPI_Comm_set_attr(comm, key_of_ranks(), made);
  return *made;
}

std::string NcclRanks::trouble_of(MPI_Comm comm) {
  const NcclRanks* kept = kept_by(comm);
  return kept == nullptr ? "" : kept->trouble();
}

NcclRanks::NcclRanks(MPI_Comm comm, const Nccl& library)
    : library_(library), calls_(library.calls()), driver_(Driver::of(library.vendor())) {
  try {
    stream_ = driver_.make_stream();
  } catch (const DeviceError& error) {
    refused_ = error.what();
  }
  join(comm);
}

/// Either all ranks have found each other, or none calls.
void NcclRanks::join(MPI_Comm comm) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const auto failed_anywhere = [&] {
    int failed = refused_.empty() ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, comm);
    return failed != 0;
  };
  Nccl::Id id{};
  int code = rank == 0 ? calls_.make_id(&id) : 0;
  if (code != 0) refused_ = "ncclGetUniqueId: " + library_.error_text(code);
  MPI_Bcast(id.bytes.data(), static_cast<int>(id.bytes.size()), MPI_CHAR, 0, comm);
  if (failed_anywhere()) return;
  code = calls_.join(&group_, ranks, id, rank);
  if (code != 0) {
    refused_ = "ncclCommInitRank: " + library_.error_text(code);
    group_ = nullptr;
  }
  if (failed_anywhere() && group_ != nullptr) {
    calls_.abandon(group_);
    group_ = nullptr;
  }
}

NcclRanks::~NcclRanks() {
  if (group_ != nullptr) code_ == 0 && driver_code_ == 0 ? calls_.leave(group_) : calls_.abandon(group_);
  if (stream_ != nullptr) driver_.release_stream(stream_);
}

void NcclRanks::all_reduce(const void* send, void* receive, std::size_t count, int type, int reduction) noexcept {
  if (group_ == nullptr) return;
  keep("ncclAllReduce", calls_.all_reduce(send, receive, count, type, reduction, group_, stream_));
}

void NcclRanks::reduce(const void* send, void* receive, std::size_t count, int type, int reduction, int root) noexcept {
  if (group_ == nullptr) return;
  keep("ncclReduce", calls_.reduce(send, receive, count, type, reduction, root, group_, stream_));
}

void NcclRanks::reduce_scatter(const void* send, void* receive, std::size_t count, int type, int reduction) noexcept {
  if (group_ == nullptr) return;
  keep("ncclReduceScatter", calls_.reduce_scatter(send, receive, count, type, reduction, group_, stream_));
}

void NcclRanks::broadcast(void* array, std::size_t bytes, int root) noexcept {
  if (group_ == nullptr) return;
  keep("ncclBroadcast", calls_.broadcast(array, array, bytes, bytes_of_any_type, root, group_, stream_));
}

void NcclRanks::all_gather(const void* send, void* receive, std::size_t bytes) noexcept {
  if (group_ == nullptr) return;
  keep("ncclAllGather", calls_.all_gather(send, receive, bytes, bytes_of_any_type, group_, stream_));
}

void NcclRanks::send(const void* array, std::size_t bytes, int to) noexcept {
  if (group_ == nullptr) return;
  keep("ncclSend", calls_.send(array, bytes, bytes_of_any_type, to, group_, stream_));
}

void NcclRanks::receive(void* array, std::size_t bytes, int from) noexcept {
  if (group_ == nullptr) return;
  keep("ncclRecv", calls_.receive(array, bytes, bytes_of_any_type, from, group_, stream_));
}

void NcclRanks::begin_group() noexcept { keep("ncclGroupStart", calls_.begin_group()); }

void NcclRanks::end_group() noexcept { keep("ncclGroupEnd", calls_.end_group()); }

void NcclRanks::wait() noexcept {
  const int code = stream_ == nullptr ? 0 : driver_.wait_for(stream_);
  if (driver_code_ == 0) driver_code_ = code;
}

std::string NcclRanks::trouble() const {
  const auto said = [this](const std::string& what) {
    return std::string(library_.name()) + " " + what + "; NCCL_DEBUG=WARN has it say why";
  };
  if (!refused_.empty()) return said(refused_);
  if (code_ != 0) return said(call_ + (": " + library_.error_text(code_)));
  if (driver_code_ != 0) return said("can't wait for its stream: " + driver_.error_text(driver_code_));
  int since = 0;
  if (group_ == nullptr || calls_.error_since(group_, &since) != 0 || since == 0) return "";
  return said("failed on the device: " + library_.error_text(since));
}

}  // namespace groma
