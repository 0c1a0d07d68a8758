# aqbench_fuzz: libFuzzer over every reader (docs/robustness.md). Built by clang++ with the preset `fuzz`, which
# compiles no tests and, of the modules, the reader of images alone.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "AQBENCH_BUILD_FUZZ needs clang++ and its libFuzzer: cmake --preset fuzz")
endif()
file(GLOB fuzz_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/fuzz/*.cc)
list(FILTER fuzz_sources EXCLUDE REGEX "_test\\.cc$")
add_executable(aqbench_fuzz ${fuzz_sources} pipeline/views/dataset_views.cc)
target_link_libraries(aqbench_fuzz PRIVATE aqbench::history aqbench::project aqbench::protocols aqbench::opencv_images opencv_core opencv_imgproc opencv_imgcodecs)
target_include_directories(aqbench_fuzz SYSTEM PRIVATE ${OpenCV_INCLUDE_DIRS})
target_compile_definitions(aqbench_fuzz PRIVATE AQBENCH_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_link_options(aqbench_fuzz PRIVATE -fsanitize=fuzzer)
