#pragma once
// Who runs as the method of a case.

#include <optional>

#include "harness/records/case.h"
#include "harness/records/guest.h"
#include "pipeline/method/method.h"

namespace aqbench {

// Hashes what makes the method of a case what it is, if that is a program or model of the user, and asks git
// about its project; nullopt for aqbench's own methods and workloads. Call it before the method runs. A
// folder has the hash of the lines "PATH SHA256" of its files, by name. Throws Error(io) for a file that
// cannot be read, Error(method) for an image without a digest.
std::optional<Guest> guest_of(const Case& planned);

// Does the same for a method and its input.
std::optional<Guest> guest_of(const MethodSpec& method, const MethodInput& input);

}  // namespace aqbench
