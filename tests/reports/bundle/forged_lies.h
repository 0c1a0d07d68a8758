#pragma once
// Lies about a small sweep (forged_sweep_test.cc says which cases it has).

#include <functional>
#include <vector>

#include "tests/reports/bundle/forger.h"

namespace aqbench::forging {

// Begin the names of its cases.
inline constexpr const char* kSimulated = "flat_plane/roma_like";
inline constexpr const char* kFailed = "flat_plane/lightglue_like";
inline constexpr const char* kExternal = "flat_plane/external";
inline constexpr const char* kDepth = "flat_plane/dense_flow";
inline constexpr const char* kWorkload = "absorption";

// A lie about the data, after which everything that follows is made right; or about the texts, after which
// only the hashes are.
struct Lie {
  const char* name;
  std::function<void(ForgedSweep&)> about_data;
  std::function<void(ForgedSweep&)> about_texts = {};
};

// Return lies about what was scored, how long it took, what was run, and the files beside.
std::vector<Lie> lies_about_metrics();
std::vector<Lie> lies_about_times();
std::vector<Lie> lies_about_cases();
std::vector<Lie> lies_about_files();

// Several lies in one bundle, and what verify says to each of them.
struct Lies {
  std::function<void(ForgedSweep&)> about_data;
  std::vector<const char*> findings;
};

// Return lies about what a method looked at and could reach, about how the errors of its points lie, and
// about the command and what it left.
Lies lies_about_sources();
Lies lies_about_errors();
Lies lies_about_commands();

// Other text in the one table that a case has in a folder, and what verify says to it.
struct TableLie {
  const char *start, *folder, *from, *to, *finding;
};

// Returns lies about the tables of cases of which the medians over cameras may stay what they were.
std::vector<TableLie> lies_about_tables();

}  // namespace aqbench::forging
