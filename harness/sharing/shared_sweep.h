#pragma once
// One sweep by several processes: each runs cases of the plan into a folder (finished_cases.h), one process
// takes their results into the journal.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/planning/plan.h"
#include "harness/running/journal.h"
#include "harness/running/sweep.h"
#include "harness/sharing/finished_cases.h"

namespace aqbench {

// Returns whether a plan has timed cases.
bool has_timed_cases(const SweepPlan& plan);

// Whether a process has its machine to itself.
enum class OwnMachine { no, yes };

// Throws Error(usage) naming a timed case, unless each process has its own machine.
void require_shareable(const SweepPlan& plan, OwnMachine machine);

// Runs cases of the plan into a folder, one after the other.
class FinishedCases {
 public:
  // Each case gets its own child; methods reach neither `dir` nor `hidden`. Describes this machine if times
  // matter: load the modules of the cases before. The process must not have run LibTorch, TBB, Open3D or
  // threads.
  FinishedCases(const SweepPlan& plan, std::filesystem::path dir, CaseRunner run, CaseEnded ended = {},
                std::vector<std::filesystem::path> hidden = {});

  // Runs a case, whose result is written on return; nullopt if the descriptor `cancel` became readable.
  // Throws Error(io), and Error(not_comparable) as result_of().
  std::optional<Record> run(std::size_t number, int cancel = -1);

 private:
  const SweepPlan& plan_;
  std::filesystem::path dir_;
  CaseRunner run_;
  CaseEnded ended_;
  std::vector<std::filesystem::path> hidden_;
  JsonBox environment_;
};

// Which results of a plan's cases there are, and where.
struct FoundCases {
  std::vector<std::pair<FinishedSource, std::vector<std::size_t>>> sources;  // and numbers of cases
  std::vector<std::size_t> missing;                                          // numbers
};

// Looks for the result of each case in these sources, in their order, and reads it. Throws like
// read_finished(), and Error(not_comparable) for two programs of one method, and for times of machines that
// differ.
FoundCases find_finished(const SweepPlan& plan, const std::vector<FinishedSource>& sources);

// A host, or the run of a shard, and the number of cases it ran.
using CasesOfHosts = std::map<std::string, std::size_t>;

// Writes what was found into the bundle, unless the journal has it: files, logs, records. If times matter, or
// the machines are known, the journal says on which machine they were measured. Throws like read_finished(),
// and Error(io).
void take_all_finished(const SweepPlan& plan, const FoundCases& found, Journal& journal, CasesOfHosts& hosts);

// Processes of this machine, and CUDA_VISIBLE_DEVICES of each; none: as it is.
struct LocalWorkers {
  std::size_t count = 1;
  std::vector<std::string> gpus = {};
};

// Runs the cases that the journal lacks in children of this process, through the bundle's tasks_folder(). The
// case of a child that dies is run again; `callbacks.ended` is called in the children. Throws like
// FinishedCases::run() and take_all_finished(), and Error(method) if children die again and again without a
// result.
SweepOutcome run_locally_shared(const SweepPlan& plan, Journal& journal, const LocalWorkers& workers,
                                const SweepCallbacks& callbacks, const CaseRunner& run, CasesOfHosts& hosts);

}  // namespace aqbench
