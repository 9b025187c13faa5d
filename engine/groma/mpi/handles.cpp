#include "groma/mpi/handles.hpp"

#include <array>
#include <cstdlib>
#include <regex>
#include <stdexcept>

#include "groma/mpi/startup.hpp"
#include "groma/text/output.hpp"

namespace groma {
namespace {

/// Whose handler a call without a communicator raises its errors on: MPI-3's world, MPI-4's self.
constexpr auto local_raisers = [] { return std::array{MPI_COMM_WORLD, MPI_COMM_SELF}; };

// A plain variadic function: gcc 12 refuses variadic lambdas. Intel's library calls it instead of aborting.
void end_on_error(MPI_Comm*, int* code, ...) {
  complain("the MPI library reported an error: " + error_text(*code));
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::_Exit(1);  // if the library comes back, as MPICH 5 does
}

struct ThreadLevel {
  std::string_view name;
  int level;
};
constexpr ThreadLevel thread_levels[] = {{"single", MPI_THREAD_SINGLE},
                                         {"funneled", MPI_THREAD_FUNNELED},
                                         {"serialized", MPI_THREAD_SERIALIZED},
                                         {"multiple", MPI_THREAD_MULTIPLE}};

}  // namespace

int thread_level_named(std::string_view name) {
  for (const ThreadLevel& one : thread_levels) {
    if (one.name == name) return one.level;
  }
  throw std::logic_error("no thread level named " + std::string(name));
}

std::string_view provided_thread_level() {
  int provided = 0;
  MPI_Query_thread(&provided);
  for (const ThreadLevel& one : thread_levels) {
    if (one.level == provided) return one.name;
  }
  throw std::logic_error("the library provides thread level " + std::to_string(provided));
}

Mpi::Mpi(int& argc, char**& argv, std::string_view thread_level) {
  start_mpi(argc, argv, thread_level_named(thread_level));
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(end_on_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Errhandler_free(&handler);
}

std::int64_t Mpi::end() {
  ended_ = true;
  return end_mpi();
}

Mpi::~Mpi() {
  if (!ended_) MPI_Finalize();
}

std::string error_text(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  return {text.data(), static_cast<std::size_t>(length)};
}

ErrorsReturned::ErrorsReturned() {
  for (std::size_t i = 0; i < before_.size(); ++i) {
    MPI_Comm_get_errhandler(local_raisers()[i], &before_[i]);
    MPI_Comm_set_errhandler(local_raisers()[i], MPI_ERRORS_RETURN);
  }
}

ErrorsReturned::~ErrorsReturned() {
  for (std::size_t i = 0; i < before_.size(); ++i) {
    MPI_Comm_set_errhandler(local_raisers()[i], before_[i]);
    MPI_Errhandler_free(&before_[i]);
  }
}

Comm::~Comm() {
  const bool predefined = handle_ == MPI_COMM_NULL || handle_ == MPI_COMM_WORLD || handle_ == MPI_COMM_SELF;
  if (!predefined) MPI_Comm_free(&handle_);
}

Comm Comm::copy() const {
  MPI_Comm handle = MPI_COMM_NULL;
  MPI_Comm_dup(handle_, &handle);
  return Comm(handle);
}

Comm Comm::only(const std::vector<int>& members) const {
  int color = MPI_UNDEFINED;
  int key = 0;
  for (std::size_t place = 0; place < members.size(); ++place) {
    if (members[place] == rank()) {
      color = 0;
      key = static_cast<int>(place);
    }
  }
  MPI_Comm handle = MPI_COMM_NULL;
  MPI_Comm_split(handle_, color, key, &handle);
  return Comm(handle);
}

Comm Comm::part(int name) const {
  MPI_Comm handle = MPI_COMM_NULL;
  MPI_Comm_split(handle_, name, rank(), &handle);
  return Comm(handle);
}

int Comm::rank() const {
  int rank = 0;
  MPI_Comm_rank(handle_, &rank);
  return rank;
}

int Comm::size() const {
  int size = 0;
  MPI_Comm_size(handle_, &size);
  return size;
}

Datatype::~Datatype() {
  if (handle_ != MPI_DATATYPE_NULL) MPI_Type_free(&handle_);
}

Library library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  Library found;
  const std::string whole(text.data());
  found.text = whole.substr(0, whole.find('\n'));
  int version = 0;
  int subversion = 0;
  MPI_Get_version(&version, &subversion);
  found.standard = std::to_string(version) + "." + std::to_string(subversion);
  for (const char* name : {"Intel", "Open MPI", "MPICH"}) {
    if (found.text.find(name) != std::string::npos) {
      found.name = std::string(name) == "Intel" ? "Intel MPI" : name;
      break;
    }
  }
  if (found.name.empty()) found.name = found.text.substr(0, found.text.find(' '));
  std::smatch number;
  if (std::regex_search(whole, number, std::regex(R"((\d+(\.\d+)+\w*))"))) found.version = number[1];
  return found;
}

}  // namespace groma
