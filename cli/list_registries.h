#pragma once
// The registries as `aqbench list` shows them.

#include <optional>
#include <span>
#include <string>

#include "core/json.h"
#include "harness/project/project.h"

namespace aqbench::cli {

// A registry: its name, and a function that returns its items: name, summary, and what else they have.
struct Listing {
  const char* name;
  Json (*json)(const std::optional<Project>& project);
};

// Returns all registries but the devices, in the order in which they are shown.
std::span<const Listing> listings();

// Returns the devices of cases. Drivers are asked only where this listing is wanted.
Json devices_json(const std::optional<Project>& project);

// Returns name, folder and a summary of each dataset: its layout, cameras, frames and truth, or why it cannot
// be read. Without a project there are none.
Json datasets_json(const std::optional<Project>& project);

// Leaves this dataset alone in the project: one of its names, or any folder, which is then added. Throws like
// place_dataset().
void keep_dataset(const std::string& given, std::optional<Project>& project);

}  // namespace aqbench::cli
