# Every header compiles alone: one tiny source file per header, compiled by a test and never linked.
#
# A .cc file starts with its own header (tests/architecture checks that), so an ordinary build shows for free that such a
# header stands alone; only headers without a .cc file are compiled here. A unity build shows nothing, as several .cc
# files are one: there, all headers are.
#
# They are compiled after a precompiled copy of the standard headers that take longest to read, and of Eigen/Core where
# a header reaches Eigen through its own includes: it sees no more of the project and of Eigen than it includes itself.
# That it includes the standard headers of what it uses is the matter of tests/architecture/standard_names_test.cc.

# aqbench_reaches_eigen(HEADER RESULT): does it include Eigen, itself or through headers of the project?
function(aqbench_reaches_eigen header result)
  get_property(known GLOBAL PROPERTY "aqbench_reaches_eigen_${header}")
  if("${known}" STREQUAL "")
    set(known FALSE)
    set_property(GLOBAL PROPERTY "aqbench_reaches_eigen_${header}" FALSE)  # ends cycles
    file(STRINGS ${PROJECT_SOURCE_DIR}/${header} lines REGEX "^#include [<\"]")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include [<\"]([^>\"]+).*" "\\1" path "${line}")
      if(path MATCHES "^Eigen/")
        set(known TRUE)
      elseif(line MATCHES "^#include \"" AND EXISTS ${PROJECT_SOURCE_DIR}/${path})
        aqbench_reaches_eigen(${path} known)
      endif()
      if(known)
        break()
      endif()
    endforeach()
    set_property(GLOBAL PROPERTY "aqbench_reaches_eigen_${header}" ${known})
  endif()
  set(${result} ${known} PARENT_SCOPE)
endfunction()

# aqbench_header_check(dependencies...): the object libraries aqbench_header_check and aqbench_header_check_eigen.
function(aqbench_header_check)
  set(plain "")
  set(eigen "")
  set(folders core scenes metrics pipeline harness reports cli aqbench)
  list(TRANSFORM folders REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/\\1/*.h" OUTPUT_VARIABLE patterns)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${patterns})
  foreach(header IN LISTS headers)
    string(REGEX REPLACE "\\.h$" ".cc" own_source ${header})
    if(NOT CMAKE_UNITY_BUILD AND EXISTS ${PROJECT_SOURCE_DIR}/${own_source})
      continue()
    endif()
    set(source ${PROJECT_BINARY_DIR}/header_check/${own_source})
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n#include \"${header}\"  // harmless\n")
    aqbench_reaches_eigen(${header} reaches_eigen)
    if(reaches_eigen)
      list(APPEND eigen ${source})
    else()
      list(APPEND plain ${source})
    endif()
  endforeach()
  aqbench_header_check_library(aqbench_header_check "${plain}" ${ARGN})
  aqbench_header_check_library(aqbench_header_check_eigen "${eigen}" ${ARGN})
  if(TARGET aqbench_header_check_eigen)
    target_precompile_headers(aqbench_header_check_eigen PRIVATE <Eigen/Core>)
  endif()
  # Compiled by a test, side by side with others, so that a build does not wait for what nobody links.
  set(targets aqbench_header_check)
  if(TARGET aqbench_header_check_eigen)
    list(APPEND targets aqbench_header_check_eigen)
  endif()
  add_test(NAME headers_stand_alone
    COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --parallel 1 --target ${targets})
  set_tests_properties(headers_stand_alone PROPERTIES COST 60)
endfunction()

function(aqbench_header_check_library target sources)
  if(sources)
    add_library(${target} OBJECT EXCLUDE_FROM_ALL ${sources})
    set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
    target_compile_options(${target} PRIVATE -O0 -g0)
    target_link_libraries(${target} PRIVATE aqbench::flags ${ARGN})
    target_precompile_headers(${target} PRIVATE <algorithm> <chrono> <filesystem> <functional> <map> <memory> <optional>
      <set> <span> <string> <unordered_map> <variant> <vector>)
  endif()
endfunction()
