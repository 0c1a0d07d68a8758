#include "harness/running/case_process.h"

#include <utility>

#include "harness/running/case_outcome.h"

namespace aqbench {

CaseProcess::CaseProcess(const Case& the_case, IsolateOptions limits,
                         const std::vector<std::filesystem::path>& hidden)
    : planned(the_case), options(std::move(limits)) {
  for (const std::filesystem::path& folder : hidden) board.hide(folder);
  if (planned.workload.empty() && !planned.simulated) board.set_scratch_dir(scratch.emplace().path());
}

void CaseProcess::start(const CaseRunner& run) {
  const auto body = [this, &run] { return encode_case_result(run(planned, board)); };
  process = std::make_unique<IsolatedProcess>(body, options);
}

std::optional<CaseResult> CaseProcess::wait() {
  const IsolateOutcome end = process->wait();
  if (end.end == IsolateOutcome::End::cancelled) return std::nullopt;
  return result_of(planned, end, options, board);
}

}  // namespace aqbench
