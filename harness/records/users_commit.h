#pragma once
// The commit of the user's repository in a run.

#include <string>

#include "harness/records/results.h"

namespace aqbench {

// Returns the commit of the repository that the programs of a run come from, as commit_text() writes it;
// "several commits" where they differ, "" where no record has one.
std::string users_commit(const Results& results);

// Returns that commit in full; "" where records differ or none has one.
std::string full_users_commit(const Results& results);

}  // namespace aqbench
