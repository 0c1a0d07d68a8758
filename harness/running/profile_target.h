#pragma once
// What a profile runs again and again: the work of one case, prepared once.

#include <filesystem>
#include <functional>
#include <memory>

#include "harness/records/case.h"

namespace aqbench {

// Everything but the work itself is done: scene, images, inputs.
struct ProfileTarget {
  std::function<void()> run;    // all of the work once; throws what the method throws
  std::function<void()> prove;  // throws if the output of the last run is wrong; empty: there is no proof
};

// For child processes. `scratch` is a folder for the images and the method's files, empty to make one. Throws
// Error naming what cannot be prepared, or why the case cannot run here.
ProfileTarget prepare_profile_target(const Case& planned, const std::filesystem::path& scratch);

}  // namespace aqbench
