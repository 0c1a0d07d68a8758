#pragma once
// Which files a case can have in a bundle.

#include <string_view>

#include "harness/records/case.h"
#include "harness/records/record.h"

namespace aqbench {

// Returns whether a case that ended so can have this file of a bundle ("views/CASE.csv"), by its folder.
// A workload has none. A simulated method sees no cameras and prints nothing; programs alone have logs, and
// depth maps come from a method that gives them or from somebody's program. A case that failed before its
// first run was over has nothing but a log. A method that is unknown here counts as one without depth maps
// that starts no program. Files of profiles are not looked at: any case can be profiled.
bool can_have_file(const Case& planned, const Record& record, std::string_view path);

}  // namespace aqbench
