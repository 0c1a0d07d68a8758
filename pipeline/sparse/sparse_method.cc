#include "pipeline/sparse/sparse_method.h"

#include "core/error.h"
#include "core/stage_scope.h"

namespace aqbench::sparse {

Options options_from(const Parameters& parameters, const std::string& prefix) {
  const auto number = [&](const char* name) { return parameters.number(prefix + name); };
  const auto count = [&](const char* name) { return static_cast<int>(parameters.integer(prefix + name)); };
  return {.features = {count("keypoints"), number("contrast_threshold"), number("edge_threshold")},
          .sources = count("sources"),
          .max_ratio = number("max_ratio"),
          .epipolar_px = number("epipolar_px"),
          .min_angle_deg = number("min_angle_deg"),
          .max_reprojection_px = number("max_reprojection_px"),
          .max_depth_m = number("max_depth_m")};
}

DatasetViewOptions view_options_from(const Parameters& parameters) {
  return {.clahe = parameters.text("clahe") == "on",
          .clahe_clip_limit = parameters.number("clahe_clip_limit"),
          .clahe_tiles = static_cast<int>(parameters.integer("clahe_tiles"))};
}

Reconstruction run(const Observation& observation, const MethodInput& input) {
  const StageScope scope("pipeline");
  const Options options = options_from(input.parameters);
  const auto views = read_dataset_views(observation.dataset_dir, view_options_from(input.parameters));
  Reconstruction output;
  TrackCounts counts;
  for (const SparsePoint& point : reconstruct(views, options, &counts)) {
    output.cloud.points_m.push_back(point.point_m);
    output.cloud.confidence.push_back(confidence(point, options));
  }
  if (output.cloud.points_m.empty())
    throw Error(ErrorKind::method,
                (counts.disagree == counts.tracks
                     ? "no point was seen by two cameras: too little texture or a wrong calibration ("
                     : "no point is left (") +
                    describe(counts, options) + ")");
  return output;
}

}  // namespace aqbench::sparse
