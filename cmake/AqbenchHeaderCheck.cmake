# Every header compiles alone: a tiny source file for each, in object libraries that are never linked. Compiled by
# `make headers` and CI. tests/architecture/own_names_test.cc finds most problems in every `make test`, without a compiler.
#
# A .cc file starts with its own header (tests/architecture checks that), so a build of single files already checks
# these headers; only headers without a .cc file are compiled here. In a unity build several .cc files are one, so all
# headers are compiled here, but only on request (a tenth of the build).
#
# They are compiled after a precompiled copy of the slowest standard headers, and of Eigen/Core if a header reaches
# Eigen through its own includes: it sees no more of the project and of Eigen than it includes itself.
# tests/architecture/standard_names_test.cc checks that it includes the standard headers it uses.

# aqbench_reaches_eigen(HEADER RESULT): whether it includes Eigen, itself or through headers of the project.
function(aqbench_reaches_eigen header result)
  get_property(reaches GLOBAL PROPERTY "aqbench_reaches_eigen_${header}")
  if("${reaches}" STREQUAL "")
    set(reaches FALSE)
    set_property(GLOBAL PROPERTY "aqbench_reaches_eigen_${header}" FALSE)  # ends cycles
    file(STRINGS ${PROJECT_SOURCE_DIR}/${header} lines REGEX "^#include [<\"]")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include [<\"]([^>\"]+).*" "\\1" path "${line}")
      set(below FALSE)
      if(line MATCHES "^#include \"" AND EXISTS ${PROJECT_SOURCE_DIR}/${path})
        aqbench_reaches_eigen(${path} below)
      endif()
      if(below OR path MATCHES "^Eigen/")
        set(reaches TRUE)
      endif()
    endforeach()
    set_property(GLOBAL PROPERTY "aqbench_reaches_eigen_${header}" ${reaches})
  endif()
  set(${result} ${reaches} PARENT_SCOPE)
endfunction()

# aqbench_header_check(dependencies...): the object libraries aqbench_header_check and aqbench_header_check_eigen, and
# the target aqbench_headers of both.
function(aqbench_header_check)
  set(folders core scenes metrics pipeline harness reports cli aqbench)
  list(TRANSFORM folders REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/\\1/*.h" OUTPUT_VARIABLE patterns)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${patterns})
  foreach(header IN LISTS headers)
    string(REGEX REPLACE "\\.h$" ".cc" own_source ${header})
    if(CMAKE_UNITY_BUILD OR NOT EXISTS ${PROJECT_SOURCE_DIR}/${own_source})
      set(source ${PROJECT_BINARY_DIR}/header_check/${own_source})
      file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n#include \"${header}\"  // harmless\n")
      aqbench_reaches_eigen(${header} reaches_eigen)
      list(APPEND sources_${reaches_eigen} ${source})
    endif()
  endforeach()
  add_library(aqbench_header_check OBJECT ${sources_FALSE})
  add_library(aqbench_header_check_eigen OBJECT ${sources_TRUE})
  target_precompile_headers(aqbench_header_check_eigen PRIVATE <Eigen/Core>)
  add_custom_target(aqbench_headers DEPENDS aqbench_header_check aqbench_header_check_eigen)
  foreach(library aqbench_header_check aqbench_header_check_eigen)
    set_target_properties(${library} PROPERTIES UNITY_BUILD OFF)
    target_compile_options(${library} PRIVATE -O0 -g0)
    target_link_libraries(${library} PRIVATE aqbench::flags ${ARGN})
    target_precompile_headers(${library} PRIVATE <algorithm> <chrono> <filesystem> <functional> <map> <memory> <optional>
      <set> <span> <string> <unordered_map> <variant> <vector>)
    if(CMAKE_UNITY_BUILD)
      set_target_properties(${library} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
  endforeach()
endfunction()
