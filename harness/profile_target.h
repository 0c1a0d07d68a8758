#pragma once
// What a profile runs again and again: the work of one case, prepared once.

#include <functional>
#include <memory>

#include "harness/case.h"

namespace aqbench {

// Everything but the work itself is done: scene, images, inputs. Each call does all of the work once. Throws
// what the method throws.
using ProfileTarget = std::function<void()>;

// For child processes. Throws Error naming what cannot be prepared, or why the case cannot run here.
ProfileTarget prepare_profile_target(const Case& planned);

}  // namespace aqbench
