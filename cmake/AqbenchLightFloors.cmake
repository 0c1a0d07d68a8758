# One static library for each folder of libaqbench.so, lowest floor first, and the module `images`. They need no
# LibTorch and no Open3D: with AQBENCH_LIBRARIES_ONLY only they are built.
aqbench_library(core core Eigen3::Eigen nlohmann_json::nlohmann_json fmt::fmt OpenSSL::Crypto Threads::Threads
                ${CMAKE_DL_LIBS})
aqbench_library(processes core/processes aqbench::core)
aqbench_library(command_line core/command_line aqbench::core)
target_link_libraries(aqbench_command_line PRIVATE Boost::program_options)  # in no header
aqbench_library(drawing core/drawing aqbench::core)
aqbench_library(triangles scenes/triangles aqbench::core)
aqbench_library(cloud scenes/cloud aqbench::triangles)
target_link_libraries(aqbench_cloud PRIVATE ZLIB::ZLIB)  # npz.cc; in no header
aqbench_library(surfaces scenes/surfaces aqbench::cloud)
file(GLOB ripples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scenes/surfaces/ripples/*.cc)
target_sources(aqbench_surfaces PRIVATE ${ripples})
# No fused multiply-add: the same triangle is closest whichever instruction set AQBENCH_MULTIVERSION picks.
set_source_files_properties(scenes/surfaces/triangle_tree.cc scenes/surfaces/triangle_search.cc
                            PROPERTIES COMPILE_OPTIONS -ffp-contract=off SKIP_UNITY_BUILD_INCLUSION ON
                            SKIP_PRECOMPILE_HEADERS ON)
aqbench_library(images scenes/images aqbench::cloud)
target_link_libraries(aqbench_images PRIVATE PNG::PNG JPEG::JPEG TIFF::TIFF)  # in no header
aqbench_library(optics scenes/optics aqbench::cloud)
aqbench_library(scene_registry scenes aqbench::surfaces)
aqbench_library(rendering scenes/rendering aqbench::scene_registry aqbench::images aqbench::optics)
aqbench_library(dataset scenes/dataset aqbench::rendering)

aqbench_library(numbers metrics/numbers aqbench::core)
aqbench_library(neighbours metrics/neighbours aqbench::cloud)
aqbench_library(true_clouds metrics/truth aqbench::surfaces aqbench::numbers aqbench::neighbours)
aqbench_library(metrics metrics aqbench::rendering aqbench::true_clouds)
aqbench_library(alignment metrics/alignment aqbench_metrics)
aqbench_library(protocols metrics/protocols aqbench::alignment)
# False alarms of g++ 12 on initialisers by name.
set_source_files_properties(metrics/protocols/cloud_protocols.cc PROPERTIES COMPILE_OPTIONS -Wno-maybe-uninitialized)
# No fused multiply-add: distances have the same bits whichever instruction set AQBENCH_MULTIVERSION picks.
set(same_bits aqbench_numbers aqbench_neighbours aqbench_true_clouds aqbench_metrics aqbench_protocols)
foreach(library IN LISTS same_bits)
  target_compile_options(${library} PRIVATE -ffp-contract=off)
endforeach()

aqbench_library(statistics harness/statistics aqbench::core)
target_link_libraries(aqbench_statistics PRIVATE Boost::headers)  # summary.cc; in no header
aqbench_library(records harness/records aqbench_metrics)
aqbench_library(project_datasets harness/datasets aqbench::records aqbench::dataset)
aqbench_library(viewing harness/viewing aqbench_metrics)
aqbench_library(scoring harness/scoring aqbench::viewing aqbench::records aqbench::dataset aqbench::drawing
                aqbench::protocols)
target_link_libraries(aqbench_scoring PRIVATE PNG::PNG)  # pictures of depth maps; in no header
aqbench_library(eval harness/eval aqbench::scoring aqbench::project_datasets aqbench::command_line)

if(OpenCV_FOUND AND OpenEXR_FOUND)
  aqbench_library(opencv_images scenes/images/opencv aqbench::images)
  target_link_options(aqbench_opencv_images INTERFACE LINKER:-u,aqbench_images_table)
  set(image_libraries opencv_core OpenEXR::OpenEXRCore)
  target_link_libraries(aqbench_opencv_images PRIVATE ${image_libraries})
  target_include_directories(aqbench_opencv_images SYSTEM PRIVATE ${OpenCV_INCLUDE_DIRS})
  # With what it uses of lighter folders: libaqbench.so shows none of that.
  aqbench_module(images opencv_images ${image_libraries} aqbench::images)
  target_link_options(aqbench_module_images PRIVATE LINKER:--exclude-libs,ALL)
else()
  message(STATUS "No rendering of images: it needs libopencv-dev and libopenexr-dev")
endif()

# The build of program and library (harness/measuring/build_info.cc).
set(source_state ${PROJECT_BINARY_DIR}/generated/aqbench_source_state.h)
add_custom_target(aqbench_source_state BYPRODUCTS ${source_state}
  COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DOUTPUT=${source_state}
          -P ${PROJECT_SOURCE_DIR}/cmake/source_state.cmake
  COMMENT "")
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type_upper)
get_target_property(common_flags aqbench_flags INTERFACE_COMPILE_OPTIONS)
string(REPLACE ";" " " common_flags "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type_upper}} -std=c++20 ${common_flags}")
string(STRIP "${common_flags}" common_flags)
set(build_definitions
  AQBENCH_VERSION="${PROJECT_VERSION}"
  AQBENCH_COMPILER="${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
  AQBENCH_FLAGS="${common_flags}"
  AQBENCH_BUILD_TYPE="${CMAKE_BUILD_TYPE}"
  AQBENCH_SANITIZERS="${AQBENCH_SANITIZE}"
  AQBENCH_TORCH_VERSION="${Torch_VERSION}"
  AQBENCH_OPEN3D_VERSION="${Open3D_VERSION}"
  AQBENCH_EMBREE_VERSION="${embree_VERSION}"
  AQBENCH_EIGEN_VERSION="${Eigen3_VERSION}"
  AQBENCH_BOOST_VERSION="${Boost_VERSION}"
  AQBENCH_JSON_VERSION="${nlohmann_json_VERSION}"
  AQBENCH_FMT_VERSION="${fmt_VERSION}"
  AQBENCH_OPENSSL_VERSION="${OPENSSL_VERSION}"
  AQBENCH_BENCHMARK_VERSION="${benchmark_VERSION}")
set_source_files_properties(harness/measuring/build_info.cc PROPERTIES
  SKIP_UNITY_BUILD_INCLUSION ON
  INCLUDE_DIRECTORIES ${PROJECT_BINARY_DIR}/generated
  COMPILE_DEFINITIONS "${build_definitions}")
