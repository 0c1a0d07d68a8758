#include "harness/build_info.h"

#include "aqbench_source_state.h"  // written at every build by cmake/source_state.cmake
#include "scenes/core/sha256.h"

namespace aqbench {

const BuildInfo& build_info() {
  static const BuildInfo info = {.version = AQBENCH_VERSION,
                                 .commit = AQBENCH_COMMIT,
                                 .dirty = AQBENCH_DIRTY,
                                 .compiler = AQBENCH_COMPILER,
                                 .flags = AQBENCH_FLAGS,
                                 .build_type = AQBENCH_BUILD_TYPE,
                                 .sanitizers = AQBENCH_SANITIZERS};
  return info;
}

const std::string& program_sha256() {
  static const std::string hash = sha256_file_hex("/proc/self/exe");
  return hash;
}

}  // namespace aqbench
