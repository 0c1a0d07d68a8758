# The Python module `aqbench`: python/aqbench/, which calls the library of python/calls.cc; in the build folder in
# python/aqbench/. The library needs nothing of Python: one build serves every version.
if(NOT Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python3_EXECUTABLE /usr/bin/python3)  # Debian's, which has Debian's numpy
endif()
find_package(Python3 COMPONENTS Interpreter QUIET)
if(NOT Python3_FOUND)
  message(STATUS "No Python module: it needs python3")
  return()
endif()

# Debian's Python searches /usr/lib/python3 for packages and /usr/local/lib/python3.11 for local installations.
set(AQBENCH_PYTHON_DIR "" CACHE STRING "Where the Python module is installed, below the prefix; empty: where Debian looks")
set(python_dir "${AQBENCH_PYTHON_DIR}")
if(NOT python_dir AND AQBENCH_PACKAGING)
  set(python_dir lib/python3/dist-packages)
elseif(NOT python_dir)
  set(python_dir lib/python${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR}/dist-packages)
endif()
set(python_info ${python_dir}/aqbench-${PROJECT_VERSION}.dist-info)

add_library(aqbench_python MODULE python/calls.cc)
target_link_libraries(aqbench_python PRIVATE aqbench_shared nlohmann_json::nlohmann_json)
# It only passes arrays on: without optimisation it compiles in two thirds of the time.
target_compile_options(aqbench_python PRIVATE -fvisibility=hidden $<$<CONFIG:Release>:-O0>)
file(RELATIVE_PATH library_from_python /${python_dir}/aqbench /${CMAKE_INSTALL_LIBDIR})
set_target_properties(aqbench_python PROPERTIES PREFIX "" OUTPUT_NAME _aqbench
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python/aqbench
  INSTALL_RPATH "$<$<NOT:$<BOOL:${AQBENCH_PACKAGING}>>:$ORIGIN/${library_from_python}>")
file(GLOB python_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/aqbench/*.py ${PROJECT_SOURCE_DIR}/python/aqbench/*.pyi
     ${PROJECT_SOURCE_DIR}/python/aqbench/py.typed)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/python/aqbench)
foreach(file IN LISTS python_files)
  get_filename_component(name ${file} NAME)
  file(CREATE_LINK ${file} ${PROJECT_BINARY_DIR}/python/aqbench/${name} SYMBOLIC)
endforeach()
# aqbench.stage is the client that programs can also copy.
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/clients/aqbench_stages.py ${PROJECT_BINARY_DIR}/python/aqbench/_stages.py SYMBOLIC)
# Metadata of the installed module, and the plugin's registration for pytest.
set(generated ${PROJECT_BINARY_DIR}/generated/python)
file(CONFIGURE OUTPUT ${generated}/entry_points.txt CONTENT "[pytest11]\naqbench = aqbench.pytest_plugin\n")
file(CONFIGURE OUTPUT ${generated}/METADATA
  CONTENT "Metadata-Version: 2.1\nName: aqbench\nVersion: ${PROJECT_VERSION}\nSummary: ${PROJECT_DESCRIPTION}\n")

aqbench_note_folders(${python_dir}/aqbench/__pycache__ ${python_info})
install(FILES clients/aqbench_stages.py DESTINATION ${python_dir}/aqbench RENAME _stages.py COMPONENT python)
install(TARGETS aqbench_python LIBRARY DESTINATION ${python_dir}/aqbench COMPONENT python)
install(FILES ${python_files} DESTINATION ${python_dir}/aqbench COMPONENT python)
install(FILES ${generated}/entry_points.txt ${generated}/METADATA DESTINATION ${python_info} COMPONENT python)
add_dependencies(aqbench_libraries aqbench_python)

if(AQBENCH_BUILD_TESTS AND NOT AQBENCH_SANITIZE)  # Python would have to load the sanitizer first
  execute_process(COMMAND ${Python3_EXECUTABLE} -c "import pytest" RESULT_VARIABLE no_pytest OUTPUT_QUIET ERROR_QUIET)
  if(no_pytest)
    message(STATUS "The Python module is built but not tested: python3-pytest is missing")
  else()
    add_test(NAME python COMMAND ${Python3_EXECUTABLE} -m pytest -q -p no:cacheprovider ${PROJECT_SOURCE_DIR}/tests/python)
    set_tests_properties(python PROPERTIES ENVIRONMENT "PYTHONPATH=${PROJECT_BINARY_DIR}/python;\
PYTHONDONTWRITEBYTECODE=1;AQBENCH_PROGRAM=${PROJECT_BINARY_DIR}/aqbench;AQBENCH_SOURCES=${PROJECT_SOURCE_DIR}")
  endif()
endif()
