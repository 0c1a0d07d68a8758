# Every library the project uses, found once. scripts/install-deps.sh installs them on Debian 12.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PNG REQUIRED)
find_package(JPEG REQUIRED)
find_package(TIFF REQUIRED)  # 4.5
find_package(Boost 1.74 REQUIRED COMPONENTS program_options)
if(AQBENCH_LIBRARIES_ONLY)
  find_package(OpenCV 4 QUIET COMPONENTS core)  # these two: the module `images`
  find_package(OpenEXR 3.1 CONFIG QUIET)
  return()
endif()
find_package(Torch REQUIRED)  # 1.13 (Debian) or 2.x given by CMAKE_PREFIX_PATH
find_package(Open3D REQUIRED)  # 0.16.1; its version file accepts exact matches only
find_package(embree 3 REQUIRED)
find_package(OpenCV 4 REQUIRED COMPONENTS core calib3d imgproc imgcodecs features2d video)
find_package(OpenEXR 3.1 CONFIG REQUIRED)
if(AQBENCH_BUILD_TESTS)
  find_package(GTest 1.12 REQUIRED)
endif()
find_package(TBB REQUIRED)
find_package(OpenCL QUIET)  # headers and the loader of drivers: the module `opencl`
find_package(benchmark 1.7 REQUIRED)  # the timing engine of `aqbench sweep`, too

# LibTorch's own targets carry compile flags of their build; link only what is needed.
add_library(aqbench_torch INTERFACE)
add_library(aqbench::torch ALIAS aqbench_torch)
target_link_libraries(aqbench_torch INTERFACE ${TORCH_LIBRARIES})
target_include_directories(aqbench_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
