# The library libaqbench.so of aqbench/*.h, with the targets aqbench::scenes, aqbench::metrics and aqbench::ab for C++
# programs (find_package(aqbench) or add_subdirectory), and the Python module.
if(AQBENCH_LIBRARIES_ONLY)  # otherwise the program's, of all modules
  set(build_ids ${PROJECT_BINARY_DIR}/generated/module_build_ids.cc)
  if(TARGET aqbench_module_images)
    set(images_module $<TARGET_FILE:aqbench_module_images>)
    set(images_target aqbench_module_images)
  endif()
  add_custom_command(OUTPUT ${build_ids}
    COMMAND ${CMAKE_COMMAND} -DREADELF=${CMAKE_READELF} -DMODULES=,${images_module},,, -DOUTPUT=${build_ids}
            -P ${PROJECT_SOURCE_DIR}/cmake/module_build_ids.cmake
    DEPENDS ${images_target} ${PROJECT_SOURCE_DIR}/cmake/module_build_ids.cmake
    COMMENT "" VERBATIM)
  get_property(light_libraries GLOBAL PROPERTY AQBENCH_OPTIMISED_LIBRARIES)
  list(REMOVE_ITEM light_libraries ${same_bits} aqbench_opencv_images)
  aqbench_precompile(program TARGETS ${light_libraries})
  get_property(text_libraries GLOBAL PROPERTY AQBENCH_TEXT_LIBRARIES)
  aqbench_precompile(text TARGETS ${text_libraries} OPTIONS $<$<CONFIG:Release>:-O1>)
endif()

file(GLOB api_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/aqbench/*.cc)
set(exports ${PROJECT_SOURCE_DIR}/aqbench/exports.map)
add_library(aqbench_shared SHARED ${api_sources} ${build_ids} ${PROJECT_SOURCE_DIR}/harness/measuring/machine.cc
            ${PROJECT_SOURCE_DIR}/harness/measuring/build_info.cc)
add_dependencies(aqbench_shared aqbench_source_state)
set_target_properties(aqbench_shared PROPERTIES OUTPUT_NAME aqbench VERSION ${PROJECT_VERSION} SOVERSION 1
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} EXPORT_NAME library LINK_DEPENDS ${exports})
target_link_libraries(aqbench_shared PRIVATE aqbench::eval aqbench::processes aqbench::statistics)
target_compile_definitions(aqbench_shared PRIVATE AQBENCH_VERSION="${PROJECT_VERSION}")
target_compile_features(aqbench_shared INTERFACE cxx_std_20)
target_link_options(aqbench_shared PRIVATE LINKER:--as-needed LINKER:--version-script=${exports})
aqbench_bind_old_symbols(aqbench_shared)
if(TARGET aqbench_precompiled_program)
  target_compile_definitions(aqbench_shared PRIVATE _GLIBCXX_USE_CXX11_ABI=1)  # as all that share these headers
  target_precompile_headers(aqbench_shared REUSE_FROM aqbench_precompiled_program)
endif()
# The headers in a folder of their own: a program that adds this folder sees no others of the project.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/generated/include)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/aqbench ${PROJECT_BINARY_DIR}/generated/include/aqbench SYMBOLIC)
target_include_directories(aqbench_shared INTERFACE $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
foreach(part scenes metrics ab)
  add_library(aqbench_api_${part} INTERFACE)
  target_link_libraries(aqbench_api_${part} INTERFACE aqbench_shared)
  set_target_properties(aqbench_api_${part} PROPERTIES EXPORT_NAME ${part})
  add_library(aqbench::${part} ALIAS aqbench_api_${part})
endforeach()
if(TARGET aqbench_module_images)  # found beside the library when an image is rendered
  add_dependencies(aqbench_shared aqbench_module_images)
endif()

install(TARGETS aqbench_shared EXPORT aqbench_targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT evaluator NAMELINK_COMPONENT development)
install(TARGETS aqbench_api_scenes aqbench_api_metrics aqbench_api_ab EXPORT aqbench_targets COMPONENT development)
install(FILES aqbench/failure.h aqbench/scenes.h aqbench/metric.h aqbench/metrics.h
  aqbench/evaluate.h aqbench/ab.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/aqbench COMPONENT development)
install(EXPORT aqbench_targets NAMESPACE aqbench:: FILE aqbenchConfig.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/aqbench COMPONENT development)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/aqbenchConfigVersion.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/generated/aqbenchConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/aqbench COMPONENT development)
add_custom_target(aqbench_libraries DEPENDS aqbench_shared)
add_dependencies(aqbench_installed aqbench_libraries)

option(AQBENCH_PYTHON "Build the Python module where Python is found" ON)
if(AQBENCH_PYTHON AND PROJECT_IS_TOP_LEVEL)
  include(AqbenchPython)
endif()
