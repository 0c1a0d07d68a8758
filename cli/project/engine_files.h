#pragma once
// The few lines by which the engines of others run the cases of a plan.

#include <span>
#include <string_view>

namespace aqbench::cli {

// An engine and the file that `aqbench init --engine` writes for it.
struct EngineFile {
  std::string_view name;  // "snakemake"
  const char* file;       // "Snakefile"
  const char* command;    // runs it: "snakemake --cores 8 --restart-times 3"
  const char* text;
};

// Returns all engines.
std::span<const EngineFile> engine_files();

}  // namespace aqbench::cli
