#pragma once
// --junit and --github of `gate` and `sweep`: a gate's verdict for machines.

#include <cstdio>
#include <filesystem>
#include <optional>
#include <vector>

#include "cli/options.h"
#include "harness/gating/verdicts.h"
#include "harness/records/results.h"

namespace aqbench::cli {

// The requested forms of a verdict.
struct GateExports {
  std::optional<std::filesystem::path> junit;  // output file
  bool github = false;
};

// Returns the rows of these flags for a command's option table.
std::vector<Flag<GateExports>> gate_export_flags();

// Prints the verdicts to `stream` and exports them: the JUnit file, annotations, the file named by
// $GITHUB_STEP_SUMMARY (keeping its total below GitHub's limit). `all` lists values that pass, too. Throws
// Error(io).
void show_verdicts(const Verdicts& verdicts, const Results& results, const GateExports& exports,
                   std::FILE* stream, bool all = false);

}  // namespace aqbench::cli
