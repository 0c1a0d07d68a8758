#include "harness/measuring/machine.h"

#include <link.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/text.h"

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

int online_processors() { return static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)); }

std::optional<std::uint64_t> memory_total_bytes() { return meminfo_bytes("MemTotal"); }
std::optional<std::uint64_t> memory_available_bytes() { return meminfo_bytes("MemAvailable"); }

std::string architecture() {
  utsname names{};
  return ::uname(&names) == 0 ? names.machine : "";
}

std::string kernel_release() {
  utsname names{};
  return ::uname(&names) == 0 ? names.release : "";
}

std::optional<std::string> os_name() { return line_value("/etc/os-release", "PRETTY_NAME", '='); }

std::vector<std::string> container_hints() {
  std::vector<std::string> hints;
  std::error_code ignored;
  for (const char* path : {"/.dockerenv", "/run/.containerenv"})
    if (std::filesystem::exists(path, ignored)) hints.emplace_back(path);
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

}  // namespace aqbench
