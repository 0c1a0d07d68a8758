#pragma once
// What `run` and `check` share: a method, a dataset, and how the one runs on the other.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "harness/running/dataset_run.h"

namespace aqbench::cli {

// As given; complete() fills in `run`.
struct DatasetOptions {
  DatasetRunRequest run;
  std::optional<std::string> dataset;               // required
  std::optional<int> threads;                       // none: all processors
  std::optional<std::uint64_t> memory_limit_bytes;  // none: the default
  std::optional<std::filesystem::path> project_file;
};

// Returns the rows of --dataset, --frame, --set, --threads, --seed, --timeout and --project.
std::vector<Flag<DatasetOptions>> dataset_flags();

// Reads METHOD[:PRESET].
void read_method(DatasetOptions& options, const FlagValue& value);

// Finds dataset and method, in the project file as well, and fills in defaults. Throws Error(usage) for a
// missing --dataset, and as place_dataset().
void complete(DatasetOptions& options);

}  // namespace aqbench::cli
