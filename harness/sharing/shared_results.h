#pragma once
// The folder through which several processes share the cases of one sweep: leases, machines, and results
// published once each. It is beside the bundle, "BUNDLE.tasks", and is removed when the bundle is sealed.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/files.h"
#include "core/json.h"
#include "harness/records/case_result.h"

namespace aqbench {

// ---- Leases: which process, on one machine or on several that share the folder, works on which case ----
//
// A lease is a file ITEM.GENERATION in the folder, created with O_EXCL and flushed to the disk, in which its
// holder increments a number. A lease whose number does not change for `lease_s`, by the clock of the
// watching process, is stale, and taken over by creating the file of the next generation, which only one
// process can. A returned lease is marked in its file and taken over at once; the file stays, so that no two
// holders ever have the same. Two processes on one item do no harm, because a result is published once.

// A process that can hold leases.
struct LeaseHolder {
  std::string host;
  std::string boot_id;        // of the host's running kernel; process ids are only valid within one boot
  std::string pid_namespace;  // of the process id; "" if /proc does not show it
  std::int64_t process = 0;   // its id
  std::uint64_t started = 0;  // clock ticks after boot; ids are reused
};

// Returns this process.
LeaseHolder this_process();

// Reads the holder from a lease file. Returns nullopt for a file that is gone or being written.
std::optional<LeaseHolder> read_lease_holder(const std::filesystem::path& file);

// Returns whether the holder is a process of this PID namespace that no longer runs; false if unknown, as for
// every other namespace.
bool is_known_dead(const LeaseHolder& holder);

// The right to work on one item, until it is given back.
class Lease {
 public:
  // Increments the number in the file if a quarter of the lease has passed since the last time. Throws
  // Error(io).
  void renew_if_due();

  // Writes into the file that the item is free. A lease that another one has taken over stays with that one.
  void give_back() const;

  int generation() const { return generation_; }

 private:
  friend class LeaseTable;
  Lease(std::filesystem::path file, int generation, double lease_s)
      : file_(std::move(file)), generation_(generation), lease_s_(lease_s) {}
  void write(int descriptor) const;

  std::filesystem::path file_;
  int generation_;
  double lease_s_;
  std::uint64_t beat_ = 0;
  std::chrono::steady_clock::time_point written_;
};

// The leases of a folder as seen by one process.
class LeaseTable {
 public:
  // `folder` must exist. Throws Error(usage) for a lease that is not positive.
  LeaseTable(std::filesystem::path folder, double lease_s);

  // Takes the lease of an item if it is free, or if its holder is dead or silent for the length of a lease.
  // Returns nullopt if it is held. Throws Error(io).
  std::optional<Lease> attempt(std::size_t item);

 private:
  struct Seen {
    int generation = 0;
    std::string text;  // last content of the file
    std::chrono::steady_clock::time_point since;
  };
  bool is_stale(std::size_t item, int generation);

  std::filesystem::path folder_;
  double lease_s_;
  std::map<std::size_t, Seen> seen_;
};

// Whether a machine may join whose times are not comparable with the first one's.
enum class UnlikeMachines { refuse, accept };

// Adds the machine `host`, described by `environment` (as in env.json), to the sweep of this folder
// (shared_results.h), until the returned lock is destroyed. Throws Error(not_comparable) if another task of
// the sweep runs on it, or if its comparability differs from the first machine's and `unlike` refuses;
// Error(io).
[[nodiscard]] FileLock join_timed_machines(const std::filesystem::path& tasks, const std::string& host,
                                           const Json& environment, UnlikeMachines unlike);

// Returns a machine's description from when it first joined; nullopt if it never did. Throws Error(io),
// Error(input) for an incomplete file.
std::optional<Json> environment_of_machine(const std::filesystem::path& tasks, const std::string& host);

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
