#pragma once
// --junit and --github of `gate` and `sweep`: a gate's verdict for machines.

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "harness/gating/gate.h"

namespace aqbench::cli {

// The requested forms of a verdict.
struct GateExports {
  std::optional<std::filesystem::path> junit;  // output file
  bool github = false;
};

// Returns the rows of these flags for a command's option table.
std::vector<Flag<GateExports>> gate_export_flags();

// Two lines to print before and after text that GitHub reads on stdout: between them, lines starting with
// "::" are plain text, so that no name from a results file is taken for a command. Both are empty without
// --github.
struct GithubFence {
  std::string begin, end;
};

// Returns a fence with a token drawn at random.
GithubFence github_fence(const GateExports& exports);

// Writes the JUnit file, prints annotations to `stream` and appends to the file named by $GITHUB_STEP_SUMMARY
// (keeping its total below GitHub's limit). Throws Error(io).
void export_gate(const GateReport& report, const Results& results, const GateExports& exports,
                 std::FILE* stream);

// Prints a sweep's verdict between fences, on stderr where stdout holds JSON, exports it and returns its
// code.
ExitCode print_gate(const GateReport& report, const Results& results, const GateExports& exports, bool json);

}  // namespace aqbench::cli
