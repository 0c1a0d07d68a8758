#pragma once
// The registries as `aqbench list` shows them.

#include <optional>
#include <span>

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

}  // namespace aqbench::cli
