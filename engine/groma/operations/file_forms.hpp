// The forms of a call that writes or reads a file: waiting, with MPI_File_sync after it, from a cold cache,
// nonblocking, with work inside, and split.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "groma/operations/on_file.hpp"
#include "groma/timed/entry.hpp"

namespace groma {

/// The options of a call that writes, and whether the file is synchronised after it.
template <class Of>
struct WithFileSync : Of {
  bool sync = false;
  static constexpr auto table() {
    return joined(Of::table(), std::array{option<&WithFileSync::sync>(parameter::flag(
                                   "file_sync", "MPI_File_sync (POSIX: fsync) after each write, inside the time"))});
  }
};
/// The options of a call that reads, and whether the file is dropped from the system's cache before it.
template <class Of>
struct WithCold : Of {
  bool cold = false;
  static constexpr auto table() {
    return joined(Of::table(), std::array{option<&WithCold::cold>(parameter::flag(
                                   "file_cold",
                                   "the system's cache drops the file before each read; the record says what was "
                                   "left in it"))});
  }
};

/// A call that waits; `Wait` is a call that waits by itself, or one that is waited for.
template <class Of>
struct Written : Of {
  using Options = WithFileSync<OptionsOf<Of>>;
  Options options;
  void open() {
    Of::options = options;
    Of::open();
  }
};
template <class Of>
struct Synchronised : Written<Of> {
  void step() noexcept {
    Of::step();
    Of::synchronise();
  }
};
template <class Of>
struct Writes : Written<Of> {
  /// Whose loops synchronise the file too.
  static std::vector<Entry> forms() {
    Entry entry = entry_of<Synchronised<Of>>();
    entry.is_form_for = [](const void* options) { return options_as<Writes>(options).sync; };
    return {std::move(entry)};
  }
};

template <class Of>
struct Reads : Of {
  using Options = WithCold<OptionsOf<Of>>;
  Options options;
  void open() {
    Of::options = options;
    Of::open();
  }
  void ready() {
    Of::ready();
    if (!options.cold) return;
    this->file.drop();
    MPI_Barrier(this->site.comm);
  }
  void expose() {
    Of::expose();
    if (!options.cold) return;
    ready();
    this->found = this->file.facts(true);
    MPI_Barrier(this->site.comm);
  }
};

template <class Of>
struct Waiting : Of {
  static constexpr Text name{file_name_of(Of::info.calls)};
  static constexpr Info info = named(Of::info, name, Of::info.summary, Of::info.calls);
  void step() noexcept { this->file.keep(Of::Call::now(this->arguments(), &this->status)); }
  void synchronise() noexcept { this->file.keep(MPI_File_sync(this->file.get())); }
};

/// "MPI_File_iwrite_at" for MPI_File_write_at.
constexpr Text starting_file(std::string_view call) {
  return {"MPI_File_i", call.substr(std::string_view("MPI_File_").size())};
}

template <class Of>
struct Started : Of {
  static constexpr Text call{starting_file(Of::info.calls)};
  static constexpr Text name{file_name_of(call)};
  static constexpr Text summary{"As ", Waiting<Of>::name, ", nonblocking: started, then waited for."};
  static constexpr Text calls{call, ", MPI_Wait"};
  static constexpr Info info = form_of(Waiting<Of>::info, name, summary, calls);
  MPI_Request request = MPI_REQUEST_NULL;

  void start() noexcept { this->file.keep(Of::Call::start(this->arguments(), &request)); }
  void test() noexcept {
    int done = 0;
    this->file.keep(MPI_Test(&request, &done, &this->status));
  }
  void wait() noexcept { this->file.keep(MPI_Wait(&request, &this->status)); }
  void step() noexcept {
    start();
    wait();
  }
  void synchronise() noexcept { this->file.keep(MPI_File_sync(this->file.get())); }
};

/// With work inside.
template <class Of>
struct WorkInside : AroundWork<Started<Of>> {
  static constexpr Text name{"overlap/", Started<Of>::name};
  static constexpr Text summary{"Nonblocking ", Waiting<Of>::name, " alone, work alone, and the work inside it."};
  static constexpr Text calls{Started<Of>::call, ", MPI_Test, MPI_Wait"};
  static constexpr Info info = WorkInside::in_parts(form_of(Started<Of>::info, name, summary, calls));
};

/// In two calls, between which a program may compute.
template <class Of>
struct Split : Of {
  static constexpr Text name{Waiting<Of>::name, "_begin"};
  static constexpr Text summary{"As ", Waiting<Of>::name, ", split: begun, then ended."};
  static constexpr Text calls{Of::info.calls, "_begin, ", Of::info.calls, "_end"};
  static constexpr Info info = form_of(Waiting<Of>::info, name, summary, calls);
  void step() noexcept {
    this->file.keep(Of::Call::begin(this->arguments()));
    this->file.keep(Of::Call::end(this->file.get(), this->array(), &this->status));
  }
  void synchronise() noexcept { this->file.keep(MPI_File_sync(this->file.get())); }
};

}  // namespace groma
