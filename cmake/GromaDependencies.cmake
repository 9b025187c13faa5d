# Defines groma::mpi and nlohmann_json::nlohmann_json. Read by the build and, installed, by groma-config.cmake.
include(CheckCXXSourceCompiles)
include(CheckLinkerFlag)

# The absolute path of a file that a distribution of the Python in use has installed; empty when there is none.
function(groma_file_of_distribution distribution suffix result)
  find_package(Python 3.11 COMPONENTS Interpreter QUIET)
  set(path "")
  if(Python_Interpreter_FOUND)
    execute_process(
      COMMAND "${Python_EXECUTABLE}" -c [[
import importlib.metadata, pathlib, sys
distribution, suffix = sys.argv[1:]
found = [f for f in importlib.metadata.distribution(distribution).files if f.as_posix().endswith(suffix)]
print(pathlib.Path(found[0].locate()).resolve().as_posix(), end="")
]] "${distribution}" "${suffix}"
      OUTPUT_VARIABLE path ERROR_QUIET)
  endif()
  set(${result} "${path}" PARENT_SCOPE)
endfunction()

function(groma_define_abi_mpi)
  set(prefix "${GROMA_MPI_ABI_PREFIX}")
  if(NOT prefix)
    groma_file_of_distribution(mpich include/mpi_abi.h header)
    cmake_path(GET header PARENT_PATH include_folder)
    cmake_path(GET include_folder PARENT_PATH prefix)
  endif()
  find_path(groma_mpi_abi_include mpi_abi.h PATHS "${prefix}/include" NO_DEFAULT_PATH NO_CACHE)
  find_library(groma_mpi_abi_library NAMES libmpi_abi.so.1 mpi_abi PATHS "${prefix}/lib" NO_DEFAULT_PATH NO_CACHE)
  if(NOT groma_mpi_abi_include OR NOT groma_mpi_abi_library)
    message(FATAL_ERROR
      "No MPI with the standard ABI (mpi_abi.h, libmpi_abi.so.1) under \"${prefix}\". "
      "Give its prefix with -DGROMA_MPI_ABI_PREFIX=..., install PyPI's mpich==5.0.2, "
      "or build against this site's own MPI with -DGROMA_MPI_ABI=OFF.")
  endif()
  # Headers that say #include <mpi.h> get a mpi.h that includes mpi_abi.h when MPI_ABI is defined.
  target_include_directories(groma::mpi SYSTEM INTERFACE "${groma_mpi_abi_include}")
  target_compile_definitions(groma::mpi INTERFACE MPI_ABI)
  target_link_libraries(groma::mpi INTERFACE "${groma_mpi_abi_library}")
  # The engine is linked with RUNPATH, so that LD_LIBRARY_PATH can choose another library at run time: the older RPATH
  # would mix the libfabric of two libraries. GNU's linker looks for the library's own dependencies, which lie beside it.
  target_link_options(groma::mpi INTERFACE "LINKER:--enable-new-dtags")
  set(groma_rpath_link "LINKER:-rpath-link,${prefix}/lib:${prefix}/lib/mpich")
  check_linker_flag(CXX "${groma_rpath_link}" groma_linker_follows_dependencies)
  if(groma_linker_follows_dependencies)
    target_link_options(groma::mpi INTERFACE "${groma_rpath_link}")
  endif()
  set(GROMA_MPI_ABI_PREFIX "${prefix}" PARENT_SCOPE)
  set(MPIEXEC_EXECUTABLE "${prefix}/bin/mpiexec" PARENT_SCOPE)
  set(MPIEXEC_NUMPROC_FLAG "-n" PARENT_SCOPE)
  message(STATUS "MPI: standard ABI of ${prefix}")
endfunction()

# What smpicxx does, in targets. Inline variables must not be unique symbols: those are shared by all simulated ranks.
function(groma_define_simulated_mpi)
  find_path(groma_simgrid_include smpi/smpi_helpers.h NO_CACHE)
  find_library(groma_simgrid_library simgrid NO_CACHE)
  if(NOT groma_simgrid_include OR NOT groma_simgrid_library)
    message(FATAL_ERROR "SimGrid is missing. Install libsimgrid-dev (Debian), or give its prefix with "
                        "-DCMAKE_PREFIX_PATH=...; or build without -DGROMA_SIMULATED=ON.")
  endif()
  target_include_directories(groma::mpi SYSTEM INTERFACE "${groma_simgrid_include}/smpi")
  target_compile_options(groma::mpi INTERFACE
    -fPIC -fno-gnu-unique "SHELL:-include ${groma_simgrid_include}/smpi/smpi_helpers.h")
  target_link_libraries(groma::mpi INTERFACE "${groma_simgrid_library}")
  message(STATUS "MPI: simulated by ${groma_simgrid_library}")
endfunction()

# Stops where the MPI header and library that were found have different binary interfaces: such an engine compiles, and
# ends in its first MPI call.
function(groma_check_header_and_library)
  set(CMAKE_REQUIRED_LIBRARIES groma::mpi)
  set(CMAKE_REQUIRED_QUIET ON)
  unset(groma_header_has_standard_abi CACHE)
  check_cxx_source_compiles([[
#include <mpi.h>
#if !defined(MPI_ABI_VERSION) || MPI_ABI_VERSION < 1
#error "the library's own binary interface"
#endif
int main() { return 0; }
]] groma_header_has_standard_abi)
  unset(groma_mpich_header_and_open_mpi_library CACHE)
  check_cxx_source_compiles([[
#include <mpi.h>
#if !defined(MPICH_VERSION)
#error "not MPICH's header"
#endif
extern "C" char ompi_mpi_comm_world;
int main() { return ompi_mpi_comm_world; }
]] groma_mpich_header_and_open_mpi_library)
  set(mismatch "")
  if("${MPI_CXX_LIBRARIES}" MATCHES "libmpi_abi[.]" AND NOT groma_header_has_standard_abi)
    set(mismatch "the library has the MPI standard ABI, and the header, without -DMPI_ABI, has not")
  elseif("${MPI_CXX_COMPILE_DEFINITIONS}" MATCHES "(^|;)MPI_ABI(;|=|$)" AND groma_header_has_standard_abi
         AND NOT "${MPI_CXX_LIBRARIES}" MATCHES "libmpi_abi[.]")
    set(mismatch "the header, with -DMPI_ABI, has the MPI standard ABI, and the library is not libmpi_abi")
  elseif(groma_mpich_header_and_open_mpi_library)
    set(mismatch "the header is that of MPICH, and the library is Open MPI")
  endif()
  if(mismatch)
    message(FATAL_ERROR
      "MPI's header and library do not belong together: ${mismatch} (${MPI_CXX_HEADER_DIR}/mpi.h, ${MPI_CXX_LIBRARIES}). "
      "Configure in a new folder with -DMPI_CXX_COMPILER=... alone, the compiler wrapper of one library.")
  endif()
endfunction()

# MPI_CXX_SKIP_MPICXX is not used for the definitions below: with it, CMake loses those of the wrapper, such as MPI_ABI.
function(groma_define_site_mpi)
  find_package(MPI REQUIRED COMPONENTS CXX)
  target_link_libraries(groma::mpi INTERFACE MPI::MPI_CXX)
  # Without the C++ bindings that MPI 3 removed.
  target_compile_definitions(groma::mpi INTERFACE MPICH_SKIP_MPICXX OMPI_SKIP_MPICXX)
  groma_check_header_and_library()
  message(STATUS "MPI: ${MPI_CXX_COMPILER}")
endfunction()

if(NOT TARGET groma::mpi)
  add_library(groma::mpi INTERFACE IMPORTED GLOBAL)
  if(GROMA_SIMULATED)
    groma_define_simulated_mpi()
  elseif(GROMA_MPI_ABI)
    groma_define_abi_mpi()
  else()
    groma_define_site_mpi()
  endif()
endif()

# The sources in an installed package bring the header with them.
if(NOT TARGET nlohmann_json::nlohmann_json AND EXISTS "${CMAKE_CURRENT_LIST_DIR}/../third_party/nlohmann/json.hpp")
  cmake_path(ABSOLUTE_PATH CMAKE_CURRENT_LIST_DIR NORMALIZE OUTPUT_VARIABLE groma_cmake_folder_here)
  cmake_path(GET groma_cmake_folder_here PARENT_PATH groma_root_here)
  add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED GLOBAL)
  target_include_directories(nlohmann_json::nlohmann_json SYSTEM INTERFACE "${groma_root_here}/third_party")
endif()
# pip brings a pinned one; without pip, or where a site's recipe builds the package, the site's is as good.
if(DEFINED SKBUILD)
  groma_file_of_distribution(nlohmann-json nlohmann/json.hpp groma_json_header)
endif()
if(NOT groma_json_header AND NOT TARGET nlohmann_json::nlohmann_json)
  find_package(nlohmann_json 3.10 QUIET)
endif()
if(NOT TARGET nlohmann_json::nlohmann_json)
  if(NOT groma_json_header)
    groma_file_of_distribution(nlohmann-json nlohmann/json.hpp groma_json_header)
  endif()
  if(NOT groma_json_header)
    message(FATAL_ERROR "nlohmann/json.hpp is missing. Install nlohmann-json3-dev (Debian), json-devel (Fedora) or "
                        "PyPI's nlohmann-json==3.12.0, or give its prefix with -DCMAKE_PREFIX_PATH=...")
  endif()
  cmake_path(GET groma_json_header PARENT_PATH groma_json_folder)
  cmake_path(GET groma_json_folder PARENT_PATH groma_json_folder)
  add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED GLOBAL)
  target_include_directories(nlohmann_json::nlohmann_json SYSTEM INTERFACE "${groma_json_folder}")
endif()
