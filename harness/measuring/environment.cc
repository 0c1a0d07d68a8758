#include "harness/measuring/environment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gnu/libc-version.h>

#include <nlohmann/json.hpp>

#include "core/parallel.h"
#include "core/processes/process.h"
#include "core/resources.h"
#include "core/text.h"
#include "harness/measuring/build_info.h"
#include "harness/measuring/machine.h"
#include "harness/measuring/opencl_device.h"
#include "harness/records/comparability.h"
#include "pipeline/opencl/opencl.h"

namespace aqbench {
namespace {

constexpr double kGitTimeoutS = 1;

// Stores the value, or null with the reason beside it.
template <class Value>
void put_known(Json& json, const std::string& key, const std::optional<Value>& value,
               const std::string& reason) {
  json[key] = value ? Json(*value) : Json(nullptr);
  if (!value) json[key + "_reason"] = reason;
}

Json cpu_json() {
  Json json = {{"architecture", architecture()}};
  put_known(json, "model", cpu_model(), "/proc/cpuinfo names none");
  json["cores_online"] = online_processors();
  json["affinity"] = affinity_processors();
  put_known(json, "cgroup_quota_cores", cgroup_quota_processors(), "no quota is set");
  json["cores_usable"] = available_processors();
  return json;
}

Json memory_json() {
  Json json = Json::object();
  put_known(json, "total_bytes", memory_total_bytes(), "/proc/meminfo cannot be read");
  put_known(json, "available_bytes", memory_available_bytes(), "/proc/meminfo cannot be read");
  put_known(json, "cgroup_limit_bytes", cgroup_memory_limit_bytes(), "no limit is set");
  return json;
}

Json os_json() {
  Json json = {{"kernel", kernel_release()}};
  put_known(json, "name", os_name(), "/etc/os-release cannot be read");
  json["container_hints"] = container_hints();
  return json;
}

Json build_json() {
  const BuildInfo& build = build_info();
  Json json = {{"version", build.version}};
  const std::string no_git = "the sources were not in a git repository";
  put_known(json, "commit", build.commit.empty() ? std::nullopt : std::optional(build.commit), no_git);
  put_known(json, "dirty", build.commit.empty() ? std::nullopt : std::optional(build.dirty), no_git);
  json["compiler"] = build.compiler;
  json["flags"] = build.flags;
  json["build_type"] = build.build_type;
  json["sanitizers"] = build.sanitizers;
  json["program_sha256"] = program_sha256();
  return json;
}

// Returns the state of the working directory's git repository, if any.
Json working_directory_git_json() {
  Json json = {{"commit", nullptr}, {"dirty", nullptr}};
  const ProgramAnswer commit = ask_git(".", {"rev-parse", "HEAD"}, kGitTimeoutS);
  if (!commit.ok) {
    json["reason"] = commit.problem;
    return json;
  }
  json["commit"] = commit.output;
  const ProgramAnswer status = ask_git(".", {"status", "--porcelain"}, kGitTimeoutS);
  if (status.ok)
    json["dirty"] = !status.output.empty();
  else
    json["reason"] = status.problem;
  return json;
}

Json libraries_json() {
  Json json = Json::object();
  for (const auto& [name, version] : library_versions())
    put_known(json, name, version.empty() ? std::nullopt : std::optional(version),
              "this build does not use it");
  json["glibc"] = ::gnu_get_libc_version();  // which holds libm
  return json;
}

std::string library_version(const std::string& name) {
  for (const auto& [library, version] : library_versions())
    if (library == name) return version;
  return "";
}

// Returns the description of the first OpenCL device among these; null if none is one.
Json opencl_json(const std::string& devices) {
  for (const std::string_view device : split_at(devices, ','))
    if (opencl::is_opencl(device)) return describe_opencl_device(std::string(device));
  return nullptr;
}

Json comparability_json(const EnvironmentOptions& options, const Json& opencl) {
  const BuildInfo& build = build_info();
  const auto quota = cgroup_quota_processors();
  const auto gpu = gpu_model();
  const auto total_bytes = memory_total_bytes();
  Json json = {{"architecture", architecture()},
               {"cpu_model", cpu_model().value_or("unknown")},
               {"cores", affinity_processors().size()},
               {"cgroup_quota_cores", quota ? Json(*quota) : Json(nullptr)},
               {"compiler", build.compiler},
               {"flags", build.flags},
               {"build_type", build.build_type},
               {"sanitizers", build.sanitizers},
               {"blas", fmt::format("{}", fmt::join(loaded_blas_files(), " "))},
               {"libtorch", library_version("libtorch")},
               {"device", options.device},
               {"dtype", options.dtype.empty() ? Json(nullptr) : Json(options.dtype)},
               {"threads", options.threads},
               {"memory", total_bytes ? memory_class(*total_bytes) : "unknown"},
               {"gpu", gpu ? Json(*gpu) : Json(nullptr)}};
  if (!opencl.is_null()) json["opencl"] = opencl;
  return json;
}

Json load_json(const std::optional<LoadAverage>& load) { return load ? Json(load->values) : Json(nullptr); }

}  // namespace

std::optional<LoadAverage> load_average() {
  LoadAverage load;
  if (::getloadavg(load.values.data(), static_cast<int>(load.values.size())) != 3) return std::nullopt;
  return load;
}

Json environment_json(const EnvironmentOptions& options) {
  Json json = {{"cpu", cpu_json()}, {"memory", memory_json()}, {"os", os_json()}};
  put_known(json, "gpu", gpu_model(), "no NVIDIA driver is loaded");
  json["build"] = build_json();
  json["working_directory_git"] = working_directory_git_json();
  json["libraries"] = libraries_json();
  const auto blas = loaded_blas_files();
  put_known(json, "blas_files", blas.empty() ? std::nullopt : std::optional(blas),
            "no BLAS library is loaded");
  json["threads"] = options.threads;
  json["device"] = options.device;
  put_known(json, "dtype", options.dtype.empty() ? std::nullopt : std::optional(options.dtype),
            "the cases are not known to this command");
  const Json opencl = opencl_json(options.device);
  if (!opencl.is_null()) json["opencl"] = opencl;
  json["comparability"] = comparability_json(options, opencl);
  return json;
}

std::string memory_class(std::uint64_t total_bytes) {
  const std::uint64_t high = most_gib_of_class(total_bytes);
  return fmt::format("{} to {} GiB", high / 2, high);
}

void add_load(Json& environment, const std::optional<LoadAverage>& before,
              const std::optional<LoadAverage>& after) {
  environment["load"] = {{"before", load_json(before)}, {"after", load_json(after)}};
}

}  // namespace aqbench
