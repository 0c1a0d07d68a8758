#include "harness/measuring/environment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "core/parallel.h"
#include "core/processes/process.h"
#include "core/resources.h"
#include "core/text.h"
#include "harness/measuring/build_info.h"
#include "harness/measuring/libraries.h"
#include "harness/records/results.h"
#include "pipeline/opencl/opencl.h"

namespace aqbench {
namespace {

// Returns the text after KEY and the separator, of the first line that starts with KEY.
std::optional<std::string> line_value(const std::string& file, std::string_view key, char separator) {
  std::ifstream stream(file);
  std::string line;
  while (std::getline(stream, line)) {
    if (!line.starts_with(key)) continue;
    const std::size_t at = line.find(separator, key.size());
    if (at == std::string::npos || line.find_first_not_of(" \t", key.size()) != at) continue;
    const std::size_t start = line.find_first_not_of(" \t\"", at + 1);
    if (start == std::string::npos) return std::nullopt;
    const std::size_t end = line.find_last_not_of(" \t\"");
    return one_line(std::string_view(line).substr(start, end - start + 1), 8192);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> meminfo_bytes(std::string_view key) {
  const auto text = line_value("/proc/meminfo", key, ':');
  if (!text) return std::nullopt;
  return std::strtoull(text->c_str(), nullptr, 10) * 1024;
}

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

std::vector<std::string> container_hints() {
  std::vector<std::string> hints;
  for (const char* path : {"/.dockerenv", "/run/.containerenv"})
    if (path_exists(path)) hints.emplace_back(path);
  if (const char* const kind = std::getenv("container"); kind != nullptr && *kind != '\0')
    hints.push_back(one_line(std::string("container=") + kind));
  std::ifstream groups("/proc/1/cgroup");
  const std::string text{std::istreambuf_iterator<char>(groups), {}};
  for (const char* kind : {"docker", "kubepods", "lxc", "containerd"})
    if (text.find(kind) != std::string::npos) hints.push_back(std::string("cgroup: ") + kind);
  if (const auto flags = line_value("/proc/cpuinfo", "flags", ':');
      flags && (*flags + " ").find(" hypervisor ") != std::string::npos)
    hints.emplace_back("hypervisor");
  return hints;
}

std::optional<std::string> gpu_model() {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", ignored))
    if (auto model = line_value(entry.path() / "information", "Model", ':')) return model;
  return std::nullopt;
}

std::vector<std::string> loaded_blas_files() {
  std::vector<std::string> files;
  ::dl_iterate_phdr(note_blas, &files);
  std::ranges::sort(files);
  return files;
}

constexpr double kGitTimeoutS = 1;

// Stores the value, or null with the reason beside it.
template <class Value>
void put_known(Json& json, const std::string& key, const std::optional<Value>& value,
               const std::string& reason) {
  json[key] = value ? Json(*value) : Json(nullptr);
  if (!value) json[key + "_reason"] = reason;
}

// A text that is empty where it is not known.
std::optional<std::string> known(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

Json cpu_json() {
  Json json = {{"architecture", architecture()}};
  put_known(json, "model", cpu_model(), "/proc/cpuinfo names none");
  json["cores_online"] = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  json["affinity"] = affinity_processors();
  put_known(json, "cgroup_quota_cores", cgroup_quota_processors(), "no quota is set");
  json["cores_usable"] = available_processors();
  return json;
}

Json memory_json() {
  Json json = Json::object();
  put_known(json, "total_bytes", memory_total_bytes(), "/proc/meminfo cannot be read");
  put_known(json, "available_bytes", meminfo_bytes("MemAvailable"), "/proc/meminfo cannot be read");
  put_known(json, "cgroup_limit_bytes", cgroup_memory_limit_bytes(), "no limit is set");
  return json;
}

Json os_json() {
  utsname names{};
  Json json = {{"kernel", ::uname(&names) == 0 ? names.release : ""}};
  put_known(json, "name", line_value("/etc/os-release", "PRETTY_NAME", '='),
            "/etc/os-release cannot be read");
  json["container_hints"] = container_hints();
  return json;
}

Json build_json() {
  const BuildInfo& build = build_info();
  Json json = {{"version", build.version}};
  const std::string no_git = "the sources were not in a git repository";
  put_known(json, "commit", known(build.commit), no_git);
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
    put_known(json, name, known(version), "this build does not use it");
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

std::optional<std::string> cpu_model() { return line_value("/proc/cpuinfo", "model name", ':'); }

std::vector<int> affinity_processors() {
  std::vector<int> processors;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return processors;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &set)) processors.push_back(i);
  return processors;
}

std::optional<std::uint64_t> memory_total_bytes() { return meminfo_bytes("MemTotal"); }

std::string architecture() {
  utsname names{};
  return ::uname(&names) == 0 ? names.machine : "";
}

std::optional<LoadAverage> load_average() {
  LoadAverage load;
  if (::getloadavg(load.data(), static_cast<int>(load.size())) != 3) return std::nullopt;
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
  put_known(json, "dtype", known(options.dtype), "the cases are not known to this command");
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
