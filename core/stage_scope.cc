#include "core/stage_scope.h"

namespace aqbench {

std::atomic<StageObserver*> detail::stage_observer{nullptr};

void set_stage_observer(StageObserver* observer) { detail::stage_observer.store(observer); }

}  // namespace aqbench
