#pragma once
// The datasets of a project file, for `aqbench list datasets`.

#include <optional>
#include <string>

#include "core/json.h"
#include "harness/project/project.h"

namespace aqbench::cli {

// Returns name, folder and a summary of each dataset: its layout, cameras, frames and truth, or why it cannot
// be read. Without a project there are none.
Json datasets_json(const std::optional<Project>& project);

// Leaves this dataset alone in the project: one of its names, or any folder, which is then added. Throws like
// place_dataset().
void keep_dataset(const std::string& given, std::optional<Project>& project);

}  // namespace aqbench::cli
