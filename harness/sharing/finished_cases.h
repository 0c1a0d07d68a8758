#pragma once
// A plan as a file, and a folder with the results of its cases, which any number of processes on any machines
// may write without knowing of each other:
//   DIR/17/HASH.result   host, log, record and files of case 17; HASH is the SHA-256 of its bytes
//   DIR/17/done          this HASH, written last
// Nothing is locked or renamed, so that any file system will do. A result without a "done" of its hash is
// none: its case is run again.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "harness/planning/plan.h"
#include "harness/records/case_result.h"
#include "harness/running/journal.h"

namespace aqbench {

// Writes the plan: the first line of a sweep's journal, without an environment. Throws Error(io).
void write_plan_file(const std::filesystem::path& file, const SweepPlan& plan);

// Reads what write_plan_file() wrote, or a bundle's journal. Throws like read_journal().
JournalHeader read_plan_file(const std::filesystem::path& file);

// Plans the cases of the header once more; a case's number is its place among them, from 1. Throws
// Error(not_comparable) naming `file` for the plan of another build, or if this machine gives another plan.
SweepPlan plan_again(const JournalHeader& header, const std::filesystem::path& file);

// What a process gives for one case.
struct FinishedCase {
  std::string plan_sha256, program_sha256, host;
  JsonBox environment = {};  // if its times matter; else empty
  std::string log;           // the output of the case
  CaseResult result;
};

// Returns the name of this machine.
std::string this_host();

// Writes the result of a case. Throws Error(io).
void write_finished(const std::filesystem::path& dir, std::size_t number, const FinishedCase& finished);

// Returns whether the case seems to have a result, judging by names alone.
bool is_finished(const std::filesystem::path& dir, std::size_t number);

// Returns how many of so many cases do, in any of the folders.
std::size_t count_finished(const std::vector<std::filesystem::path>& dirs, std::size_t cases);

// Reads the result of a case of the plan; nullopt if there is none or it was not written to its end. Throws
// Error(not_comparable) for a result of another plan or another build, Error(input) for one that
// write_finished() did not write: also for a file outside of the bundle, and for another case's result.
std::optional<FinishedCase> read_finished(const std::filesystem::path& dir, std::size_t number,
                                          const SweepPlan& plan);

// Where the results of a plan's cases are.
struct FinishedSource {
  std::filesystem::path place;
  // Reads the result of a case as read_finished() does.
  std::function<std::optional<FinishedCase>(const SweepPlan& plan, std::size_t number)> read;
};

// Returns the folder into which write_finished() wrote, and the bundle of a shard of the plan, which
// verifies. Throws as read_journal().
FinishedSource finished_in_folder(const std::filesystem::path& dir);
FinishedSource finished_in_shard(const std::filesystem::path& bundle);

// Returns the folder of the results that a sweep by several processes has not taken into its bundle yet.
std::filesystem::path tasks_folder(const std::filesystem::path& bundle);

// The plan in that folder, for the tasks of a Slurm array.
inline constexpr const char* kPlanFile = "plan.json";

}  // namespace aqbench
