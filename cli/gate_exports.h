#pragma once
// --junit and --github of `gate`, `sweep` and `ab`: verdicts for machines.

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

// Prints a text about the verdicts to `stream` and exports them: the JUnit file, annotations, the file named
// by $GITHUB_STEP_SUMMARY (keeping its total below GitHub's limit). Throws Error(io).
void show_and_export(const std::string& text, const Verdicts& verdicts, const Results& results,
                     const GateExports& exports, std::FILE* stream);

// Does it with a table of the verdicts; `all` lists values that pass, too.
void show_verdicts(const Verdicts& verdicts, const Results& results, const GateExports& exports,
                   std::FILE* stream, bool all = false);

}  // namespace aqbench::cli
