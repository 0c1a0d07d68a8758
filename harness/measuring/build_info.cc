#include "harness/measuring/build_info.h"

#include <nlohmann/json.hpp>

#include "aqbench_source_state.h"  // written at every build by cmake/source_state.cmake
#include "core/json_place.h"
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

void add_build(Json& json, const BuildInfo& build) {
  json["version"] = build.version;
  json["commit"] = build.commit;
  json["dirty"] = build.dirty;
  json["compiler"] = build.compiler;
  json["flags"] = build.flags;
  json["build_type"] = build.build_type;
  json["sanitizers"] = build.sanitizers;
}

BuildInfo build_from_json(const JsonPlace& place) {
  return {.version = place.at("version").text(),
          .commit = place.at("commit").text(),
          .dirty = place.at("dirty").boolean(),
          .compiler = place.at("compiler").text(),
          .flags = place.at("flags").text(),
          .build_type = place.at("build_type").text(),
          .sanitizers = place.at("sanitizers").text()};
}

const std::string& program_sha256() {
  static const std::string hash = sha256_file_hex("/proc/self/exe");
  return hash;
}

}  // namespace aqbench
