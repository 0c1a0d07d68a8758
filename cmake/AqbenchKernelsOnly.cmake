# AQBENCH_KERNELS_ONLY: the plane sweep's kernels, their benchmark and their comparison tests, with LibTorch (1.13 or
# 2.x) as the only library, for machines with a GPU. Uses Google Benchmark and GTest if found.
#   cmake -S . -B build/kernels -DAQBENCH_KERNELS_ONLY=ON -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=.../libtorch
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(Torch REQUIRED)
find_package(benchmark 1.7 QUIET)
find_package(GTest 1.12 QUIET)
# Some builds of LibTorch require the older C++ ABI in all code.
string(APPEND CMAKE_CXX_FLAGS " ${TORCH_CXX_FLAGS}")

add_library(aqbench_torch INTERFACE)
add_library(aqbench::torch ALIAS aqbench_torch)
target_link_libraries(aqbench_torch INTERFACE ${TORCH_LIBRARIES})
target_include_directories(aqbench_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})

# The parts of core and optics without libraries.
add_library(aqbench_core STATIC core/parallel.cc core/stage_scope.cc)
add_library(aqbench::core ALIAS aqbench_core)
target_link_libraries(aqbench_core PUBLIC aqbench::flags Threads::Threads)
add_library(aqbench_optics STATIC
  scenes/optics/refractive_camera.cc scenes/optics/refraction_batch.cc scenes/optics/projection_table.cc)
add_library(aqbench::optics ALIAS aqbench_optics)
target_link_libraries(aqbench_optics PUBLIC aqbench::core)
set(AQBENCH_PROGRAM_SOURCES "^$")  # no modules here
aqbench_library(kernels pipeline/plane_sweep/kernels aqbench::optics aqbench::torch)

if(benchmark_FOUND)
  add_executable(plane_sweep_benchmark benchmarks/plane_sweep_benchmark.cc)
  target_link_libraries(plane_sweep_benchmark PRIVATE aqbench::kernels benchmark::benchmark)
endif()
if(GTest_FOUND)
  enable_testing()
  add_executable(aqbench_plane_sweep_test tests/pipeline/plane_sweep/kernels/fused_kernel_test.cc tests/pipeline/plane_sweep/kernels/torch_kernel_test.cc)
  target_link_libraries(aqbench_plane_sweep_test PRIVATE aqbench::kernels GTest::gmock GTest::gtest_main)
  add_test(NAME plane_sweep COMMAND aqbench_plane_sweep_test)
endif()
