#pragma once
// The folder through which several processes share the cases of one sweep: leases, and results published once
// each. It is beside the bundle, "BUNDLE.tasks", and is removed when the bundle is sealed.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "harness/records/case_result.h"

namespace aqbench {

// Default seconds after which a silent process loses its case.
inline constexpr double kDefaultLeaseS = 60;

// The result of a process for one case.
struct SharedResult {
  std::string host;
  std::int64_t process = 0;
  std::string log;  // the case's output
  CaseResult result;
};

// Returns the folder of a bundle.
std::filesystem::path tasks_folder(const std::filesystem::path& bundle);

// Creates the folder, keeping existing content. Throws Error(io).
void make_tasks_folder(const std::filesystem::path& tasks);

// Returns the subfolder for LeaseTable.
std::filesystem::path leases_folder(const std::filesystem::path& tasks);

// Publishes the result of the case at this place in the plan: complete and on disk once visible. Returns
// false if another process has published one, which stays. Throws Error(io).
bool publish(const std::filesystem::path& tasks, std::size_t place, const SharedResult& result);

// Returns whether the case at this place in the plan has a result.
bool is_published(const std::filesystem::path& tasks, std::size_t place);

// Returns the places of all published results.
std::set<std::size_t> published_places(const std::filesystem::path& tasks);

// Reads a published result. Throws Error(input) naming a file that publish() did not write.
SharedResult read_shared_result(const std::filesystem::path& tasks, std::size_t place);

// A process currently working on a case.
struct WorkingTask {
  std::size_t place = 0;
  std::string host;
  std::int64_t process = 0;
  bool known_dead = false;
};

// Returns who holds which case, by place.
std::vector<WorkingTask> working_tasks(const std::filesystem::path& tasks);

}  // namespace aqbench
