#include "harness/sharing/timed_machines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/error.h"
#include "harness/records/comparability.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

fs::path machines_folder(const fs::path& tasks) { return tasks / "machines"; }

fs::path file_of_machine(const fs::path& tasks, const std::string& host) {
  return machines_folder(tasks) / (host + ".json");
}

// The reference for all others. No host has this name: it would need a leading dot.
fs::path first_machine(const fs::path& tasks) { return machines_folder(tasks) / ".first"; }

}  // namespace

FileLock join_timed_machines(const fs::path& tasks, const std::string& host, const Json& environment,
                             UnlikeMachines unlike) {
  std::error_code failed;
  fs::create_directories(machines_folder(tasks), failed);
  if (failed) throw io_error("{}: {}", machines_folder(tasks).string(), failed.message());
  auto lock = FileLock::attempt(machines_folder(tasks) / (host + ".lock"), LockMode::exclusive);
  if (!lock)
    throw not_comparable_error(
        "{}: another task of this timed sweep runs here; times need a machine of their own", host);
  // Published results of this machine belong to its earlier description.
  const Json now = comparability_of(environment);
  if (const auto before = environment_of_machine(tasks, host); before && comparability_of(*before) != now)
    throw not_comparable_error(
        "{}: changed since it joined this timed sweep: {}", host,
        fmt::join(comparability_differences(comparability_of(*before), now, "before"), "; "));
  const fs::path own = file_of_machine(tasks, host);
  const std::string text = Json{{"host", host}, {"environment", environment}}.dump() + "\n";
  write_file(own, text);
  write_new_file(first_machine(tasks), text);  // of several machines that begin at once one is first
  const Json first = parse_strict_json(read_file(first_machine(tasks)), first_machine(tasks).string());
  const JsonPlace root(first, first_machine(tasks).string());
  const std::vector<std::string> differences = comparability_differences(
      comparability_of(root.at("environment").value()), now, "that of " + root.at("host").text());
  if (!differences.empty() && unlike == UnlikeMachines::refuse) {
    std::error_code ignored;  // it has run nothing
    fs::remove(own, ignored);
    throw not_comparable_error(
        "{}: differs from the first machine of this timed sweep: {}; with --unlike-nodes "
        "it joins, but times are then not comparable with any other run",
        host, fmt::join(differences, "; "));
  }
  return std::move(*lock);
}

std::optional<Json> environment_of_machine(const fs::path& tasks, const std::string& host) {
  const fs::path file = file_of_machine(tasks, host);
  std::error_code error;
  if (!fs::exists(file, error)) return std::nullopt;
  const Json machine = parse_strict_json(read_file(file), file.string());
  return JsonPlace(machine, file.string()).at("environment").value();
}

}  // namespace aqbench
