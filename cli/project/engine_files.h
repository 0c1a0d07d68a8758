#pragma once
// The few lines by which the engines of others run the cases of a plan.

#include <span>
#include <string>
#include <string_view>

#include "harness/project/resources.h"

namespace aqbench::cli {

// An engine and the file that `aqbench init --engine` writes for it.
struct EngineFile {
  std::string_view name;  // "snakemake"
  const char* file;       // "Snakefile"
  const char* command;    // runs it: "snakemake --cores 8 --restart-times 3"
  const char* text;
  std::string (*needs)(const Resources& needs);  // what {needs} in the text stands for
};

// Returns the file of an engine, which reserves this for each case.
std::string text_of(const EngineFile& engine, const Resources& needs);

// Returns all engines.
std::span<const EngineFile> engine_files();

}  // namespace aqbench::cli
