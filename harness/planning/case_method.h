#pragma once
// From a case to its method.

#include "harness/records/case.h"
#include "pipeline/method/method.h"

namespace aqbench {

// Returns the method of a case: the declared one if the case carries its declaration, otherwise the
// registered one. Throws Error(usage) for an unknown one, Error(input) for an invalid declaration.
MethodSpec method_of(const Case& planned);

// Return properties of the case's MethodSpec: whether it starts an external program, reports stages of its
// own, gives depth maps in every case. False for a workload and an unknown method.
bool starts_program(const Case& planned);
bool tells_own_stages(const Case& planned);
bool gives_depth_maps(const Case& planned);

// Returns whether a case needs the module `pipeline`: a workload, or a real method that runs in this program.
bool uses_libraries(const Case& planned);

}  // namespace aqbench
