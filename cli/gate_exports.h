#pragma once
// --junit and --github of `gate` and `sweep`: a gate's verdict for machines.

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/options.h"
#include "harness/gating/gate.h"

namespace aqbench::cli {

struct GateExports {
  std::optional<std::filesystem::path> junit;
  bool github = false;
};

void add_gate_export_options(po::options_description& options);
GateExports read_gate_exports(const po::variables_map& values);

// What stdout may hold while GitHub reads it: between the two, lines starting with "::" are plain text, so
// that no name from a results file can be taken for a command. Both empty without --github.
struct GithubFence {
  std::string begin, end;
};
GithubFence github_fence(const GateExports& exports);

// Writes the JUnit file, prints annotations to `stream` and appends to the file that $GITHUB_STEP_SUMMARY
// names (kept under GitHub's limit together with what it holds already). Throws Error(io).
void export_gate(const GateReport& report, const Results& results, const GateExports& exports,
                 std::FILE* stream);

}  // namespace aqbench::cli
