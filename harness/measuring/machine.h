#pragma once
// Facts about the machine this process runs on. Internal to harness/measuring/environment.cc; nullopt: could
// not be found out.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace aqbench {

std::optional<std::string> cpu_model();
std::vector<int> affinity_processors();  // numbers of the processors this process may run on
int online_processors();
std::optional<std::uint64_t> memory_total_bytes();
std::optional<std::uint64_t> memory_available_bytes();
std::string architecture();  // "x86_64"
std::string kernel_release();
std::optional<std::string> os_name();
std::vector<std::string> container_hints();  // "/.dockerenv", "hypervisor", ..
std::optional<std::string> gpu_model();      // of the first NVIDIA GPU
std::vector<std::string> loaded_blas_files();

}  // namespace aqbench
