# One static library for each folder, lowest floor first; then the modules, and the program that loads them.
# The table in docs/architecture.md describes each folder; tests/architecture compares it with the includes.
include(AqbenchLightFloors)  # those of libaqbench.so: all that `eval` uses, the module `images`
aqbench_library(sandbox core/sandbox aqbench::processes)
aqbench_library(change metrics/change aqbench::neighbours)
target_link_libraries(aqbench_change PRIVATE Boost::headers)  # Student's t; in no header

aqbench_library(method pipeline/method aqbench::dataset)
aqbench_library(simulated pipeline/simulated aqbench::method)
aqbench_library(external pipeline/external aqbench::method aqbench::sandbox aqbench::dataset)
# Specs of methods and workloads in the module `pipeline`, and workloads without libraries.
file(GLOB_RECURSE spec_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/pipeline/*.cc)
list(FILTER spec_sources INCLUDE REGEX "${AQBENCH_PROGRAM_SOURCES}")
add_library(aqbench_specs STATIC ${spec_sources})
add_library(aqbench::specs ALIAS aqbench_specs)
set_target_properties(aqbench_specs PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_link_libraries(aqbench_specs PUBLIC aqbench::flags aqbench::method aqbench::optics)
aqbench_library(pipeline pipeline aqbench::simulated aqbench::external aqbench::specs)

aqbench_library(measuring harness/measuring aqbench::processes aqbench::records aqbench::statistics aqbench::specs)
add_dependencies(aqbench_measuring aqbench_source_state)
target_link_libraries(aqbench_measuring PRIVATE benchmark::benchmark TBB::tbb rt)
aqbench_library(planning harness/planning aqbench::measuring aqbench::pipeline aqbench::project_datasets aqbench::protocols)
aqbench_library(project harness/project aqbench::planning)
aqbench_library(running harness/running aqbench::planning aqbench::eval aqbench::sandbox)
aqbench_library(sharing harness/sharing aqbench::running)
aqbench_library(profiling harness/profiling aqbench::running)
aqbench_library(checking harness/checking aqbench::scoring)
aqbench_library(gating harness/gating aqbench::records aqbench::statistics)
target_link_libraries(aqbench_gating PRIVATE Boost::headers)  # Student's t; in no header
aqbench_library(ab harness/ab aqbench::running aqbench::gating)

aqbench_library(document reports/document aqbench::core)
aqbench_library(content reports/content aqbench::document aqbench::gating aqbench::running)
aqbench_library(text reports/text aqbench::content aqbench_ab)
aqbench_library(html reports/html aqbench::content aqbench_ab aqbench::viewing)
aqbench_library(exports reports/exports aqbench::content aqbench::viewing)
aqbench_library(bundle reports/bundle aqbench::text aqbench::html aqbench::exports)
aqbench_library(history reports/history aqbench::bundle)
aqbench_library(site reports/site aqbench::history)
aqbench_library(docs_tables reports/docs_tables aqbench::bundle)
aqbench_library(cli cli aqbench::change aqbench::checking aqbench::protocols aqbench::history aqbench::site aqbench::docs_tables aqbench::profiling aqbench::project aqbench::sharing
                aqbench::eval)
file(GLOB cli_below CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/*/*.cc)
target_sources(aqbench_cli PRIVATE ${cli_below})
target_compile_definitions(aqbench_cli PRIVATE AQBENCH_VERSION="${PROJECT_VERSION}")

get_property(lighter GLOBAL PROPERTY AQBENCH_PROGRAM_LIBRARIES)
list(APPEND lighter aqbench_specs)
list(REMOVE_ITEM lighter aqbench_opencv_images)

# ---- Modules: what needs LibTorch, OpenCV, Open3D, Embree or OpenCL, loaded when something in it is first called (core/module.h) ----
# Each library names the tables by which programs that link it statically find its functions.
aqbench_library(embree_meshes scenes/surfaces/embree aqbench::surfaces)
target_link_libraries(aqbench_embree_meshes PRIVATE embree)
target_link_options(aqbench_embree_meshes INTERFACE LINKER:-u,aqbench_meshes_table)

aqbench_library(kernels pipeline/plane_sweep/kernels aqbench::specs aqbench::optics)
aqbench_library(views pipeline/views aqbench::optics aqbench::kernels)
aqbench_library(fusion pipeline/fusion aqbench::optics aqbench::specs)
target_link_libraries(aqbench_fusion PRIVATE Open3D::Open3D)  # surfaces; in no header
aqbench_library(sparse pipeline/sparse aqbench::method aqbench::views)
aqbench_library(depth_maps pipeline/depth_maps aqbench::sparse)
aqbench_library(plane_sweep pipeline/plane_sweep aqbench::depth_maps aqbench::fusion)
aqbench_library(dense_flow pipeline/dense_flow aqbench::depth_maps aqbench::fusion)
aqbench_library(workloads pipeline/workloads aqbench::kernels)
target_link_libraries(aqbench_workloads PRIVATE aqbench::torch)
target_link_options(aqbench_workloads INTERFACE LINKER:-u,aqbench_workloads_table)
aqbench_library(methods pipeline/module aqbench::plane_sweep aqbench::dense_flow)
target_link_options(aqbench_methods INTERFACE LINKER:-u,aqbench_methods_table)
aqbench_library(protocols_module metrics/protocols/module aqbench::protocols)
target_link_libraries(aqbench_protocols_module PRIVATE Open3D::Open3D)  # in no header
target_link_options(aqbench_protocols_module INTERFACE LINKER:-u,aqbench_protocols_table)
aqbench_library(torch_methods pipeline/torch aqbench::dense_flow aqbench::protocols aqbench::torch)
target_link_options(aqbench_torch_methods INTERFACE LINKER:-u,aqbench_torch_kernel_table
  LINKER:-u,aqbench_torchscript_table LINKER:-u,aqbench_image_distance_table)
aqbench_library(torch_measuring harness/measuring/torch aqbench::measuring aqbench::torch)
target_link_options(aqbench_torch_measuring INTERFACE LINKER:-u,aqbench_torch_table)
if(OpenCL_FOUND)
  aqbench_library(opencl pipeline/opencl aqbench::kernels OpenCL::OpenCL)
  target_link_options(aqbench_opencl INTERFACE LINKER:-u,aqbench_opencl_table)
  foreach(name plane_sweep workloads)  # the device's sources travel inside the module
    set(file ${PROJECT_SOURCE_DIR}/pipeline/opencl/${name}.cl)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} AQBENCH_${name}_cl)
  endforeach()
  configure_file(pipeline/opencl/sources.cc.in ${PROJECT_BINARY_DIR}/generated/opencl_sources.cc @ONLY)
  target_sources(aqbench_opencl PRIVATE ${PROJECT_BINARY_DIR}/generated/opencl_sources.cc)
else()
  message(STATUS "No OpenCL devices: they need ocl-icd-opencl-dev and opencl-headers")
endif()
foreach(library views sparse dense_flow workloads)  # image files, features and flow; in no header
  target_link_libraries(aqbench_${library}
    PRIVATE opencv_core opencv_imgproc opencv_imgcodecs opencv_features2d opencv_video)
  target_include_directories(aqbench_${library} SYSTEM PRIVATE ${OpenCV_INCLUDE_DIRS})
endforeach()

# For tests and benchmarks: the contents of all modules, linked.
add_library(aqbench_linked_modules INTERFACE)
add_library(aqbench::linked_modules ALIAS aqbench_linked_modules)
target_link_libraries(aqbench_linked_modules INTERFACE aqbench::embree_meshes aqbench::opencv_images aqbench::methods
                      aqbench::workloads aqbench::protocols_module aqbench::torch_methods aqbench::torch_measuring $<TARGET_NAME_IF_EXISTS:aqbench_opencl>)

aqbench_module(meshes embree_meshes embree)
aqbench_module(pipeline
  "kernels views fusion sparse depth_maps plane_sweep dense_flow methods protocols_module"
  Open3D::Open3D opencv_core opencv_imgproc opencv_imgcodecs opencv_features2d opencv_video)
# Loaded after `pipeline`, in which its symbols are resolved, too.
aqbench_module(torch "workloads torch_methods torch_measuring" aqbench::torch
  opencv_core opencv_imgproc opencv_imgcodecs)
if(OpenCL_FOUND)
  aqbench_module(opencl opencl OpenCL::OpenCL)
  set(opencl_module $<TARGET_FILE:aqbench_module_opencl>)
  set(opencl_target aqbench_module_opencl)
endif()

# ---- The program ----
# It holds all of the lighter folders, since modules find there what they use of them.
set(build_ids ${PROJECT_BINARY_DIR}/generated/module_build_ids.cc)
set(modules $<TARGET_FILE:aqbench_module_meshes>,$<TARGET_FILE:aqbench_module_images>,$<TARGET_FILE:aqbench_module_pipeline>,$<TARGET_FILE:aqbench_module_torch>,${opencl_module})
add_custom_command(OUTPUT ${build_ids}
  COMMAND ${CMAKE_COMMAND} -DREADELF=${CMAKE_READELF} -DMODULES=${modules} -DOUTPUT=${build_ids}
          -P ${PROJECT_SOURCE_DIR}/cmake/module_build_ids.cmake
  DEPENDS aqbench_module_meshes aqbench_module_images aqbench_module_pipeline aqbench_module_torch ${opencl_target} cmake/module_build_ids.cmake
  COMMENT "" VERBATIM)
add_executable(aqbench cli/main.cc ${build_ids})
string(JOIN "," whole ${lighter})
set_target_properties(aqbench PROPERTIES ENABLE_EXPORTS ON LINK_LIBRARY_OVERRIDE "WHOLE_ARCHIVE,${whole}")
target_link_libraries(aqbench PRIVATE aqbench::cli)
target_link_options(aqbench PRIVATE LINKER:--as-needed)
aqbench_bind_old_symbols(aqbench)

# project.schema.json travels inside the program: no path to find at run time.
set(project_schema ${PROJECT_SOURCE_DIR}/harness/project/project.schema.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${project_schema})
file(READ ${project_schema} AQBENCH_PROJECT_SCHEMA)
configure_file(harness/project/project_schema.cc.in ${PROJECT_BINARY_DIR}/generated/project_schema.cc @ONLY)
target_sources(aqbench_project PRIVATE ${PROJECT_BINARY_DIR}/generated/project_schema.cc)
# Scripts and styles of pages are built into the program, too. Those in third_party/ are unchanged copies of their
# authors' releases.
file(GLOB_RECURSE asset_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/reports/html/assets/*.css
     ${PROJECT_SOURCE_DIR}/reports/html/assets/*.js)
foreach(asset_file IN LISTS asset_files)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${asset_file})
  get_filename_component(asset_name ${asset_file} NAME)
  file(READ ${asset_file} asset_text)
  string(APPEND AQBENCH_PAGE_ASSETS
         "\n    {\"${asset_name}\", R\"AQBENCH_ASSET(${asset_text})AQBENCH_ASSET\"},")
endforeach()
configure_file(reports/html/assets.cc.in ${PROJECT_BINARY_DIR}/generated/assets.cc @ONLY)
target_sources(aqbench_html PRIVATE ${PROJECT_BINARY_DIR}/generated/assets.cc)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/get/public_sets.json)
file(READ ${PROJECT_SOURCE_DIR}/cli/get/public_sets.json AQBENCH_PUBLIC_SETS)
configure_file(cli/get/public_sets_text.cc.in ${PROJECT_BINARY_DIR}/generated/public_sets_text.cc @ONLY)
target_sources(aqbench_cli PRIVATE ${PROJECT_BINARY_DIR}/generated/public_sets_text.cc)
# ---- Headers that are read once (AqbenchPrecompile.cmake) ----
# A set takes 9 s of processor time. It saves the text libraries up to 1.5 s each (reports/html 11.2 s instead of 12.7), and
# keeps copies of JSON's code at -O1 out of the program. Those of ${same_bits} would save 5 s together and have none.
get_property(text GLOBAL PROPERTY AQBENCH_TEXT_LIBRARIES)
get_property(optimised GLOBAL PROPERTY AQBENCH_OPTIMISED_LIBRARIES)
list(REMOVE_ITEM optimised ${same_bits})
aqbench_precompile(program TARGETS ${optimised} aqbench_specs)
if(AQBENCH_BUILD_TESTS)  # for tests of numbers
  set(more HEADERS <gtest/gtest.h> <gmock/gmock.h> LIBRARIES GTest::gmock)
endif()
aqbench_precompile(text TARGETS ${text} ${more} OPTIONS $<$<CONFIG:Release>:-O1>)
