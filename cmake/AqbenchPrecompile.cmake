# Precompiles headers of other projects that most files read: saves a third of a clean build. An incremental build
# without it (CMAKE_UNITY_BUILD off) shows missing includes.
option(AQBENCH_PRECOMPILE "Precompile headers of the standard library, JSON, fmt and Eigen" ${CMAKE_UNITY_BUILD})
if(AQBENCH_PRECOMPILE AND AQBENCH_CCACHE)  # what ccache's manual asks for with precompiled headers
  list(PREPEND CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros)
endif()

# aqbench_precompile(NAME TARGETS... [HEADERS more... LIBRARIES of them...] [OPTIONS options...]): compiles the headers
# for position-independent code and lets the targets use them. OPTIONS must be the targets' own: GCC 12 keeps those of
# optimisation in the precompiled headers. Functions with AQBENCH_MULTIVERSION take them from there, and a target of
# -O1 that reads headers of -O3 compiles twice as long.
function(aqbench_precompile name)
  if(NOT AQBENCH_PRECOMPILE)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "TARGETS;HEADERS;LIBRARIES;OPTIONS")
  set(source ${PROJECT_BINARY_DIR}/generated/precompiled_${name}.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(aqbench_precompiled_${name} OBJECT ${source})
  set_target_properties(aqbench_precompiled_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(aqbench_precompiled_${name} PRIVATE aqbench::flags Eigen3::Eigen nlohmann_json::nlohmann_json
    fmt::fmt ${arg_LIBRARIES})
  target_compile_definitions(aqbench_precompiled_${name} PRIVATE _GLIBCXX_USE_CXX11_ABI=1)
  target_compile_options(aqbench_precompiled_${name} PRIVATE ${arg_OPTIONS})
  target_precompile_headers(aqbench_precompiled_${name} PRIVATE
    <algorithm> <array> <chrono> <cmath> <cstdint> <filesystem> <fstream> <functional> <map> <memory> <mutex> <optional>
    <set> <span> <string> <thread> <unordered_map> <variant> <vector> <fmt/format.h> <nlohmann/json.hpp> <Eigen/Core>
    <Eigen/Geometry> ${PROJECT_SOURCE_DIR}/cmake/precompiled_json.h ${arg_HEADERS})
  aqbench_use_precompiled(${name} ${arg_TARGETS})
endfunction()

# aqbench_use_precompiled(NAME TARGETS...): lets more targets use these headers.
function(aqbench_use_precompiled name)
  if(NOT AQBENCH_PRECOMPILE)
    return()
  endif()
  foreach(target IN LISTS ARGN)
    # LibTorch, Open3D and GoogleTest define them for their users; GCC wants them the same in all. 1 is the default.
    target_compile_definitions(${target} PRIVATE _GLIBCXX_USE_CXX11_ABI=1 GTEST_HAS_PTHREAD=1)
    target_precompile_headers(${target} REUSE_FROM aqbench_precompiled_${name})
  endforeach()
endfunction()
