// Messages that are written to a file and read from it: at offsets, by pointers of each rank and by one that they
// share.
#pragma once

#include "groma/operations/file_forms.hpp"

namespace groma {

struct WriteAt : Writing {
  static constexpr Info info =
      named(writes_file, "", "Each rank writes its message to a file, at an offset.", "MPI_File_write_at");
  using Call = FileCall<MPI_File_write_at, MPI_File_iwrite_at>;
  auto arguments() const noexcept { return std::tuple(file.get(), offset, buffers.send, site.count, site.type); }
};
struct WriteAtAll : WriteAt {
  static constexpr Info info =
      named(writes_file, "", "As file_write_at, by all ranks together: collective.", "MPI_File_write_at_all");
  using Call =
      FileCall<MPI_File_write_at_all, MPI_File_iwrite_at_all, MPI_File_write_at_all_begin, MPI_File_write_at_all_end>;
};
struct ReadAt : Reading {
  static constexpr Info info =
      named(reads_file, "", "Each rank reads its message from a file, at an offset.", "MPI_File_read_at");
  using Call = FileCall<MPI_File_read_at, MPI_File_iread_at>;
  auto arguments() const noexcept { return std::tuple(file.get(), offset, buffers.receive, site.count, site.type); }
};
struct ReadAtAll : ReadAt {
  static constexpr Info info =
      named(reads_file, "", "As file_read_at, by all ranks together: collective.", "MPI_File_read_at_all");
  using Call =
      FileCall<MPI_File_read_at_all, MPI_File_iread_at_all, MPI_File_read_at_all_begin, MPI_File_read_at_all_end>;
};

/// Where the file pointer stands.
template <class Way>
struct AtPointer : Way {
  auto arguments() const noexcept {
    return std::tuple(this->file.get(), this->array(), this->site.count, this->site.type);
  }
};
struct Write : AtPointer<Writing> {
  static constexpr Info info =
      named(writes_file, "", "As file_write_at, where the rank's own pointer stands.", "MPI_File_write");
  using Call = FileCall<MPI_File_write, MPI_File_iwrite>;
};
struct WriteAll : AtPointer<Writing> {
  static constexpr Info info =
      named(writes_file, "", "As file_write, by all ranks together: collective.", "MPI_File_write_all");
  using Call = FileCall<MPI_File_write_all, MPI_File_iwrite_all, MPI_File_write_all_begin, MPI_File_write_all_end>;
};
struct Read : AtPointer<Reading> {
  static constexpr Info info =
      named(reads_file, "", "As file_read_at, where the rank's own pointer stands.", "MPI_File_read");
  using Call = FileCall<MPI_File_read, MPI_File_iread>;
};
struct ReadAll : AtPointer<Reading> {
  static constexpr Info info =
      named(reads_file, "", "As file_read, by all ranks together: collective.", "MPI_File_read_all");
  using Call = FileCall<MPI_File_read_all, MPI_File_iread_all, MPI_File_read_all_begin, MPI_File_read_all_end>;
};

/// As `own`, where each rank looks at the messages of all.
constexpr Info seen_by_all(Info own, Result result, std::string_view validation) {
  own.receive = Size::per_rank;
  own.result = result;
  own.validation = validation;
  return own;
}
struct WriteShared : AtPointer<WritingByTurns> {
  static constexpr Info info =
      named(seen_by_all(writes_file, Result::stated_any_order,
                        "the file, closed and opened again, holds every rank's message once"),
            "", "Each rank writes its message where a pointer stands that all share.", "MPI_File_write_shared");
  using Call = FileCall<MPI_File_write_shared, MPI_File_iwrite_shared>;
};
struct WriteOrdered : AtPointer<WritingByTurns> {
  static constexpr Info info =
      named(seen_by_all(writes_file, Result::from_all,
                        "message r in the file, closed and opened again, is what rank r wrote, for every r"),
            "", "As file_write_shared, in the order of the ranks: collective.", "MPI_File_write_ordered");
  using Call = FileCall<MPI_File_write_ordered, nullptr, MPI_File_write_ordered_begin, MPI_File_write_ordered_end>;
};
struct ReadShared : AtPointer<ReadingByTurns> {
  static constexpr Info info =
      named(seen_by_all(reads_file, Result::stated_any_order, "the ranks together read every message in the file once"),
            "", "Each rank reads a message where a pointer stands that all share.", "MPI_File_read_shared");
  using Call = FileCall<MPI_File_read_shared, MPI_File_iread_shared>;
  auto arguments() const noexcept {
    return std::tuple(file.get(), buffers.slot(site, site.rank), site.count, site.type);
  }
  void deliver() {
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, buffers.receive, site.count, site.type, site.comm);
  }
};
struct ReadOrdered : AtPointer<ReadingByTurns> {
  static constexpr Info info =
      named(reads_file, "", "As file_read_shared, in the order of the ranks: collective.", "MPI_File_read_ordered");
  using Call = FileCall<MPI_File_read_ordered, nullptr, MPI_File_read_ordered_begin, MPI_File_read_ordered_end>;
};

/// `own`, on a file of each rank's own.
constexpr Info on_own_file(Info own, std::string_view summary, std::string_view call, std::string_view validation) {
  own = named(own, "", summary, call);
  own.result = Result::own;
  own.validation = validation;
  return own;
}
struct WriteOwn : AtPointer<WritingOwnFile> {
  static constexpr Info info =
      on_own_file(writes_file, "Each rank writes its message to a file of its own.", "MPI_File_write",
                  "every element in the file, closed and opened again, is the one that its rank wrote");
  using Call = FileCall<MPI_File_write, MPI_File_iwrite>;
};
struct ReadOwn : AtPointer<ReadingOwnFile> {
  static constexpr Info info = on_own_file(reads_file, "Each rank reads its message from a file of its own.",
                                           "MPI_File_read", "every element read is the one in this rank's file");
  using Call = FileCall<MPI_File_read, MPI_File_iread>;
};
/// A form of these, `file_write` for one.
template <class Form>
struct InOwnFile : Form {
  static constexpr std::string_view said = Form::info.summary;
  static constexpr bool is_as = said.starts_with("As ");
  static constexpr Text name{"own_", Form::info.name};
  static constexpr Text summary{is_as ? "As own_" : "", said.substr(is_as ? 3 : 0)};
  static constexpr Info info = [] {
    Info own = named(Form::info, name, summary, Form::info.calls);
    own.form_of = {};
    return own;
  }();
};

using FileWrites =
    OperationList<Writes<Waiting<WriteAt>>, Writes<Waiting<WriteAtAll>>, Writes<Waiting<Write>>,
                  Writes<Waiting<WriteAll>>, Writes<Waiting<WriteShared>>, Writes<Waiting<WriteOrdered>>,
                  Writes<Started<WriteAt>>, Writes<Started<WriteAtAll>>, Writes<Started<Write>>,
                  Writes<Started<WriteAll>>, Writes<Started<WriteShared>>, Writes<Split<WriteAtAll>>,
                  Writes<Split<WriteAll>>, Writes<Split<WriteOrdered>>, WorkInside<WriteAt>, WorkInside<WriteAtAll>,
                  Writes<InOwnFile<Waiting<WriteOwn>>>, Writes<InOwnFile<Started<WriteOwn>>>>;
using FileReads =
    OperationList<Reads<Waiting<ReadAt>>, Reads<Waiting<ReadAtAll>>, Reads<Waiting<Read>>, Reads<Waiting<ReadAll>>,
                  Reads<Waiting<ReadShared>>, Reads<Waiting<ReadOrdered>>, Reads<Started<ReadAt>>,
                  Reads<Started<ReadAtAll>>, Reads<Started<Read>>, Reads<Started<ReadAll>>, Reads<Started<ReadShared>>,
                  Reads<Split<ReadAtAll>>, Reads<Split<ReadAll>>, Reads<Split<ReadOrdered>>, WorkInside<ReadAt>,
                  WorkInside<ReadAtAll>, Reads<InOwnFile<Waiting<ReadOwn>>>, Reads<InOwnFile<Started<ReadOwn>>>>;

}  // namespace groma
