#pragma once
// Facts about the machine this process runs on. nullopt: the system does not tell.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace aqbench {

// Returns the processor's name as in /proc/cpuinfo.
std::optional<std::string> cpu_model();

// Returns the numbers of the processors that this process may run on.
std::vector<int> affinity_processors();

// Returns the number of processors that are switched on.
int online_processors();

// Returns the processors' time that the cgroup may use, in processors; nullopt: no quota.
std::optional<double> cgroup_quota_processors();

// Returns the installed memory.
std::optional<std::uint64_t> memory_total_bytes();

// Returns the memory that programs could still take without swapping.
std::optional<std::uint64_t> memory_available_bytes();

// Returns the cgroup's limit of memory; nullopt: no limit.
std::optional<std::uint64_t> cgroup_memory_limit_bytes();

// Returns the architecture: "x86_64".
std::string architecture();

// Returns the kernel's release: "6.1.0-18-amd64".
std::string kernel_release();

// Returns the system's name as in /etc/os-release.
std::optional<std::string> os_name();

// Returns what says that this is a container or a virtual machine: "/.dockerenv", "hypervisor", ...
std::vector<std::string> container_hints();

// Returns the model of the first NVIDIA GPU; nullopt: there is none.
std::optional<std::string> gpu_model();

// Returns the files of BLAS libraries that this process has loaded.
std::vector<std::string> loaded_blas_files();

}  // namespace aqbench
