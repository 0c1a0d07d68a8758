# Writes OUTPUT, a source file with the build IDs of MODULES (a comma-separated list of files), in their order; an empty
# entry is a module that is not built.
cmake_minimum_required(VERSION 3.25)
string(REPLACE "," ";" modules "${MODULES}")
set(ids "")
foreach(module IN LISTS modules)
  if(module STREQUAL "")
    string(APPEND ids "    \"\",\n")
    continue()
  endif()
  execute_process(COMMAND ${READELF} -n ${module} OUTPUT_VARIABLE notes COMMAND_ERROR_IS_FATAL ANY)
  if(NOT notes MATCHES "Build ID: ([0-9a-f]+)")
    message(FATAL_ERROR "${module} has no build ID")
  endif()
  string(APPEND ids "    \"${CMAKE_MATCH_1}\",\n")
endforeach()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT
  "extern \"C\" {\nextern const char* const aqbench_module_build_ids[];\nconst char* const aqbench_module_build_ids[] = {\n@ids@};\n}\n" @ONLY)
