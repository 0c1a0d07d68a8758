#pragma once
// `aqbench eval CLOUD`: a cloud or mesh from a file against the true surface of a scene.

#include <string>
#include <vector>

#include "cli/command.h"
#include "core/parameters.h"

namespace aqbench::cli {

// What is scored, against what, and what is printed or written.
struct EvalCloudRequest {
  std::string cloud_file;
  std::string scene;             // a registered one or "mesh:FILE.ply"; empty: the dataset's own
  std::string rig, dataset_dir;  // at most one of them: where it shall be known what the cameras see
  std::vector<Override> overrides;
  double metres_per_unit = 1;
  std::string transform_file;  // empty for none; applied after the unit
  bool align = false;          // by ICP, before scoring
  std::string tiles_file, views_file;
  bool json = false;
};

// Scores the cloud and prints its metrics. `arguments` stand in the JSON. Throws Error(input) naming the file
// if it has no finite point, if its points are plainly in another unit than metres, or if none lies where the
// scene is scored; Error(usage) for wrong parameters.
ExitCode eval_cloud(const EvalCloudRequest& request, const Arguments& arguments);

}  // namespace aqbench::cli
