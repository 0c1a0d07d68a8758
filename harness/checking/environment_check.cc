#include "harness/checking/environment_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/json.h"
#include "harness/measuring/build_info.h"
#include "harness/measuring/environment.h"
#include "harness/planning/plan.h"

namespace aqbench {
namespace {

std::optional<std::uint64_t> count_in(const Json& environment, const char* group, const char* name) {
  const Json object = environment.value(group, Json());
  const Json value = object.is_object() ? object.value(name, Json()) : Json();
  return value.is_number_unsigned() ? std::optional(value.get<std::uint64_t>()) : std::nullopt;
}

// Without --threads each case runs with all usable processors, unless an axis says otherwise.
std::optional<std::string> thread_problem(const Json& environment,
                                          const std::map<std::string, Case>& planned) {
  const Json threads = environment.value("threads", Json());
  if (threads.is_null()) return std::nullopt;
  for (const auto& [name, one] : planned)
    if (name.find("/threads=") == name.npos && threads != Json(one.threads))
      return fmt::format("environment.threads is {}, the cases ran with {}", threads.dump(), one.threads);
  return std::nullopt;
}

// A run that was gone on with may have its limit from another machine. The memory of a virtual machine may
// change by a little while the program starts.
std::optional<std::string> limit_problem(const Results& results, const PlanRequest& request, bool went_on) {
  constexpr double kMayChange = 0.1;
  const Json& environment = *results.environment;
  const Json& effective = *results.run.effective;
  const auto total = count_in(environment, "memory", "total_bytes"),
             of_group = count_in(environment, "memory", "cgroup_limit_bytes");
  const Json told = effective.value("memory_limit_bytes", Json());
  if (request.memory_limit_bytes || went_on || !total || effective.contains("merged_from"))
    return std::nullopt;
  const std::uint64_t limit = memory_limit_bytes(*total, of_group);
  if (told.is_number_unsigned() &&
      std::abs(told.get<double>() - static_cast<double>(limit)) <= kMayChange * static_cast<double>(limit))
    return std::nullopt;
  return fmt::format("run.effective.memory_limit_bytes is {}, the machine's memory gives {}", told.dump(),
                     limit);
}

}  // namespace

std::vector<std::string> machine_problems(const Results& results, const PlanRequest& request, bool went_on,
                                          const std::map<std::string, Case>& planned) {
  std::vector<std::string> problems;
  const Json& environment = *results.environment;
  const Json cpu = environment.value("cpu", Json());
  const auto usable = count_in(environment, "cpu", "cores_usable");
  if (usable && cpu.contains("affinity") && cpu.at("affinity").is_array() &&
      *usable > std::max<std::size_t>(cpu.at("affinity").size(), 1))
    problems.push_back("environment.cpu.cores_usable are more than environment.cpu.affinity has");
  const auto total = count_in(environment, "memory", "total_bytes"),
             available = count_in(environment, "memory", "available_bytes");
  if (total && available && *available > *total)
    problems.push_back("environment.memory.available_bytes are more than total_bytes");
  if (!request.threads)
    if (auto problem = thread_problem(environment, planned)) problems.push_back(std::move(*problem));
  if (auto problem = limit_problem(results, request, went_on)) problems.push_back(std::move(*problem));
  return problems;
}

std::vector<std::string> build_problems(const Json& environment, const std::set<std::string>& devices) {
  std::vector<std::string> problems;
  const Json told = environment.value("build", Json::object());
  Json own = Json::object();
  add_build(own, build_info());
  for (const char* const unknown : {"commit", "dirty"})
    if (build_info().commit.empty()) own.erase(unknown);
  for (const auto& [key, value] : own.items())
    if (told.is_object() && told.contains(key) && told.at(key) != value)
      problems.push_back(
          fmt::format("environment.build.{} is not that of the program, {}", key, value.dump()));
  const Json libraries = environment.value("libraries", Json::object());
  for (const auto& [name, version] : library_versions())
    if (libraries.is_object() && libraries.contains(name) &&
        libraries.at(name) != (version.empty() ? Json(nullptr) : Json(version)))
      problems.push_back(
          fmt::format("environment.libraries.{} is not that of the program, '{}'", name, version));
  const Json device = environment.value("device", Json("cpu"));
  if (device != "cpu" && !(device.is_string() && devices.contains(device.get<std::string>())))
    problems.push_back(fmt::format("environment.device is {}, which no case has", device.dump()));
  return problems;
}

std::vector<std::string> key_problems(const Json& environment) {
  std::vector<std::string> problems;
  const Json key = environment.value("comparability", Json()), cpu = environment.value("cpu", Json()),
             memory = environment.value("memory", Json()), files = environment.value("blas_files", Json());
  if (!key.is_object() || key.contains("mixed")) return problems;
  if (cpu.is_object() && cpu.contains("affinity") &&
      key.value("cores", Json()) != Json(cpu.at("affinity").size()))
    problems.push_back("environment.comparability.cores are not those of environment.cpu.affinity");
  if (memory.is_object() && memory.contains("total_bytes") && memory.at("total_bytes").is_number_unsigned() &&
      key.value("memory", Json()) != Json(memory_class(memory.at("total_bytes").get<std::uint64_t>())))
    problems.push_back("environment.comparability.memory is not that of environment.memory.total_bytes");
  std::string blas;
  for (const Json& file : files)
    if (file.is_string()) blas += (blas.empty() ? "" : " ") + file.get<std::string>();
  if (environment.contains("blas_files") && key.value("blas", Json()) != Json(blas))
    problems.push_back("environment.comparability.blas is not environment.blas_files");
  return problems;
}

bool is_of_this_program(const JournalHeader& header) {
  return header.program_commit == build_info().commit &&  // spares the hash of the program where it differs
         header.program_sha256 == program_sha256();
}

}  // namespace aqbench
