#pragma once
// Facts about this machine. nullopt: not reported by the system.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace aqbench {

// Returns the processor's name as in /proc/cpuinfo.
std::optional<std::string> cpu_model();

// Returns the processors available to this process.
std::vector<int> affinity_processors();

// Returns the number of online processors.
int online_processors();

// Returns the installed memory.
std::optional<std::uint64_t> memory_total_bytes();

// Returns the memory available without swapping.
std::optional<std::uint64_t> memory_available_bytes();

// Returns the architecture: "x86_64".
std::string architecture();

// Returns the kernel's release: "6.1.0-18-amd64".
std::string kernel_release();

// Returns the system's name as in /etc/os-release.
std::optional<std::string> os_name();

// Returns a hint of a container or virtual machine: "/.dockerenv", "hypervisor", ...
std::vector<std::string> container_hints();

// Returns the model of the first NVIDIA GPU; nullopt: none.
std::optional<std::string> gpu_model();

// Returns the BLAS library files loaded by this process.
std::vector<std::string> loaded_blas_files();

}  // namespace aqbench
