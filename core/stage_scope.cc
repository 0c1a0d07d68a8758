#include "core/stage_scope.h"

#include <cstddef>

namespace aqbench {

std::atomic<StageObserver*> detail::stage_observer{nullptr};

void set_stage_observer(StageObserver* observer) { detail::stage_observer.store(observer); }

void report_program(const ProgramReport& report) {
  if (StageObserver* const observer = detail::stage_observer.load(); observer != nullptr)
    observer->program_ended(report);
}

void ObserverChain::enter(const char* stage) {
  std::size_t entered = 0;
  try {
    for (; entered < observers_.size(); ++entered) observers_[entered]->enter(stage);
  } catch (...) {
    while (entered-- > 0) observers_[entered]->leave(stage);
    throw;
  }
}

void ObserverChain::program_ended(const ProgramReport& report) {
  for (StageObserver* const observer : observers_) observer->program_ended(report);
}

void ObserverChain::leave(const char* stage) noexcept {
  for (std::size_t i = observers_.size(); i-- > 0;) observers_[i]->leave(stage);
}

}  // namespace aqbench
