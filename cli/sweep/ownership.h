#pragma once
// A folder whose git repository belongs to another user, as in containers of a CI.

#include <filesystem>

#include "core/json.h"

namespace aqbench::cli {

// Warns on stderr and in the log, whose warnings the summary lists, where git hides the commit because
// another user owns the working directory. `environment` is that of environment_json().
void note_ownership(const Json& environment, const std::filesystem::path& log);

}  // namespace aqbench::cli
