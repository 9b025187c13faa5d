# Where the engine, its library and its CMake package go.
include(CMakePackageConfigHelpers)

set(groma_executables groma-engine ${GROMA_PROGRAMS})
if(NOT GROMA_MPI_ABI)
  set_target_properties(${groma_executables} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
elseif(DEFINED SKBUILD)
  # The engine lies beside its mpiexec, and finds the virtual environment's libmpi_abi.so.1.
  set_target_properties(${groma_executables} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
else()
  set_target_properties(${groma_executables} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib;${GROMA_MPI_ABI_PREFIX}/lib")
endif()
if(DEFINED SKBUILD)
  install(TARGETS ${groma_executables} DESTINATION "${SKBUILD_SCRIPTS_DIR}")
  install(FILES docs/groma.1 DESTINATION "${SKBUILD_DATA_DIR}/share/man/man1")
  # What `groma mpi add` builds engines from, where there is no checkout.
  set(groma_sources "${SKBUILD_PLATLIB_DIR}/groma/_engine_sources")
  install(FILES CMakeLists.txt LICENSE DESTINATION "${groma_sources}")
  install(DIRECTORY cmake engine DESTINATION "${groma_sources}" PATTERN tests EXCLUDE)
  get_target_property(groma_json_folder nlohmann_json::nlohmann_json INTERFACE_INCLUDE_DIRECTORIES)
  install(DIRECTORY "${groma_json_folder}/nlohmann" DESTINATION "${groma_sources}/third_party"
          FILES_MATCHING PATTERN "*.hpp")
  return()
endif()

set_target_properties(groma_engine PROPERTIES EXPORT_NAME engine)
install(TARGETS ${groma_executables} DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(TARGETS groma_engine EXPORT groma-targets DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY engine/groma DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp")

set(groma_cmake_folder "${CMAKE_INSTALL_LIBDIR}/cmake/groma")
install(EXPORT groma-targets NAMESPACE groma:: DESTINATION "${groma_cmake_folder}")
configure_package_config_file(cmake/groma-config.cmake.in groma-config.cmake INSTALL_DESTINATION "${groma_cmake_folder}")
write_basic_package_version_file(groma-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/GromaDependencies.cmake "${CMAKE_CURRENT_BINARY_DIR}/groma-config.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/groma-config-version.cmake"
        DESTINATION "${groma_cmake_folder}")
