#pragma once
// The work of one case, prepared once and run repeatedly by a profile.

#include <functional>

#include "harness/records/case.h"
#include "harness/running/method_process.h"

namespace aqbench {

// Prepared work, including scene, images and inputs.
struct ProfileTarget {
  std::function<void()> run;    // all of the work once; throws the method's errors
  std::function<void()> prove;  // throws if the last run's output is wrong; empty: no proof
};

// Prepares the work of a case, in a child process. `task` is that of a real method, in whose process this is
// called (harness/running/method_process.h), and must outlive the target; nullptr for all others. Throws an
// Error naming what cannot be prepared, Error(method) with the reason if the case cannot run here.
ProfileTarget prepare_profile_target(const Case& planned, const MethodTask* task);

}  // namespace aqbench
