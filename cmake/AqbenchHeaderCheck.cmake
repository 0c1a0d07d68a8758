# Every header compiles alone: tiny source files, one object library with the build, never linked.
#
# A .cc file starts with its own header (tests/architecture checks that), so an ordinary build shows for free that such a
# header stands alone; only headers without a .cc file are compiled here. A unity build shows nothing, as several .cc
# files are one: there, all headers are.
#
# A source file includes a chain of headers, each of which is included by the next one. What such a header finds is what
# it would find in a file of its own, where its own includes would have given it the headers before it. Chains save a
# third of the time that single headers take.
#
# They are compiled after a precompiled copy of the standard headers that take longest to read, and of Eigen/Core where
# a header reaches Eigen through its own includes: it sees no more of the project and of Eigen than it includes itself.
# That it includes the standard headers of what it uses is the matter of tests/architecture/standard_names_test.cc.

# aqbench_read_includes(HEADER): the properties aqbench_includes_HEADER (headers of the project that it includes itself),
# aqbench_reaches_eigen_HEADER and aqbench_depth_HEADER (longest way down its includes), once a header.
function(aqbench_read_includes header)
  get_property(known GLOBAL PROPERTY "aqbench_depth_${header}")
  if(NOT "${known}" STREQUAL "")
    return()
  endif()
  set_property(GLOBAL PROPERTY "aqbench_depth_${header}" 100)  # ends cycles
  set(includes "")
  set(reaches_eigen FALSE)
  set(depth 100)
  file(STRINGS ${PROJECT_SOURCE_DIR}/${header} lines REGEX "^#include [<\"]")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^#include [<\"]([^>\"]+).*" "\\1" path "${line}")
    if(path MATCHES "^Eigen/")
      set(reaches_eigen TRUE)
    elseif(line MATCHES "^#include \"" AND EXISTS ${PROJECT_SOURCE_DIR}/${path})
      list(APPEND includes ${path})
      aqbench_read_includes(${path})
      get_property(below GLOBAL PROPERTY "aqbench_depth_${path}")
      get_property(eigen_below GLOBAL PROPERTY "aqbench_reaches_eigen_${path}")
      if(below GREATER_EQUAL depth)
        math(EXPR depth "${below} + 1")
      endif()
      if(eigen_below)
        set(reaches_eigen TRUE)
      endif()
    endif()
  endforeach()
  set_property(GLOBAL PROPERTY "aqbench_includes_${header}" ${includes})
  set_property(GLOBAL PROPERTY "aqbench_reaches_eigen_${header}" ${reaches_eigen})
  set_property(GLOBAL PROPERTY "aqbench_depth_${header}" ${depth})
endfunction()

# aqbench_header_check(dependencies...): the object libraries aqbench_header_check and aqbench_header_check_eigen.
function(aqbench_header_check)
  set(folders core scenes metrics pipeline harness reports cli aqbench)
  list(TRANSFORM folders REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/\\1/*.h" OUTPUT_VARIABLE patterns)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${patterns})
  set(left "")  # "depth:header", the deepest first: a chain begins with one that nothing left over includes
  foreach(header IN LISTS headers)
    string(REGEX REPLACE "\\.h$" ".cc" own_source ${header})
    if(CMAKE_UNITY_BUILD OR NOT EXISTS ${PROJECT_SOURCE_DIR}/${own_source})
      aqbench_read_includes(${header})
      get_property(depth GLOBAL PROPERTY "aqbench_depth_${header}")
      list(APPEND left "${depth}:${header}")
      set("left_${header}" TRUE)
    endif()
  endforeach()
  list(SORT left ORDER DESCENDING)
  set(plain "")
  set(eigen "")
  foreach(entry IN LISTS left)
    string(REGEX REPLACE "^[0-9]+:" "" last ${entry})
    set(next ${last})
    set(lines "")
    while(next AND left_${next})
      set("left_${next}" FALSE)
      string(PREPEND lines "#include \"${next}\"\n#include \"${next}\"  // harmless\n")
      get_property(includes GLOBAL PROPERTY "aqbench_includes_${next}")
      get_property(reaches_eigen GLOBAL PROPERTY "aqbench_reaches_eigen_${next}")
      set(next "")
      set(most 0)
      foreach(include IN LISTS includes)
        get_property(depth GLOBAL PROPERTY "aqbench_depth_${include}")
        get_property(same GLOBAL PROPERTY "aqbench_reaches_eigen_${include}")
        if(left_${include} AND same STREQUAL reaches_eigen AND depth GREATER most)
          set(next ${include})
          set(most ${depth})
        endif()
      endforeach()
    endwhile()
    if(lines)
      string(REGEX REPLACE "\\.h$" ".cc" own_source ${last})
      set(source ${PROJECT_BINARY_DIR}/header_check/${own_source})
      file(CONFIGURE OUTPUT ${source} CONTENT "${lines}")
      if(reaches_eigen)
        list(APPEND eigen ${source})
      else()
        list(APPEND plain ${source})
      endif()
    endif()
  endforeach()
  aqbench_header_check_library(aqbench_header_check "${plain}" ${ARGN})
  aqbench_header_check_library(aqbench_header_check_eigen "${eigen}" ${ARGN})
  if(TARGET aqbench_header_check_eigen)
    target_precompile_headers(aqbench_header_check_eigen PRIVATE <Eigen/Core>)
  endif()
endfunction()

function(aqbench_header_check_library target sources)
  if(sources)
    add_library(${target} OBJECT ${sources})
    set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
    target_compile_options(${target} PRIVATE -O0 -g0)
    target_link_libraries(${target} PRIVATE aqbench::flags ${ARGN})
    target_precompile_headers(${target} PRIVATE <algorithm> <chrono> <filesystem> <functional> <map> <memory> <optional>
      <set> <span> <string> <unordered_map> <variant> <vector>)
  endif()
endfunction()
