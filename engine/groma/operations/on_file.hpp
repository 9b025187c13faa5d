// Calls on a file that all ranks of a group have open: where each rank's message lies in it, and how what is there is
// checked. A call states its arguments once:
//
//   struct WriteAt : Writing {
//     static constexpr Info info = writing("MPI_File_write_at", "...");
//     using Call = FileCall<MPI_File_write_at, MPI_File_iwrite_at>;
//     auto arguments() const noexcept { return std::tuple(file.get(), offset, buffers.send, ...); }
//   };
//
// and Data<WriteAt> are `file_write_at`, `file_iwrite_at` and others (file_forms.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "groma/errors.hpp"
#include "groma/mpi/file_room.hpp"
#include "groma/mpi/missing.hpp"
#include "groma/mpi/shared_file.hpp"
#include "groma/operations/forms.hpp"

namespace groma {

template <std::size_t own, std::size_t more>
constexpr std::array<Option, own + more> joined(const std::array<Option, own>& one,
                                                const std::array<Option, more>& other) {
  std::array<Option, own + more> all{};
  std::copy(other.begin(), other.end(), std::copy(one.begin(), one.end(), all.begin()));
  return all;
}

struct FileOptions {
  std::string folder;
  static constexpr auto table() {
    return std::array{option<&FileOptions::folder>(
        parameter::text("file_folder", "", "folder of the file, which all hosts see; empty: TMPDIR, or else /tmp"))};
  }
};

struct PartsOptions : FileOptions {
  int parts = 1;
  static constexpr auto table() {
    return joined(FileOptions::table(),
                  std::array{option<&PartsOptions::parts>(parameter::count(
                      "file_parts", "1", "", {1, 65536},
                      "equal parts of a message, which take turns in the file with those of the other ranks (a strided "
                      "view); 1: each message is in one piece"))});
  }
};

/// What is kept of the calls: the file, its status, and that one failed.
struct OnFile : Placed {
  using Options = FileOptions;
  static constexpr std::string_view lacks = has_all_of_mpi_3 ? "" : "files that ranks share (MPI-IO)";
  static void check(const Request& request, const FileOptions& options) {
    if (request.datatype == "double_int") {
      throw InputError("datatype=double_int of " + std::string(request.operation) +
                       " can't be: files have no gaps as its elements have in memory; use datatype=2int");
    }
    require_folder(options.folder);
  }
  /// Only a launch knows the folders of its hosts.
  static void require_folder(const std::string& asked) {
    int started = 0;
    MPI_Initialized(&started);
    if (started == 0) return;
    const std::string folder = SharedFile::folder_for(asked);
    const std::string refusal = SharedFile::refusal(folder);
    if (refusal.empty()) return;
    throw InputError("file_folder=" + folder + " can't hold a file (" + refusal +
                     "); set file_folder, or TMPDIR, to a folder that every rank can write to");
  }

  Options options;
  SharedFile file;
  MPI_Status status{};

  FileFacts found;

  void open() {
    file.make(site.comm, options.folder);
    found = file.facts(false);
  }
  void close() { file.remove(); }
  /// The point ends before its first call, on all ranks, if the file cannot get that long. Collective.
  void require_room(std::int64_t bytes) {
    const std::string lack = file.descriptor() < 0 ? "" : lack_of_room(file.name(), file.descriptor(), bytes);
    int lacking = lack.empty() ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, &lacking, 1, MPI_INT, MPI_MAX, site.comm);
    if (lacking == 0) return;
    file.complain(lack.empty() ? "another rank has no room for the file" : lack);
    site.count = 0;  // calls that are tried in advance write nothing
  }
  void ready() {}
  static constexpr std::string_view trouble_reason = "file";
  [[nodiscard]] std::string trouble() const { return file.trouble(); }
};

/// The call that waits, the one that starts a nonblocking one, and both halves of a split one. Each returns its code.
template <auto Now, auto Start, auto Begin = nullptr, auto End = nullptr>
struct FileCall {
  static int now(const auto& all, MPI_Status* status) noexcept {
    return std::apply([status](auto... one) { return Now(one..., status); }, all);
  }
  static int start(const auto& all, MPI_Request* request) noexcept {
    return std::apply([request](auto... one) { return Start(one..., request); }, all);
  }
  static int begin(const auto& all) noexcept {
    return std::apply([](auto... one) { return Begin(one...); }, all);
  }
  static int end(MPI_File file, void* array, MPI_Status* status) noexcept { return End(file, array, status); }
};

/// "file_write_at" for MPI_File_write_at.
constexpr Text file_name_of(std::string_view call) {
  return {"file_", call.substr(std::string_view("MPI_File_").size())};
}

/// Messages between an array and a file, packed on the way by the system's calls: what MPI reads and writes is checked
/// without it.
struct Messages : OnFile {
  static constexpr std::int64_t bytes_moved(const Shape& shape) { return shape.ranks * shape.bytes; }
  static constexpr std::int64_t messages(const Shape& shape) { return shape.ranks; }

  bool filled = false;  ///< the arrays were filled since the file was made

  void open() {
    OnFile::open();
    require_room(site.ranks * packed_bytes());
  }
  [[nodiscard]] std::int64_t packed_bytes() const noexcept { return site.elements * site.element_bytes; }
  [[nodiscard]] bool in_one_piece() const noexcept { return site.message_bytes == packed_bytes(); }
  [[nodiscard]] int pack_bytes() const noexcept { return static_cast<int>(packed_bytes()); }

  /// The elements of a message, one behind the other.
  [[nodiscard]] std::vector<std::byte> packed(const void* message) const {
    std::vector<std::byte> bytes(static_cast<std::size_t>(packed_bytes()));
    int position = 0;
    if (in_one_piece()) {
      std::memcpy(bytes.data(), message, bytes.size());
    } else {
      MPI_Pack(message, site.count, site.type, bytes.data(), pack_bytes(), &position, site.comm);
    }
    return bytes;
  }
  void unpack(const std::vector<std::byte>& bytes, void* message) const {
    int position = 0;
    if (in_one_piece()) {
      std::memcpy(message, bytes.data(), bytes.size());
    } else {
      MPI_Unpack(bytes.data(), pack_bytes(), &position, message, site.count, site.type, site.comm);
    }
  }
  /// Closed by all ranks, then opened again: each finds what others wrote.
  void reopen() {
    file.close();
    MPI_Barrier(site.comm);
    file.open();
  }
};

/// Each rank has a place of its own, in `file_parts` parts.
struct OwnPlace : Messages {
  using Options = PartsOptions;
  static void check(const Request& request, const PartsOptions& options) {
    OnFile::check(request, options);
    if (request.elements % options.parts == 0) return;
    throw InputError("bytes=" + std::to_string(request.bytes) + " of " + std::string(request.operation) + " are " +
                     std::to_string(request.elements) + " elements, which file_parts=" + std::to_string(options.parts) +
                     " does not divide; use another number of either");
  }

  PartsOptions options;
  MPI_Offset offset = 0;  ///< of this rank's message, in the bytes of its view
  MPI_Datatype view = MPI_DATATYPE_NULL;

  void open() {
    OnFile::options = options;
    Messages::open();
    look();
  }
  void close() {
    OnFile::close();
    if (view != MPI_DATATYPE_NULL) MPI_Type_free(&view);
  }
  /// The view of this rank: a whole file, or its parts alone.
  void look() {
    if (file.get() == MPI_FILE_NULL) return;
    if (options.parts == 1) {
      offset = site.rank * packed_bytes();
      return;
    }
    if (view == MPI_DATATYPE_NULL) make_view();
    file.keep(MPI_File_set_view(file.get(), part_offset(site.rank, 0), MPI_BYTE, view, "native", MPI_INFO_NULL));
  }
  void make_view() {
    const auto length = static_cast<int>(part_bytes());
    MPI_Datatype all = MPI_DATATYPE_NULL;
    MPI_Type_vector(options.parts, length, length * site.ranks, MPI_BYTE, &all);
    MPI_Type_create_resized(all, 0, packed_bytes() * site.ranks, &view);
    MPI_Type_free(&all);
    MPI_Type_commit(&view);
  }
  [[nodiscard]] std::int64_t part_bytes() const noexcept { return packed_bytes() / options.parts; }
  [[nodiscard]] std::int64_t part_offset(int rank, int part) const noexcept {
    return (static_cast<std::int64_t>(part) * site.ranks + rank) * part_bytes();
  }
  [[nodiscard]] std::span<std::byte> part_of(std::vector<std::byte>& bytes, int part) const {
    const auto length = static_cast<std::size_t>(part_bytes());
    return std::span(bytes).subspan(static_cast<std::size_t>(part) * length, length);
  }
  /// Before a repetition: individual pointers stand at this rank's message.
  void ready() { file.keep(MPI_File_seek(file.get(), offset, file.from_start())); }
};

/// Messages go from the array to their place in the file.
template <class Place>
struct To : Place {
  void expose() {
    this->filled = true;
    this->ready();
  }
  [[nodiscard]] void* array() const noexcept { return this->buffers.send; }
};
/// Messages go from their place in the file to the array.
template <class Place>
struct From : Place {
  void deliver() {}
  [[nodiscard]] void* array() const noexcept { return this->buffers.receive; }
};

/// Its messages are found in the file by the ranks to the right.
struct Writing : To<OwnPlace> {
  void deliver() {
    if (!filled) return;
    reopen();
    look();
    std::vector<std::byte> bytes(static_cast<std::size_t>(packed_bytes()));
    for (int part = 0; part < options.parts; ++part) {
      file.read(part_of(bytes, part), part_offset(site.left, part));
    }
    unpack(bytes, buffers.receive);
    ready();
  }
};

/// Its messages were written by the system's calls.
struct Reading : From<OwnPlace> {
  void open() {
    OwnPlace::open();
    expose();  // calls that are tried in advance find messages
  }
  void expose() {
    std::vector<std::byte> bytes = packed(buffers.send);
    for (int part = 0; part < options.parts; ++part) {
      file.write(part_of(bytes, part), part_offset(site.rank, part));
    }
    file.flush();
    reopen();
    look();
    ready();
  }
};

/// The messages of all ranks lie one behind the other, where a pointer that they share stands.
struct ByTurns : Messages {
  /// Every rank's, in any order.
  static Contents contents(const Site& site) {
    Contents all{.sent = {{.elements = site.elements, .from = site.rank}}, .received = {}};
    for (int rank = 0; rank < site.ranks; ++rank) {
      all.received.push_back({.start_bytes = rank * site.message_bytes, .elements = site.elements, .from = rank});
    }
    return all;
  }
  void ready() { file.keep(MPI_File_seek_shared(file.get(), 0, file.from_start())); }
};
struct WritingByTurns : To<ByTurns> {
  void deliver() {
    if (!filled) return;
    reopen();
    std::vector<std::byte> bytes(static_cast<std::size_t>(packed_bytes()));
    for (int turn = 0; turn < site.ranks; ++turn) {
      file.read(bytes, turn * packed_bytes());
      unpack(bytes, buffers.slot(site, turn));
    }
    ready();
  }
};
struct ReadingByTurns : From<ByTurns> {
  void expose() {
    file.write(packed(buffers.send), site.rank * packed_bytes());
    file.flush();
    reopen();
    ready();
  }
};

/// Each rank has a file of its own, which no other opens.
struct OwnFile : Messages {
  void open() {
    file.make(MPI_COMM_SELF, options.folder);
    found = file.facts(false);
    require_room(site.ranks * packed_bytes());  // on one disk, perhaps
  }
  void ready() { file.keep(MPI_File_seek(file.get(), 0, file.from_start())); }
};
struct WritingOwnFile : To<OwnFile> {
  void deliver() {
    if (!filled) return;
    reopen();
    std::vector<std::byte> bytes(static_cast<std::size_t>(packed_bytes()));
    file.read(bytes, 0);
    unpack(bytes, buffers.receive);
    ready();
  }
};
struct ReadingOwnFile : From<OwnFile> {
  void open() {
    OwnFile::open();
    expose();  // calls that are tried in advance find messages
  }
  void expose() {
    file.write(packed(buffers.send), 0);
    file.flush();
    reopen();
    ready();
  }
};

/// Of a call that moves messages; arrays of operations that look at those of all ranks have room for them.
inline constexpr Info writes_file{
    .send = Size::message,
    .receive = Size::message,
    .result = Result::from_left,
    .on_file = true,
    .time = "from the first rank's call to the last one's return",
    .bandwidth = "messages of all ranks over time",
    .timing = "call",
    .bytes = "1048576",
    .validation = "every element in the file, closed and opened again, is the one that the left neighbour wrote"};
inline constexpr Info reads_file = [] {
  Info own = writes_file;
  own.result = Result::own;
  own.validation = "every element read is the one that this rank's message in the file has";
  return own;
}();

}  // namespace groma
