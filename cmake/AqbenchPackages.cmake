# Debian packages, by `make packages` (cpack): one for each component of cmake/AqbenchInstall.cmake.
set(aqbench_package_evaluator aqbench)
set(aqbench_package_pipeline aqbench-pipeline)
set(aqbench_package_development libaqbench-dev)
set(aqbench_package_python python3-aqbench)
set(CPACK_COMPONENTS_ALL evaluator pipeline)
if(TARGET aqbench_shared)
  list(APPEND CPACK_COMPONENTS_ALL development)
endif()
if(TARGET aqbench_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_PACKAGE_NAME aqbench)
set(CPACK_PACKAGE_VENDOR aqbench)
set(CPACK_PACKAGE_CONTACT "aqbench developers <aqbench@users.noreply.github.com>")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "benchmark of 3D reconstruction through water")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)

set(CPACK_COMPONENT_EVALUATOR_DESCRIPTION "Scores point clouds, meshes and depth maps against exact surfaces, gates
 results on baselines and verifies bundles of evidence. Reconstruction methods
 and timed kernels are in the package aqbench-pipeline.")
set(CPACK_COMPONENT_PIPELINE_DESCRIPTION "The modules of aqbench that need LibTorch, Open3D and OpenCV: multi-view stereo
 through a flat water surface, timed kernels, rendering of images, meshes.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Headers and CMake files to score clouds, make scenes, project and cast rays
 through water, compare paired samples and read bundles.")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Scores of clouds, meshes and depth maps as numpy arrays, scenes, cameras that
 look through water, paired comparisons, bundles, and a plugin for pytest.")

set(CPACK_DEBIAN_PIPELINE_PACKAGE_DEPENDS "aqbench (= ${PROJECT_VERSION}-1), libopenblas0-pthread")
set(CPACK_DEBIAN_EVALUATOR_PACKAGE_RECOMMENDS aqbench-pipeline)
if(TARGET aqbench_shared)  # for the dynamic loader's cache
  set(CPACK_DEBIAN_EVALUATOR_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/evaluator/triggers)
endif()
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "aqbench (= ${PROJECT_VERSION}-1)")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "aqbench (= ${PROJECT_VERSION}-1), python3 (>= 3.9), python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-pytest, python3-pandas")
# Python's compiled files are packaged and removed with the package.
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/python/postinst
    ${PROJECT_SOURCE_DIR}/packaging/python/prerm)

foreach(component evaluator pipeline development python)
  string(TOUPPER ${component} upper)
  set(package ${aqbench_package_${component}})
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
  # Requirements of Debian's policy.
  set(folder ${PROJECT_BINARY_DIR}/generated/packaging/${package})
  configure_file(packaging/changelog.in ${folder}/changelog.Debian @ONLY)
  if(AQBENCH_GZIP)
    execute_process(COMMAND ${AQBENCH_GZIP} -9nkf ${folder}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)
    install(FILES ${folder}/changelog.Debian.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component}
            EXCLUDE_FROM_ALL)
  endif()
  install(FILES packaging/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component}
          EXCLUDE_FROM_ALL)
endforeach()
include(CPack)
