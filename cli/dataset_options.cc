#include "cli/dataset_options.h"

#include "harness/planning/scene_choice.h"
#include "harness/project/project.h"

namespace aqbench::cli {

std::vector<Flag<DatasetOptions>> dataset_flags() {
  std::vector<Flag<DatasetOptions>> flags;
  const auto add = [&](const char* name, const char* help) {
    append_plan_flag(flags, name, help, &DatasetOptions::plan);
  };
  add("dataset", "dataset of the project file, or the folder of a dataset or recording in any layout");
  flags.push_back({"frame", "N", "frame number, from 0",
                   [](DatasetOptions& o, const FlagValue& v) { o.frame = v.at_least<std::int64_t>(0); }});
  add("set", "METHOD.PARAMETER=VALUE (aqbench list methods), may be repeated");
  add("threads", "threads; changes no result (default: all processors)");
  add("seed", "seed of the method's random numbers (default 42)");
  add("timeout", "seconds of each run (default: none)");
  add("project", "the project file with your methods (default: aqbench.json, here or in a folder above)");
  return flags;
}

void read_method(DatasetOptions& options, const FlagValue& value) { options.plan.methods = {value.text}; }

void complete(DatasetOptions& options) {
  PlanRequest& plan = options.plan;
  if (plan.scenes.empty()) throw usage_error("--dataset is missing");
  if (plan.scenes.size() > 1) throw usage_error("--dataset: is given more than once");
  if (options.frame > 0) plan.sets.push_back({kDatasetOwner, "frame", std::to_string(options.frame)});
  if (!plan.timeout_s) plan.timeout_s = kMaxTimeoutS;
  use_current_project(plan);
}

}  // namespace aqbench::cli
