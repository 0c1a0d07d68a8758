#pragma once
// The folder by which several processes share the cases of one sweep: leases, and results that are each
// published once. It lies beside the bundle, "BUNDLE.tasks", and is removed when the bundle is sealed.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/records/case_result.h"

namespace aqbench {

// Seconds after which a silent process loses the case it works on, where the user does not say.
inline constexpr double kDefaultLeaseS = 60;

// What a process made of one case.
struct SharedResult {
  std::string host;
  std::int64_t process = 0;
  std::string log;  // what the case printed
  CaseResult result;
};

// Returns the folder of a bundle.
std::filesystem::path tasks_folder(const std::filesystem::path& bundle);

// Makes the folder. What is there already is kept. Throws Error(io).
void make_tasks_folder(const std::filesystem::path& tasks);

// Returns the subfolder for LeaseTable.
std::filesystem::path leases_folder(const std::filesystem::path& tasks);

// Publishes the result of the case with this place in the plan: whole and on the disk when it can be seen.
// Returns false where another process has published one before; that one stays. Throws Error(io).
bool publish(const std::filesystem::path& tasks, std::size_t place, const SharedResult& result);

// Returns whether there is a result of the case with this place in the plan.
bool is_published(const std::filesystem::path& tasks, std::size_t place);

// Returns the places of all published results.
std::set<std::size_t> published_places(const std::filesystem::path& tasks);

// Reads a published result. Throws Error(input) naming the file where it is not what publish() wrote.
SharedResult read_shared_result(const std::filesystem::path& tasks, std::size_t place);

// A process that works on a case now.
struct WorkingTask {
  std::size_t place = 0;
  std::string host;
  std::int64_t process = 0;
  bool known_dead = false;
};

// Returns who holds which case, by place.
std::vector<WorkingTask> working_tasks(const std::filesystem::path& tasks);

}  // namespace aqbench
