#include "harness/measuring/environment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gnu/libc-version.h>
#include <link.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/processes/process.h"
#include "core/resources.h"
#include "core/text.h"
#include "harness/measuring/build_info.h"
#include "harness/measuring/libraries.h"
#include "harness/records/json_parts.h"
#include "harness/records/results.h"
#include "pipeline/opencl/opencl.h"

namespace aqbench {
namespace {

int note_blas(dl_phdr_info* info, std::size_t, void* found) {
  const std::filesystem::path path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
  const std::string name = path.filename().string();
  for (const char* part : {"blas", "libmkl", "libblis", "libatlas"}) {
    if (name.find(part) == std::string::npos) continue;
    std::error_code failed;
    const auto real = std::filesystem::canonical(path, failed);  // the alternative that the link leads to
    auto& files = *static_cast<std::vector<std::string>*>(found);
    const std::string file = failed ? path.string() : real.string();
    if (std::ranges::find(files, file) == files.end()) files.push_back(file);
    break;
  }
  return 0;
}

std::vector<std::string> loaded_blas_files() {
  std::vector<std::string> files;
  ::dl_iterate_phdr(note_blas, &files);
  std::ranges::sort(files);
  return files;
}

constexpr double kGitTimeoutS = 1;

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
    put_known(json, name, text_json(version), "this build does not use it");
  json["glibc"] = ::gnu_get_libc_version();  // which holds libm
  return json;
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
  Json json = {
      {"architecture", architecture()},
      {"cpu_model", cpu_model().value_or("unknown")},
      {"cores", affinity_processors().size()},
      {"cgroup_quota_cores", quota ? Json(*quota) : Json(nullptr)},
      {"compiler", build.compiler},
      {"flags", build.flags},
      {"build_type", build.build_type},
      {"sanitizers", build.sanitizers},
      {"blas", fmt::format("{}", fmt::join(loaded_blas_files(), " "))},
      {"libtorch",
       std::ranges::find(library_versions(), "libtorch", [](const auto& one) { return one.first; })->second},
      {"device", options.device},
      {"dtype", options.dtype.empty() ? Json(nullptr) : Json(options.dtype)},
      {"threads", options.threads},
      {"memory", total_bytes ? memory_class(*total_bytes) : "unknown"},
      {"gpu", gpu ? Json(*gpu) : Json(nullptr)}};
  if (!opencl.is_null()) json["opencl"] = opencl;
  return json;
}

Json load_json(const std::optional<LoadAverage>& load) { return load ? Json(*load) : Json(nullptr); }

}  // namespace

std::optional<LoadAverage> load_average() {
  LoadAverage load;
  if (::getloadavg(load.data(), static_cast<int>(load.size())) != 3) return std::nullopt;
  return load;
}

Json environment_json(const EnvironmentOptions& options) {
  Json json = machine_json();
  json["build"]["program_sha256"] = program_sha256();
  json["working_directory_git"] = working_directory_git_json();
  json["libraries"] = libraries_json();
  const auto blas = loaded_blas_files();
  put_known(json, "blas_files", blas.empty() ? Json() : Json(blas), "no BLAS library is loaded");
  json["threads"] = options.threads;
  json["device"] = options.device;
  put_known(json, "dtype", text_json(options.dtype), "the cases are not known to this command");
  const Json opencl = opencl_json(options.device);
  if (!opencl.is_null()) json["opencl"] = opencl;
  json["comparability"] = comparability_json(options, opencl);
  return json;
}

std::string memory_class(std::uint64_t total_bytes) {
  constexpr std::uint64_t gib = std::uint64_t{1} << 30;
  const std::uint64_t high = std::bit_ceil((total_bytes + gib - 1) / gib);
  return fmt::format("{} to {} GiB", high / 2, high);
}

void add_load(Json& environment, const std::optional<LoadAverage>& before,
              const std::optional<LoadAverage>& after) {
  environment["load"] = {{"before", load_json(before)}, {"after", load_json(after)}};
}

}  // namespace aqbench
