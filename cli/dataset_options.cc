#include "cli/dataset_options.h"

#include "core/parallel.h"
#include "harness/planning/plan.h"
#include "harness/project/project.h"

namespace aqbench::cli {
namespace {

void read_threads(DatasetOptions& options, const FlagValue& value) {
  const int threads = value.number<int>();
  if (threads < 1 || threads > 1024) value.refuse(threads, "must be from 1 to 1024");
  options.threads = threads;
}

}  // namespace

std::vector<Flag<DatasetOptions>> dataset_flags() {
  return {
      {"dataset", "DATASET",
       "dataset of the project file, or the folder of a dataset or recording in any layout",
       into<&DatasetOptions::dataset>},
      {"frame", "N", "frame number, from 0",
       [](DatasetOptions& o, const FlagValue& v) {
         o.run.frame = static_cast<std::size_t>(v.at_least<std::int64_t>(0));
       },
       usually("0")},
      {"set", "NAME=VALUE", "METHOD.PARAMETER=VALUE (aqbench list methods), may be repeated",
       [](DatasetOptions& o, const FlagValue& v) { o.run.sets.push_back(parse_override(v.text)); },
       repeated()},
      {"threads", "N", "threads; changes no result (default: all processors)", read_threads},
      {"seed", "N", "seed of the method's random numbers",
       [](DatasetOptions& o, const FlagValue& v) {
         o.run.seed = static_cast<std::uint64_t>(v.at_least<std::int64_t>(0));
       },
       usually("42")},
      {"timeout", "S", "seconds of each run (default: none)",
       [](DatasetOptions& o, const FlagValue& v) { o.run.timeout_s = v.positive(); }},
      {"project", "FILE",
       "the project file with your methods (default: aqbench.json, here or in a folder above)",
       into<&DatasetOptions::project_file>},
  };
}

void read_method(DatasetOptions& options, const FlagValue& value) {
  const std::size_t colon = value.text.find(':');
  options.run.method = value.text.substr(0, colon);
  if (colon != std::string::npos) options.run.preset = value.text.substr(colon + 1);
}

void complete(DatasetOptions& options) {
  if (!options.dataset) throw usage_error("--dataset is missing");
  DatasetRunRequest& run = options.run;
  run.threads = options.threads.value_or(available_processors());
  run.memory_limit_bytes = options.memory_limit_bytes.value_or(default_memory_limit_bytes());
  const auto project = current_project(options.project_file);
  PlacedDataset dataset = place_dataset(project, *options.dataset);
  run.dataset_dir = std::move(dataset.directory);
  run.declared_truth = std::move(dataset.truth);
  if (!project) return;
  run.project_dir = project->dir;
  for (const MethodDeclaration& method : project->methods)
    if (method.name == run.method) run.declaration = method;
}

}  // namespace aqbench::cli
