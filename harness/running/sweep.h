#pragma once
// Runs the cases of a plan one after the other, each in a child of its own, and writes what they gave.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "harness/planning/plan.h"
#include "harness/records/case.h"
#include "harness/running/case_board.h"
#include "harness/running/journal.h"
#include "harness/running/run_case.h"

namespace aqbench {

// The number of cases from which on this process keeps its memory in large pages (hold_in_large_pages()),
// since each of the many forks copies an entry for each page.
inline constexpr std::size_t kManyCases = 5000;

// How far a sweep has come.
struct SweepProgress {
  std::size_t index = 0;             // of this case, from 1, resumed ones counted
  std::size_t total = 0;             // of this plan
  std::size_t failed = 0;            // failed, crashed or timed out so far, resumed ones counted
  double elapsed_s = 0;              // of this run
  std::optional<double> eta_s = {};  // for the rest; unknown before the first case has ended
  std::string doing = {};            // what the case does: "rendering", "warm 3 of 10: fusion"; "" unknown
};

// Functions that are called in this process while a sweep runs. Each may be empty.
struct SweepCallbacks {
  std::function<void(const SweepProgress&, const Case&)> started;
  std::function<void(const SweepProgress&, const Record&)> finished;
  std::function<void(const SweepProgress&, const Case&)> tick;  // a few times a second while a case runs
};

// How a sweep ended.
struct SweepOutcome {
  bool interrupted = false;  // SIGINT, SIGTERM or SIGHUP: the running case was killed and has no record
  int signal = 0;            // which
  std::size_t ran = 0;       // records added by this run
  std::size_t failed = 0;    // failed, crashed or timed out among all records of the journal
  double wall_s = 0;
};

// Runs one case in its child process.
using CaseRunner = std::function<CaseResult(const Case&, CaseBoard&)>;

// Writes the files that go with a record into the bundle. Throws Error(io).
void write_artefacts(const std::filesystem::path& bundle, const CaseResult& result);

// Runs every case that the journal has no record of. A simulated case may start while the record of the one
// before it is written; any other has the machine to itself. Artefacts are on disk before the record that
// stands for them. A failure of a case becomes its record and is not thrown. Throws Error(io) if writing
// fails; the records in the journal stay good. This process must not have run LibTorch, TBB, Open3D or
// threads.
SweepOutcome run_sweep(const SweepPlan& plan, Journal& journal, const SweepCallbacks& callbacks,
                       const CaseRunner& run = run_case);

}  // namespace aqbench
