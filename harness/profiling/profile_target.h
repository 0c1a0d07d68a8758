#pragma once
// The work of one case, prepared once, which a profile then runs again and again.

#include <functional>

#include "harness/records/case.h"
#include "harness/running/method_process.h"

namespace aqbench {

// Work that is ready to run: scene, images and inputs are made.
struct ProfileTarget {
  std::function<void()> run;    // all of the work once; throws what the method throws
  std::function<void()> prove;  // throws if the output of the last run is wrong; empty: there is no proof
};

// Prepares the work of a case, in a child process. `task` is that of a real method, in whose process this is
// then called (harness/running/method_process.h), and must outlive the target; nullptr for all others. Throws
// an Error naming what cannot be prepared, Error(method) with the reason why the case cannot run here.
ProfileTarget prepare_profile_target(const Case& planned, const MethodTask* task);

}  // namespace aqbench
