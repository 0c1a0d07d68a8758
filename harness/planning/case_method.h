#pragma once
// From a case to the method that it runs.

#include "harness/records/case.h"
#include "pipeline/method/method.h"

namespace aqbench {

// Returns the method of a case: the one that a user declared, where the case carries its declaration, or else
// the registered one. Throws Error(usage) for an unknown one, Error(input) for a declaration that is none.
MethodSpec method_of(const Case& planned);

// Return what MethodSpec says of the case's method: whether it starts somebody's program, tells stages of its
// own, gives depth maps in every case. False for a workload and for a method that is unknown here.
bool starts_program(const Case& planned);
bool tells_own_stages(const Case& planned);
bool gives_depth_maps(const Case& planned);

}  // namespace aqbench
