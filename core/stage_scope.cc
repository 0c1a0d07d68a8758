#include "core/stage_scope.h"

#include "core/program_report.h"

namespace aqbench {

std::atomic<StageObserver*> detail::stage_observer{nullptr};

void set_stage_observer(StageObserver* observer) { detail::stage_observer.store(observer); }

void report_program(const ProgramReport& report) {
  if (StageObserver* const observer = detail::stage_observer.load(); observer != nullptr)
    observer->program_ended(report);
}

}  // namespace aqbench
