#include "harness/measuring/machine.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/files.h"
#include "core/parallel.h"
#include "core/resources.h"
#include "core/text.h"
#include "harness/measuring/build_info.h"
#include "harness/records/json_parts.h"

namespace aqbench {
namespace {

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

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

Json cpu_json() {
  Json json = {{"architecture", architecture()}};
  put_known(json, "model", or_null(cpu_model()), "/proc/cpuinfo names none");
  json["cores_online"] = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  json["affinity"] = affinity_processors();
  put_known(json, "cgroup_quota_cores", or_null(cgroup_quota_processors()), "no quota is set");
  json["cores_usable"] = available_processors();
  return json;
}

Json memory_json() {
  Json json = Json::object();
  put_known(json, "total_bytes", or_null(memory_total_bytes()), "/proc/meminfo cannot be read");
  put_known(json, "available_bytes", or_null(meminfo_bytes("MemAvailable")), "/proc/meminfo cannot be read");
  put_known(json, "cgroup_limit_bytes", or_null(cgroup_memory_limit_bytes()), "no limit is set");
  return json;
}

Json os_json() {
  utsname names{};
  Json json = {{"kernel", ::uname(&names) == 0 ? names.release : ""}};
  put_known(json, "name", or_null(line_value("/etc/os-release", "PRETTY_NAME", '=')),
            "/etc/os-release cannot be read");
  json["container_hints"] = container_hints();
  return json;
}

Json build_json() {
  const BuildInfo& build = build_info();
  Json json = {{"version", build.version}};
  const std::string no_git = "the sources were not in a git repository";
  put_known(json, "commit", text_json(build.commit), no_git);
  put_known(json, "dirty", build.commit.empty() ? Json() : Json(build.dirty), no_git);
  json["compiler"] = build.compiler;
  json["flags"] = build.flags;
  json["build_type"] = build.build_type;
  json["sanitizers"] = build.sanitizers;
  return json;
}

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

std::optional<std::string> gpu_model() {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", ignored))
    if (auto model = line_value(entry.path() / "information", "Model", ':')) return model;
  return std::nullopt;
}

void put_known(Json& json, const std::string& key, const Json& value, const std::string& reason) {
  json[key] = value;
  if (value.is_null()) json[key + "_reason"] = reason;
}

Json machine_json() {
  Json json = {{"cpu", cpu_json()}, {"memory", memory_json()}, {"os", os_json()}};
  put_known(json, "gpu", or_null(gpu_model()), "no NVIDIA driver is loaded");
  json["build"] = build_json();
  return json;
}

}  // namespace aqbench
