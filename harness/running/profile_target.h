#pragma once
// The work of one case, prepared once, which a profile then runs again and again.

#include <filesystem>
#include <functional>
#include <memory>

#include "harness/records/case.h"

namespace aqbench {

// Work that is ready to run: scene, images and inputs are made.
struct ProfileTarget {
  std::function<void()> run;    // all of the work once; throws what the method throws
  std::function<void()> prove;  // throws if the output of the last run is wrong; empty: there is no proof
};

// Prepares the work of a case, in a child process. `scratch` is a folder for the images and the method's
// files, empty to make one. Throws an Error naming what cannot be prepared, Error(method) with the reason why
// the case cannot run here.
ProfileTarget prepare_profile_target(const Case& planned, const std::filesystem::path& scratch);

}  // namespace aqbench
