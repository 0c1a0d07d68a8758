#pragma once
// The process of one case: what sweeps, tasks of a shared sweep and units of a comparison have in common.

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/processes/isolate.h"
#include "core/scratch_folder.h"
#include "harness/records/case.h"
#include "harness/records/case_result.h"
#include "harness/running/case_board.h"

namespace aqbench {

// Runs one case in its child process.
using CaseRunner = std::function<CaseResult(const Case&, CaseBoard&)>;

// A case in a child of this process. `planned` must outlive it.
struct CaseProcess {
  // `limits` are those of the child, `hidden` the folders that no method may reach.
  CaseProcess(const Case& the_case, IsolateOptions limits, const std::vector<std::filesystem::path>& hidden);

  void start(const CaseRunner& run);  // once; options may be changed before
  // Waits for the end of the child and returns what it gave, or how it failed; nullopt if it was cancelled.
  std::optional<CaseResult> wait();

  const Case& planned;
  IsolateOptions options;
  CaseBoard board;                       // outlives the child
  std::optional<ScratchFolder> scratch;  // of a real method; removed after the child has ended
  std::unique_ptr<IsolatedProcess> process;
};

}  // namespace aqbench
