#pragma once
// From a case to the method that it runs.

#include "harness/records/case.h"
#include "pipeline/method/method.h"

namespace aqbench {

// Returns the method of a case: the one that a user declared, where the case carries its declaration, or else
// the registered one. Throws Error(usage) for an unknown one, Error(input) for a declaration that is none.
MethodSpec method_of(const Case& planned);

// Returns whether the case's method is somebody's program: `external` or one that a user declared.
bool starts_program(const Case& planned);

}  // namespace aqbench
