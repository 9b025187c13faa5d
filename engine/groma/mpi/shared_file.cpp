#include "groma/mpi/shared_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "groma/mpi/handles.hpp"

namespace groma {
namespace {

/// Names of the files that this process made and has not removed.
constinit std::array<std::atomic<const char*>, 1024> left_files{};

void note_file(const char* name) {
  for (auto& one : left_files) {
    const char* none = nullptr;
    if (one.compare_exchange_strong(none, name)) return;
  }
}
void forget_file(const char* name) {
  for (auto& one : left_files) {
    const char* noted = name;
    if (one.compare_exchange_strong(noted, nullptr)) return;
  }
}

std::string system_error(int code) { return std::strerror(code); }  // NOLINT(concurrency-mt-unsafe): one thread

/// What makes MPI_File_seek count from the start, tried with a file of one byte; MPI_SEEK_SET if no file can be made.
int whence_of_start(std::string name) {
  const int descriptor = mkstemp(name.data());
  if (descriptor < 0) return MPI_SEEK_SET;
  note_file(name.c_str());
  MPI_File file = MPI_FILE_NULL;
  int found = MPI_SEEK_SET;
  if (ftruncate(descriptor, 1) == 0 &&
      MPI_File_open(MPI_COMM_SELF, name.c_str(), MPI_MODE_RDWR, MPI_INFO_NULL, &file) == MPI_SUCCESS) {
    for (const int whence : {MPI_SEEK_SET, MPI_SEEK_CUR, MPI_SEEK_END}) {
      MPI_Offset position = 0;
      MPI_File_seek(file, 3, whence);
      MPI_File_seek(file, 2, whence);
      MPI_File_get_position(file, &position);
      if (position != 2) continue;
      found = whence;
      break;
    }
    MPI_File_close(&file);
  }
  ::close(descriptor);
  unlink(name.c_str());
  forget_file(name.c_str());
  return found;
}

/// The text of the first rank, on every rank.
std::string from_first_rank(std::string text, MPI_Comm comm) {
  auto length = static_cast<std::int64_t>(text.size());
  MPI_Bcast(&length, 1, MPI_INT64_T, 0, comm);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, 0, comm);
  return text;
}

struct FileSystem {
  std::uint64_t magic;
  const char* name;
};
// statfs(2)
constexpr FileSystem file_systems[] = {
    {0xEF53, "ext"},        {0x01021994, "tmpfs"}, {0x58465342, "xfs"},    {0x9123683E, "btrfs"},
    {0x2FC12FC1, "zfs"},    {0x6969, "nfs"},       {0xFF534D42, "cifs"},   {0x794C7630, "overlayfs"},
    {0x0BD00BD0, "lustre"}, {0x47504653, "gpfs"},  {0x19830326, "beegfs"}, {0x00C36400, "ceph"},
    {0x65735546, "fuse"},   {0x01021997, "9p"},    {0xF2F52010, "f2fs"},   {0x858458F6, "ramfs"}};

std::string system_of(int descriptor) {
  struct statfs found {};
  if (fstatfs(descriptor, &found) != 0) return "unknown";
  const auto magic = static_cast<std::uint64_t>(found.f_type) & 0xFFFFFFFFU;
  const auto* known = std::ranges::find(file_systems, magic, &FileSystem::magic);
  if (known != std::end(file_systems)) return known->name;
  std::array<char, 20> text{};
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(magic));
  return text.data();
}

/// The share of a file's pages that are in memory; 1 if the system does not say.
double cached_share_of(int descriptor) {
  struct stat found {};
  if (fstat(descriptor, &found) != 0 || found.st_size == 0) return 1;
  const auto length = static_cast<std::size_t>(found.st_size);
  void* mapped = mmap(nullptr, length, PROT_READ, MAP_SHARED, descriptor, 0);
  if (mapped == MAP_FAILED) return 1;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages((length + page - 1) / page);
  const bool known = mincore(mapped, length, pages.data()) == 0;
  munmap(mapped, length);
  if (!known) return 1;
  const auto in_memory = std::ranges::count_if(pages, [](unsigned char one) { return (one & 1U) != 0; });
  return static_cast<double>(in_memory) / static_cast<double>(pages.size());
}

}  // namespace

void remove_left_files() noexcept {
  for (auto& one : left_files) {
    if (const char* name = one.exchange(nullptr)) unlink(name);
  }
}

std::string SharedFile::folder_for(const std::string& asked) {
  if (!asked.empty()) return asked;
  const char* own = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe): read only
  return own == nullptr || *own == '\0' ? "/tmp" : own;
}

std::string SharedFile::refusal(const std::string& folder) {
  struct stat found {};
  if (stat(folder.c_str(), &found) != 0) return system_error(errno);
  if (!S_ISDIR(found.st_mode)) return "it is no folder";
  return access(folder.c_str(), W_OK | X_OK) == 0 ? "" : system_error(errno);
}

void SharedFile::make(MPI_Comm comm, const std::string& folder) {
  comm_ = comm;
  // A file that becomes too long for its process is an error of the call, as a full disk is, and not the end.
  std::signal(SIGXFSZ, SIG_IGN);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::string made = folder_for(folder) + "/groma-XXXXXX";
  static const int known = whence_of_start(made);
  from_start_ = known;
  if (rank == 0) {
    const int descriptor = mkstemp(made.data());
    if (descriptor < 0) complain("no file can be made in " + folder_for(folder) + ": " + system_error(errno));
    if (descriptor >= 0) ::close(descriptor);
    if (descriptor < 0) made.clear();
  }
  name_ = from_first_rank(made, comm);
  if (name_.empty()) return;
  if (rank == 0) note_file(name_.c_str());
  int seen = access(name_.c_str(), R_OK | W_OK) == 0 ? 1 : 0;
  if (seen == 0) {
    complain(name_ +
             " was made on another host and is not there on this one; set file_folder to a folder that all "
             "hosts share");
  }
  MPI_Allreduce(MPI_IN_PLACE, &seen, 1, MPI_INT, MPI_MIN, comm);
  if (seen == 1) open();
}

void SharedFile::open() {
  if (name_.empty()) return;
  keep(MPI_File_open(comm_, name_.c_str(), MPI_MODE_RDWR, MPI_INFO_NULL, &handle_));
  descriptor_ = ::open(name_.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor_ < 0) keep_errno(errno);
}

void SharedFile::close() {
  if (handle_ != MPI_FILE_NULL) keep(MPI_File_close(&handle_));
  handle_ = MPI_FILE_NULL;
  if (descriptor_ >= 0 && ::close(descriptor_) != 0) keep_errno(errno);
  descriptor_ = -1;
}

void SharedFile::remove() {
  close();
  int rank = 0;
  MPI_Barrier(comm_);
  MPI_Comm_rank(comm_, &rank);
  if (rank != 0 || name_.empty()) return;
  unlink(name_.c_str());
  forget_file(name_.c_str());
}

void SharedFile::write(std::span<const std::byte> bytes, std::int64_t offset) {
  if (!trouble_.empty()) return;  // nothing more where the file cannot hold it
  while (!bytes.empty()) {
    const ssize_t done = pwrite(descriptor_, bytes.data(), bytes.size(), offset);
    if (done <= 0) return keep_errno(done < 0 ? errno : ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    offset += done;
  }
}

void SharedFile::read(std::span<std::byte> bytes, std::int64_t offset) {
  while (!bytes.empty()) {
    const ssize_t done = pread(descriptor_, bytes.data(), bytes.size(), offset);
    if (done < 0) return keep_errno(errno);
    if (done == 0) return complain("the file ends before the last byte that was written to it");
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    offset += done;
  }
}

void SharedFile::flush() {
  if (fsync(descriptor_) != 0) keep_errno(errno);
}

void SharedFile::drop() const noexcept { posix_fadvise(descriptor_, 0, 0, POSIX_FADV_DONTNEED); }

FileFacts SharedFile::facts(bool dropped) const {
  return {.system = system_of(descriptor_), .cached_share = dropped ? cached_share_of(descriptor_) : -1};
}

std::string SharedFile::trouble() const {
  if (errno_ != 0) return name_ + ": " + system_error(errno_);
  std::string text = mpi_error_ == MPI_SUCCESS ? trouble_ : name_ + ": " + error_text(mpi_error_);
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace groma
