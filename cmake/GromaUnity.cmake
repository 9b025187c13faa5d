# Compiles these sources of a target as one, by CMake's unity builds. Their names must not collide, also not those in
# anonymous namespaces.
function(groma_compile_together target group)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP UNITY_BUILD_RELOCATABLE ON)
  set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${group})
endfunction()

# The same for the sources of each of these folders.
function(groma_compile_folders target)
  get_target_property(sources ${target} SOURCES)
  foreach(folder IN LISTS ARGN)
    set(in_folder ${sources})
    list(FILTER in_folder INCLUDE REGEX "^groma/${folder}/")
    groma_compile_together(${target} ${folder} ${in_folder})
  endforeach()
endfunction()

# The same for these families of operations.
function(groma_compile_families target group)
  list(TRANSFORM ARGN PREPEND groma/operations/ OUTPUT_VARIABLE sources)
  list(TRANSFORM sources APPEND .cpp)
  groma_compile_together(${target} families_${group} ${sources})
endfunction()
