#pragma once
// Runs the cases of a plan one by one, each in its own child, and writes their results.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/sandbox/sandbox.h"
#include "harness/planning/plan.h"
#include "harness/records/case.h"
#include "harness/running/case_process.h"
#include "harness/running/journal.h"
#include "harness/running/run_case.h"

namespace aqbench {

// From this number of cases on this process uses large pages (hold_in_large_pages()), since each fork copies
// an entry per page.
inline constexpr std::size_t kManyCases = 5000;

// The progress of a sweep.
struct SweepProgress {
  std::size_t index = 0;             // of this case, from 1, resumed ones counted
  std::size_t total = 0;             // of this plan
  std::size_t failed = 0;            // failed, crashed or timed out so far, resumed ones counted
  double elapsed_s = 0;              // of this run
  std::optional<double> eta_s = {};  // for the rest; unknown before the first case ends
  std::string doing = {};            // what the case does: "rendering", "warm 3 of 10: fusion"; "" unknown
};

// Called after the process of a real method's case, before its scratch folder (case_input.h) is removed.
using CaseEnded = std::function<void(const Case&, const Record&, const std::filesystem::path& scratch)>;

// Callbacks of a running sweep, in this process. Each may be empty.
struct SweepCallbacks {
  std::function<void(const SweepProgress&, const Case&)> started;
  std::function<void(const SweepProgress&, const Record&)> finished;
  CaseEnded ended;
  std::function<void(const SweepProgress&, const Case&)> tick;  // a few times a second while a case runs
};

// How a sweep ended.
struct SweepOutcome {
  bool interrupted = false;  // SIGINT, SIGTERM or SIGHUP: the running case was killed and has no record
  int signal = 0;            // its number
  std::size_t ran = 0;       // records added by this run
  std::size_t failed = 0;    // failed, crashed or timed out among all records of the journal
  double wall_s = 0;
};

// Returns the process of a case, not started yet, with the limits of the plan. Its output goes to `log`,
// below a line with time and name. It is killed when the descriptor `cancel` becomes readable. No method
// reaches `hidden`.
std::unique_ptr<CaseProcess> process_of(const SweepPlan& plan, const Case& planned,
                                        const std::filesystem::path& log, int cancel,
                                        const std::vector<std::filesystem::path>& hidden);

// Waits for the end of a started case, checks that it left the `settings` of this process alone, and notes in
// the log how it ended. Returns nullopt if it was interrupted. Throws Error(not_comparable) if a user's
// program changed while it ran.
std::optional<CaseResult> result_of(CaseProcess& process, OwnSettings& settings);

// Writes the files of a record into the bundle. Throws Error(io).
void write_artefacts(const std::filesystem::path& bundle, const CaseResult& result);

// Runs every case without a record in the journal. A simulated case may start while the previous record is
// written; any other has the machine to itself. Artefacts are on disk before their record. A failure of a
// case becomes its record and is not thrown. Throws Error(io) if writing fails, and Error(not_comparable) if
// a user's program is another one than in earlier cases, or changes while it runs; the records in the journal
// stay valid, and the case has none. This process must not have run LibTorch, TBB, Open3D or threads.
SweepOutcome run_sweep(const SweepPlan& plan, Journal& journal, const SweepCallbacks& callbacks,
                       const CaseRunner& run = run_case);

}  // namespace aqbench
