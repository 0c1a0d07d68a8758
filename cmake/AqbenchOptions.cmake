option(AQBENCH_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(AQBENCH_BUILD_BENCHMARKS "Build the Google Benchmark targets" ${PROJECT_IS_TOP_LEVEL})
option(AQBENCH_BUILD_FUZZ "Build the fuzzer of the readers (clang only)" OFF)
set(AQBENCH_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

find_program(AQBENCH_CCACHE ccache)
if(AQBENCH_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${AQBENCH_CCACHE})
endif()

option(AQBENCH_LIBRARIES "Build libaqbench.so for C++ programs, and the Python module (docs/libraries.md)" OFF)
if(PROJECT_IS_TOP_LEVEL)
  option(AQBENCH_LIBRARIES_ONLY "Build only the libraries, without LibTorch and Open3D: no program, no tests" OFF)
else()
  option(AQBENCH_LIBRARIES_ONLY "Build only the libraries, as part of another build" ON)
endif()

# The compiler collects garbage only from 512 MiB on: saves a tenth of a clean build. Not among the flags named in
# results.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(--param=ggc-min-heapsize=524288)
endif()

add_library(aqbench_flags INTERFACE)
add_library(aqbench::flags ALIAS aqbench_flags)
# -fno-math-errno and -fno-trapping-math change no result; they let loops with sqrt and selects vectorise.
target_compile_options(aqbench_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wno-psabi
  -fno-math-errno -fno-trapping-math
  -fno-semantic-interposition)  # position-independent code is as fast as any other
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(aqbench_flags INTERFACE -Wno-restrict -Wno-stringop-overflow
    -Wno-array-bounds)  # false alarms on std::string, GCC bugs 105329 and 105651
endif()
target_include_directories(aqbench_flags INTERFACE ${PROJECT_SOURCE_DIR})
# A JSON value is converted only by get<>(): saves overload resolution.
target_compile_definitions(aqbench_flags INTERFACE JSON_USE_IMPLICIT_CONVERSIONS=0)
if(AQBENCH_SANITIZE)
  target_compile_options(aqbench_flags INTERFACE -fsanitize=${AQBENCH_SANITIZE}
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(aqbench_flags INTERFACE -fsanitize=${AQBENCH_SANITIZE})
endif()

# aqbench_library(NAME FOLDER [dependencies...]): one static library of all .cc files in FOLDER, as aqbench::NAME,
# except those of AQBENCH_PROGRAM_SOURCES: part of the program although the folder is part of a module.
set(AQBENCH_PROGRAM_SOURCES "_spec\\.cc$|fusion/cloud_options\\.cc$|kernels/options\\.cc$|cli/main\\.cc$")
string(APPEND AQBENCH_PROGRAM_SOURCES "|workloads/registry\\.cc$"
  "|workloads/(absorption|tricubic)\\.cc$|opencl/opencl_table\\.cc$")
function(aqbench_library name folder)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cc)
  list(FILTER sources EXCLUDE REGEX "${AQBENCH_PROGRAM_SOURCES}")
  add_library(aqbench_${name} STATIC ${sources})
  # Objects compiled once are part of the program, of modules and of libaqbench.so.
  set_target_properties(aqbench_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(aqbench_${name} PUBLIC aqbench::flags ${ARGN})
  if(NOT name MATCHES "^(metrics|ab)$")  # names of the libraries for other programs (AqbenchLibrary.cmake)
    add_library(aqbench::${name} ALIAS aqbench_${name})
  endif()
  set_property(GLOBAL APPEND PROPERTY AQBENCH_PROGRAM_LIBRARIES aqbench_${name})
  # Text in, text out, and waiting for other processes: -O1 takes three quarters of the processor time (reports/html 11.2 s
  # instead of 15.8, harness/planning 14.8 of 20.1, cli 23.8 of 31.3), and costs a user nothing.
  if(folder MATCHES "^(core/(sandbox|drawing|command_line)|scenes/dataset|pipeline/external|harness|reports|cli)" AND
     NOT folder MATCHES "^harness/(statistics|measuring|viewing|scoring)")
    target_compile_options(aqbench_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
    set_property(GLOBAL APPEND PROPERTY AQBENCH_TEXT_LIBRARIES aqbench_${name})
  else()
    set_property(GLOBAL APPEND PROPERTY AQBENCH_OPTIMISED_LIBRARIES aqbench_${name})
  endif()
endfunction()

# aqbench_module(NAME "LIBRARY..." [dependencies...]): the loadable module libaqbench_NAME.so (core/module.h) of the
# objects of these static libraries. Symbols of lighter folders are resolved in the loading program.
function(aqbench_module name libraries)
  separate_arguments(libraries)
  set(objects "")
  foreach(library IN LISTS libraries)
    list(APPEND objects $<TARGET_OBJECTS:aqbench_${library}>)
  endforeach()
  add_library(aqbench_module_${name} SHARED ${objects})
  set_target_properties(aqbench_module_${name} PROPERTIES OUTPUT_NAME aqbench_${name} LINKER_LANGUAGE CXX
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_link_libraries(aqbench_module_${name} PRIVATE ${ARGN})
  target_link_options(aqbench_module_${name} PRIVATE LINKER:--build-id=sha1 LINKER:--as-needed)
endfunction()

# aqbench_bind_old_symbols(TARGET): runs with older C libraries, too (core/old_symbols.cc). GNU ld alone leaves the call
# in that file as it is: gold, with which tests are linked, would let it call itself.
function(aqbench_bind_old_symbols target)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" AND NOT AQBENCH_SANITIZE AND NOT "${CMAKE_EXE_LINKER_FLAGS}" MATCHES "fuse-ld")
    target_link_options(${target} PRIVATE LINKER:--wrap=hypot)
  endif()
endfunction()

# aqbench_archives(OUT TARGETS...): the files of this project's static libraries that the targets are or link.
function(aqbench_archives out)
  set(seen "")
  set(files "")
  set(open ${ARGN})
  while(open)
    list(POP_FRONT open target)
    string(REPLACE "aqbench::" "aqbench_" target "${target}")
    if(NOT target MATCHES "^aqbench_" OR NOT TARGET ${target} OR target IN_LIST seen)
      continue()
    endif()
    list(APPEND seen ${target})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      list(APPEND files $<TARGET_FILE:${target}>)
    endif()
    get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
    list(APPEND open ${links})
  endwhile()
  set(${out} ${files} PARENT_SCOPE)
endfunction()

find_program(AQBENCH_GOLD ld.gold)
# aqbench_test(NAME "FOLDER..." [dependencies...]): one test program of all .cc files in these folders of tests/. A
# trailing "/" includes subfolders. One ctest entry per program, because starting one that links LibTorch and Open3D
# costs 0.45 s.
function(aqbench_test name folders)
  separate_arguments(folders)
  set(sources "")
  foreach(folder IN LISTS folders)
    if(folder MATCHES "/$")
      file(GLOB_RECURSE found CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}*.cc)
    else()
      file(GLOB found CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cc)
    endif()
    list(APPEND sources ${found})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY AQBENCH_TEST_SOURCES ${sources})
  add_executable(aqbench_${name}_test ${sources})
  target_compile_options(aqbench_${name}_test PRIVATE -fPIC)  # like their precompiled headers
  target_link_libraries(aqbench_${name}_test PRIVATE ${ARGN} GTest::gmock GTest::gtest_main)
  # -O0 takes two thirds of the time of -O1 (reports 54 s instead of 78); tests that compute themselves would run four
  # times as long (metrics 127 s of processor time instead of 31, scenes 83 instead of 21).
  if(name MATCHES "^(scenes|metrics|kernels|pipeline|statistics)$")
    target_compile_options(aqbench_${name}_test PRIVATE $<$<CONFIG:Release>:-O1>)
    set_property(GLOBAL APPEND PROPERTY AQBENCH_TESTS_OF_NUMBERS aqbench_${name}_test)
  else()
    target_compile_options(aqbench_${name}_test PRIVATE $<$<CONFIG:Release>:-O0>)
    set_property(GLOBAL APPEND PROPERTY AQBENCH_TESTS_OF_TEXT aqbench_${name}_test)
    # The linker keeps the first copy of a template: the libraries stand first, or they would run with the test's own.
    aqbench_archives(archives ${ARGN})
    target_link_options(aqbench_${name}_test PRIVATE LINKER:--whole-archive ${archives} LINKER:--no-whole-archive)
  endif()
  if(AQBENCH_GOLD)
    target_link_options(aqbench_${name}_test PRIVATE -fuse-ld=gold)  # a fifth of ld's time
  endif()
  target_compile_definitions(aqbench_${name}_test PRIVATE AQBENCH_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND aqbench_${name}_test)
endfunction()

# aqbench_benchmark(NAME [dependencies...]): benchmarks/NAME_benchmark.cc as a Google Benchmark program.
function(aqbench_benchmark name)
  add_executable(${name}_benchmark ${CMAKE_CURRENT_SOURCE_DIR}/${name}_benchmark.cc)
  target_link_libraries(${name}_benchmark PRIVATE ${ARGN} benchmark::benchmark)
endfunction()
