// What calls on files cost that move no data: opening, views, pointers, sizes. And the same bytes by the system's own
// calls, and by hand with MPI_Alltoallv.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "groma/operations/file_forms.hpp"

namespace groma {

struct PosixWrite : Writing {
  static constexpr Info info = [] {
    Info own = named(writes_file, "posix_pwrite", "As file_write_at, by the system's own call, without MPI.", "pwrite");
    own.in_parts = true;
    return own;
  }();
  void step() noexcept {
    const auto length = static_cast<std::size_t>(part_bytes());
    for (int part = 0; part < options.parts; ++part) {
      const auto* from = static_cast<const std::byte*>(buffers.send) + static_cast<std::size_t>(part) * length;
      const ssize_t done = pwrite(file.descriptor(), from, length, part_offset(site.rank, part));
      file.keep_errno(done == static_cast<ssize_t>(length) ? 0 : errno);
    }
  }
  void synchronise() noexcept { file.keep_errno(fsync(file.descriptor()) == 0 ? 0 : errno); }
};
struct PosixRead : Reading {
  static constexpr Info info = [] {
    Info own = named(reads_file, "posix_pread", "As file_read_at, by the system's own call, without MPI.", "pread");
    own.in_parts = true;
    return own;
  }();
  void step() noexcept {
    const auto length = static_cast<std::size_t>(part_bytes());
    for (int part = 0; part < options.parts; ++part) {
      auto* to = static_cast<std::byte*>(buffers.receive) + static_cast<std::size_t>(part) * length;
      const ssize_t done = pread(file.descriptor(), to, length, part_offset(site.rank, part));
      file.keep_errno(done == static_cast<ssize_t>(length) ? 0 : errno);
    }
  }
};

/// Which parts of the message of one rank lie in the piece of the file that another one writes: they follow each other.
struct Run {
  int first = 0;  ///< in the message
  int count = 0;
  int place = 0;  ///< of the first one, in parts from the start of the piece
};

/// Each rank gets what belongs into one piece of the file, puts it in order and writes that at once.
struct AlltoallvWrite : PosixWrite {
  static constexpr Info info = named(PosixWrite::info, "alltoallv_pwrite",
                                     "As file_write_at_all by hand: parts are exchanged, put in order and written.",
                                     "MPI_Alltoallv, MPI_Unpack, pwrite");
  std::vector<int> send_counts, send_starts, counts, starts;
  std::vector<std::int64_t> places;  ///< of the first part of each rank in the piece, in bytes
  std::vector<MPI_Datatype> types;   ///< its parts there
  std::vector<int> sources;          ///< the ranks that have parts in the piece
  std::vector<std::byte> received;
  std::vector<std::byte> piece;

  [[nodiscard]] Run run_of(int source, int writer) const noexcept {
    const std::int64_t begin = static_cast<std::int64_t>(writer) * options.parts;
    const std::int64_t ahead = (source - begin % site.ranks + site.ranks) % site.ranks;
    const std::int64_t left = options.parts - ahead;
    return {.first = static_cast<int>((begin + ahead) / site.ranks),
            .count = left > 0 ? static_cast<int>((left + site.ranks - 1) / site.ranks) : 0,
            .place = static_cast<int>(ahead)};
  }
  void open() {
    PosixWrite::open();
    const int part = site.count / options.parts;
    int start = 0;
    for (int other = 0; other < site.ranks; ++other) {
      const Run away = run_of(site.rank, other);
      send_counts.push_back(away.count * part);
      send_starts.push_back(away.first * part);
      const Run here = run_of(other, site.rank);
      if (here.count > 0) sources.push_back(other);
      counts.push_back(here.count * part);
      starts.push_back(start);
      start += here.count * part;
      places.push_back(here.place * part_bytes());
      MPI_Type_vector(here.count, part, part * site.ranks, site.type, &types.emplace_back());
      MPI_Type_commit(&types.back());
    }
    received.resize(static_cast<std::size_t>(packed_bytes()));
    piece.resize(received.size());
  }
  void close() {
    for (MPI_Datatype& type : types) MPI_Type_free(&type);
    PosixWrite::close();
  }
  void step() noexcept {
    MPI_Alltoallv(buffers.send, send_counts.data(), send_starts.data(), site.type, received.data(), counts.data(),
                  starts.data(), site.type, site.comm);
    // Nothing is not unpacked: MPICH 4.0 divides by its size.
    for (const int from : sources) {
      int position = static_cast<int>(starts[from] * site.element_bytes);
      MPI_Unpack(received.data(), pack_bytes(), &position, piece.data() + places[from], 1, types[from], site.comm);
    }
    const ssize_t done = pwrite(file.descriptor(), piece.data(), piece.size(), site.rank * packed_bytes());
    file.keep_errno(done == static_cast<ssize_t>(piece.size()) ? 0 : errno);
  }
};

struct SizeOptions : FileOptions {
  std::int64_t bytes = 0;
  static constexpr auto table() {
    return joined(FileOptions::table(), std::array{option<&SizeOptions::bytes>(parameter::size(
                                            "file_bytes", "1048576", {1, 1e15}, "length that a file is given"))});
  }
};

/// What is done with a file, by all ranks; nothing is written or read.
struct OnOpenFile : OnFile {
  static constexpr Info of(std::string_view name, std::string_view summary, std::string_view calls) {
    return {.name = name,
            .summary = summary,
            .calls = calls,
            .on_file = true,
            .time = "from the first rank's call to the last one's return",
            .timing = "call"};
  }
};
struct FileOpen : OnOpenFile {
  static constexpr Info info =
      of("file_open", "A file that is there, opened and closed.", "MPI_File_open, MPI_File_close");
  MPI_File opened = MPI_FILE_NULL;
  void step() noexcept {
    file.keep(MPI_File_open(site.comm, file.name().c_str(), MPI_MODE_RDWR, MPI_INFO_NULL, &opened));
    file.keep(MPI_File_close(&opened));
  }
};
/// Another file beside the one that is open.
struct OnNewFile : OnOpenFile {
  std::string other;
  void open() {
    OnOpenFile::open();
    other = file.name() + ".new";
  }
};
struct FileOpenNew : OnNewFile {
  static constexpr Info info =
      of("file_open_new", "A file made and opened, closed and deleted by that.", "MPI_File_open, MPI_File_close");
  static constexpr int mode = MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE;
  MPI_File opened = MPI_FILE_NULL;
  void step() noexcept {
    file.keep(MPI_File_open(site.comm, other.c_str(), mode, MPI_INFO_NULL, &opened));
    file.keep(MPI_File_close(&opened));
  }
};
struct FileDelete : OnNewFile {
  static constexpr Info info =
      of("file_delete", "An empty file deleted by the first rank; the others do nothing.", "MPI_File_delete");
  void expose() { ready(); }
  void deliver() {}
  void ready() {
    if (!site.first) return;
    const int made = creat(other.c_str(), S_IRUSR | S_IWUSR);
    file.keep_errno(made >= 0 && ::close(made) == 0 ? 0 : errno);
  }
  void close() {
    if (site.first) unlink(other.c_str());
    OnNewFile::close();
  }
  void step() noexcept {
    if (site.first) file.keep(MPI_File_delete(other.c_str(), MPI_INFO_NULL));
  }
};
struct FileSync : OnOpenFile {
  static constexpr Info info = of("file_sync", "A file synchronised to which nothing was written.", "MPI_File_sync");
  void step() noexcept { file.keep(MPI_File_sync(file.get())); }
};
struct FileSeek : OnOpenFile {
  static constexpr Info info = of("file_seek", "Each rank's own pointer set to the start.", "MPI_File_seek");
  void step() noexcept { file.keep(MPI_File_seek(file.get(), 0, file.from_start())); }
};
struct FileSeekShared : OnOpenFile {
  static constexpr Info info =
      of("file_seek_shared", "The pointer that all ranks share set to the start.", "MPI_File_seek_shared");
  void step() noexcept { file.keep(MPI_File_seek_shared(file.get(), 0, file.from_start())); }
};
struct FileSetView : OnOpenFile {
  static constexpr Info info = of("file_set_view", "The view of a whole file set again.", "MPI_File_set_view");
  void step() noexcept { file.keep(MPI_File_set_view(file.get(), 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL)); }
};

/// An empty file is given a length.
struct GivenLength : OnOpenFile {
  using Options = SizeOptions;
  Options options;
  void open() {
    OnOpenFile::options = options;
    OnOpenFile::open();
  }
  void ready() { file.keep(MPI_File_set_size(file.get(), 0)); }
};
struct FileSetSize : GivenLength {
  static constexpr Info info = of("file_set_size", "An empty file given a length.", "MPI_File_set_size");
  void step() noexcept { file.keep(MPI_File_set_size(file.get(), options.bytes)); }
};
struct FilePreallocate : GivenLength {
  static constexpr Info info =
      of("file_preallocate", "An empty file given room on its medium.", "MPI_File_preallocate");
  void open() {
    GivenLength::open();
    require_room(options.bytes);
  }
  void step() noexcept { file.keep(MPI_File_preallocate(file.get(), options.bytes)); }
};

using FileCalls =
    OperationList<Writes<PosixWrite>, Reads<PosixRead>, Writes<AlltoallvWrite>, FileOpen, FileOpenNew, FileDelete,
                  FileSync, FileSeek, FileSeekShared, FileSetView, FileSetSize, FilePreallocate>;

}  // namespace groma
