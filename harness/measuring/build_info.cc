#include "harness/measuring/build_info.h"

#include "aqbench_source_state.h"  // written at every build by cmake/source_state.cmake
#include "core/sha256.h"

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

const std::vector<std::pair<std::string, std::string>>& library_versions() {
  static const std::vector<std::pair<std::string, std::string>> versions = {
      {"libtorch", AQBENCH_TORCH_VERSION},
      {"open3d", AQBENCH_OPEN3D_VERSION},
      {"embree", AQBENCH_EMBREE_VERSION},
      {"eigen", AQBENCH_EIGEN_VERSION},
      {"boost", AQBENCH_BOOST_VERSION},
      {"nlohmann_json", AQBENCH_JSON_VERSION},
      {"fmt", AQBENCH_FMT_VERSION},
      {"openssl", AQBENCH_OPENSSL_VERSION},
      {"google_benchmark", AQBENCH_BENCHMARK_VERSION}};
  return versions;
}

const std::string& program_sha256() {
  static const std::string hash = sha256_file_hex("/proc/self/exe");
  return hash;
}

}  // namespace aqbench
