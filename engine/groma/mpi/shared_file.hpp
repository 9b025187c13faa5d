// A file that the ranks of a communicator write and read, by MPI and by the system's own calls. It is removed with the
// operation that has it, or by the watchdog.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace groma {

/// What a rank found out about its file.
struct FileFacts {
  std::string system;  ///< kind of the file system, such as tmpfs
  double cached_share =
      -1;  ///< of the file's pages in the system's cache after they were dropped; negative if not asked
};

class SharedFile {
 public:
  SharedFile() = default;
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  /// The folder that `asked` stands for: itself, or TMPDIR, or /tmp.
  static std::string folder_for(const std::string& asked);
  /// Why this process can make no file in that folder; empty if it can.
  static std::string refusal(const std::string& folder);

  /// An empty file with a name of its own in a folder that all ranks see. Collective, as are the next three.
  void make(MPI_Comm comm, const std::string& folder);
  /// Opened by MPI, with the view of a whole file of bytes.
  void open();
  void close();
  void remove();

  /// What MPI_File_seek is to be told so that it counts from the start of a file: MPI_SEEK_SET, but another number in a
  /// library that has the numbers of a draft of MPI's ABI (Intel MPI 2021.18 takes MPI_SEEK_SET for MPI_SEEK_END).
  [[nodiscard]] int from_start() const noexcept { return from_start_; }
  [[nodiscard]] MPI_File get() const noexcept { return handle_; }
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// Bytes at an offset, by the system's calls.
  void write(std::span<const std::byte> bytes, std::int64_t offset);
  void read(std::span<std::byte> bytes, std::int64_t offset);
  /// Written bytes are on the medium; then the system's cache drops the file, if it can.
  void flush();
  void drop() const noexcept;
  /// Kind of file system, and what is left of the file in the system's cache if `dropped`.
  [[nodiscard]] FileFacts facts(bool dropped) const;

  /// Remembers that a call failed: an error code of MPI, or `errno`.
  void keep(int code) noexcept { mpi_error_ = code == MPI_SUCCESS ? mpi_error_ : code; }
  void keep_errno(int code) noexcept { errno_ = code == 0 ? errno_ : code; }
  void complain(const std::string& what) { trouble_ = trouble_.empty() ? what : trouble_; }
  /// What went wrong on this rank; empty if nothing did.
  [[nodiscard]] std::string trouble() const;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::string name_;
  MPI_File handle_ = MPI_FILE_NULL;
  int descriptor_ = -1;
  int from_start_ = MPI_SEEK_SET;
  int mpi_error_ = MPI_SUCCESS;
  int errno_ = 0;
  std::string trouble_;
};

/// Removes the files of this process that are still there. For the last moments of a program: nothing allocates or
/// locks.
void remove_left_files() noexcept;

}  // namespace groma
