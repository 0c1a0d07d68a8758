# Components of `make install` and the packages:
#   evaluator    the program, manual pages, completion, schemas, baselines, documents: no LibTorch
#   pipeline     the modules with LibTorch, Open3D and OpenCV
#   development  headers and CMake files for C++ programs (cmake/AqbenchLibrary.cmake; the library is the evaluator's)
#   python       the Python module
# Everything is found relative to the program or the library, so that an installation can be moved.
include(GNUInstallDirs)
set(AQBENCH_MODULE_DIR ${CMAKE_INSTALL_LIBDIR}/aqbench)
set(AQBENCH_DATA_DIR ${CMAKE_INSTALL_DATADIR}/aqbench)
foreach(folder BINDIR LIBDIR DATADIR MANDIR DOCDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${folder}}")
    message(FATAL_ERROR "CMAKE_INSTALL_${folder} is '${CMAKE_INSTALL_${folder}}': must be relative to the prefix")
  endif()
endforeach()
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)  # a LibTorch that is not the system's

# The folders searched by core/module.cc.
file(RELATIVE_PATH modules_from_program /${CMAKE_INSTALL_BINDIR} /${AQBENCH_MODULE_DIR})
file(RELATIVE_PATH modules_from_library /${CMAKE_INSTALL_LIBDIR} /${AQBENCH_MODULE_DIR})
file(RELATIVE_PATH data_from_program /${CMAKE_INSTALL_BINDIR} /${AQBENCH_DATA_DIR})
file(RELATIVE_PATH data_from_library /${CMAKE_INSTALL_LIBDIR} /${AQBENCH_DATA_DIR})
set_source_files_properties(core/module.cc PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON COMPILE_DEFINITIONS
  "AQBENCH_MODULES_FROM_PROGRAM=\"${modules_from_program}\";AQBENCH_MODULES_FROM_LIBRARY=\"${modules_from_library}\";\
AQBENCH_DATA_FROM_PROGRAM=\"${data_from_program}\";AQBENCH_DATA_FROM_LIBRARY=\"${data_from_library}\"")

# aqbench_note_folders(FOLDER...): records which of these installation folders are missing, so that
# cmake/uninstall.cmake can remove them again. Call it before installing into them.
function(aqbench_note_folders)
  install(CODE "set(aqbench_folders \"${ARGN}\")
set(aqbench_notes \"${PROJECT_BINARY_DIR}/installed_folders.txt\")
include(\"${PROJECT_SOURCE_DIR}/cmake/note_folders.cmake\")" ALL_COMPONENTS)
endfunction()
set(documentation ${CMAKE_INSTALL_DATADIR}/doc)
aqbench_note_folders(${CMAKE_INSTALL_BINDIR} ${AQBENCH_MODULE_DIR} ${CMAKE_INSTALL_LIBDIR}/cmake/aqbench
  ${AQBENCH_DATA_DIR}/schemas ${AQBENCH_DATA_DIR}/baselines ${CMAKE_INSTALL_DOCDIR} ${documentation}/aqbench-pipeline
  ${documentation}/libaqbench-dev ${documentation}/python3-aqbench ${CMAKE_INSTALL_MANDIR}/man1
  ${CMAKE_INSTALL_INCLUDEDIR}/aqbench ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

if(AQBENCH_LIBRARIES_ONLY)
  add_custom_target(aqbench_installed)
  if(TARGET aqbench_module_images)
    add_dependencies(aqbench_installed aqbench_module_images)
    install(TARGETS aqbench_module_images LIBRARY DESTINATION ${AQBENCH_MODULE_DIR} COMPONENT pipeline)
  endif()
  return()
endif()

# The program itself prints manual pages, completion and the schema of results.json.
set(shell_files ${PROJECT_BINARY_DIR}/generated/shell)
find_program(AQBENCH_GZIP gzip)
if(AQBENCH_GZIP)
  set(compress COMMAND sh -c "exec \"$0\" -9nf \"$1\"/man/*.1" ${AQBENCH_GZIP} ${shell_files})
endif()
add_custom_command(OUTPUT ${shell_files}/done
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${shell_files}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${shell_files}
  COMMAND aqbench man --out ${shell_files}/man
  ${compress}
  COMMAND aqbench completion bash > ${shell_files}/aqbench
  COMMAND aqbench completion zsh > ${shell_files}/_aqbench
  COMMAND aqbench completion fish > ${shell_files}/aqbench.fish
  COMMAND aqbench schema results > ${shell_files}/results.schema.json
  COMMAND ${CMAKE_COMMAND} -E touch ${shell_files}/done
  DEPENDS aqbench COMMENT "" VERBATIM)
if(NOT AQBENCH_SANITIZE)
  set(with_all ALL)  # `cmake --build` and `cmake --install` alone install them
endif()
add_custom_target(aqbench_shell_files ${with_all} DEPENDS ${shell_files}/done)
add_custom_target(aqbench_installed DEPENDS aqbench aqbench_shell_files)  # everything that is installed, and no tests

set(evaluator COMPONENT evaluator)
install(TARGETS aqbench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} ${evaluator})
install(PROGRAMS scripts/ci_gate.sh DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME aqbench-ci-gate ${evaluator})
install(DIRECTORY ${shell_files}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 ${evaluator} FILES_MATCHING PATTERN "*.1*")
install(FILES ${shell_files}/aqbench DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions ${evaluator})
install(FILES ${shell_files}/_aqbench DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions ${evaluator})
install(FILES ${shell_files}/aqbench.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d ${evaluator})
install(FILES ${shell_files}/results.schema.json DESTINATION ${AQBENCH_DATA_DIR}/schemas ${evaluator})
install(DIRECTORY baselines/ DESTINATION ${AQBENCH_DATA_DIR}/baselines ${evaluator} FILES_MATCHING PATTERN "*.json")
file(GLOB install_documents CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/*.md)
install(FILES ${install_documents} README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} ${evaluator})

install(TARGETS aqbench_module_meshes aqbench_module_images aqbench_module_pipeline aqbench_module_torch ${opencl_target}
  LIBRARY DESTINATION ${AQBENCH_MODULE_DIR} COMPONENT pipeline)
