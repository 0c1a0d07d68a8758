#pragma once
// The environment and the request of a run, and who ran as a program of the user, as text.

#include <string>
#include <utility>
#include <vector>

#include "harness/records/results.h"

namespace aqbench {

// Returns in one line what numbers and times depend on, without missing fields.
std::string environment_line(const Json& environment);

// Returns every value with its path ("cpu.model"), in the order of the document.
std::vector<std::pair<std::string, std::string>> environment_items(const Json& environment);

// Returns the value at a path ("build.commit"); "" where there is none, or null.
std::string environment_value(const Json& environment, const std::string& path);

// Returns "2026-11-26 06:32 UTC" for "2026-11-26T06:32:30Z".
std::string minute_text(const std::string& utc);

// Returns a title of a run: "suite seed, 2026-11-25 10:15 UTC, commit 3f2a9c01d4e5", with the commit of the
// user's programs if there is one.
std::string run_title(const Results& results);

// Returns the `aqbench sweep ...` command that plans the same cases. It names a suite file; results.json
// holds the suite itself.
std::string reproduce_command(const RunInfo& run);

// Returns in one line how the processes of the run's real methods were isolated: one text if all were alike,
// else each with its number of cases. Records without it are "not recorded". Empty if no real method ran.
std::string isolation_line(const Results& results);

// Returns one line for each program of the user in a run, whatever its cases: "mine: run.py 1f0c44a1b2d3,
// weights.pt 9a0b..., venv .venv, commit 3f2a9c01d4e5, changed". Hashes have 12 digits. Where it marks a
// stage `load`, the line says how long that takes on average, of how much: loading is no part of a method.
std::vector<std::string> guest_lines(const Results& results);

}  // namespace aqbench
