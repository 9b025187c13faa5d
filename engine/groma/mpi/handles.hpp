// MPI handles that free themselves, and the session of the library itself.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace groma {

/// MPI from MPI_Init to MPI_Finalize. Errors of the library end every rank with one sentence and exit code 1.
class Mpi {
 public:
  /// `thread_level` is a value of the field of that name.
  Mpi(int& argc, char**& argv, std::string_view thread_level);
  ~Mpi();
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;
  /// Ends it now; returns what that takes in ns, once all ranks have come to it.
  std::int64_t end();

 private:
  bool ended_ = false;
};

/// What the library says of an error code.
std::string error_text(int code);

/// While it lives, errors of calls without a communicator come back as codes and end nothing.
class ErrorsReturned {
 public:
  ErrorsReturned();
  ~ErrorsReturned();
  ErrorsReturned(const ErrorsReturned&) = delete;
  ErrorsReturned& operator=(const ErrorsReturned&) = delete;

 private:
  std::array<MPI_Errhandler, 2> before_{};
};

class Comm {
 public:
  Comm() = default;
  explicit Comm(MPI_Comm handle) : handle_(handle) {}
  Comm(Comm&& other) noexcept : handle_(std::exchange(other.handle_, MPI_COMM_NULL)) {}
  Comm& operator=(Comm&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Comm(const Comm&) = delete;
  Comm& operator=(const Comm&) = delete;
  ~Comm();

  /// A new communicator of the same ranks, whose messages can't meet those of the old one.
  [[nodiscard]] Comm copy() const;
  /// The ranks named, in that order; a null communicator on the others. Collective.
  [[nodiscard]] Comm only(const std::vector<int>& members) const;
  /// The ranks that name the same part, in their order here. Collective.
  [[nodiscard]] Comm part(int name) const;

  [[nodiscard]] MPI_Comm get() const noexcept { return handle_; }
  [[nodiscard]] int rank() const;
  [[nodiscard]] int size() const;
  [[nodiscard]] bool null() const noexcept { return handle_ == MPI_COMM_NULL; }

 private:
  MPI_Comm handle_ = MPI_COMM_NULL;
};

/// A derived datatype, or none.
class Datatype {
 public:
  Datatype() = default;
  explicit Datatype(MPI_Datatype handle) : handle_(handle) {}
  ~Datatype();
  Datatype(const Datatype&) = delete;
  Datatype& operator=(const Datatype&) = delete;
  [[nodiscard]] bool is_null() const { return handle_ == MPI_DATATYPE_NULL; }
  [[nodiscard]] MPI_Datatype or_else(MPI_Datatype plain) const {
    return handle_ == MPI_DATATYPE_NULL ? plain : handle_;
  }

 private:
  MPI_Datatype handle_ = MPI_DATATYPE_NULL;
};

/// MPI_THREAD_SINGLE and its kind by the names of the field `thread_level`.
int thread_level_named(std::string_view name);
/// The level that the library provides, by the same names.
std::string_view provided_thread_level();

/// What the library says of itself.
struct Library {
  std::string name;  ///< "MPICH", "Open MPI", "Intel MPI", or the first word it says
  std::string version;
  std::string text;      ///< first line of MPI_Get_library_version
  std::string standard;  ///< "4.1"
};
Library library();

}  // namespace groma
