#include "pipeline/sparse/sparse_method.h"

#include "core/error.h"
#include "core/stage_scope.h"

namespace aqbench::sparse {

std::vector<ParameterSpec> parameters(const std::string& prefix) {
  const Options o;
  std::vector<ParameterSpec> specs = {
      {"keypoints", "1", std::int64_t{o.features.keypoints}, 1, 100000, "of each image, at most", {}},
      {"contrast_threshold",
       "1",
       o.features.contrast_threshold,
       0,
       1,
       "contrast below which SIFT drops an extremum; lower finds more in dull images",
       {}},
      {"edge_threshold",
       "1",
       o.features.edge_threshold,
       1,
       1000,
       "ratio of curvatures beyond which SIFT drops an extremum as an edge",
       {}},
      {"sources",
       "1",
       std::int64_t{o.sources},
       0,
       1000,
       "nearest cameras that each one is matched with; auxiliary ones besides",
       {}},
      {"max_ratio", "1", o.max_ratio, 0.01, 1, "best over second best descriptor distance, both ways", {}},
      {"epipolar_px",
       "px",
       o.epipolar_px,
       0.01,
       1000,
       "distance of both keypoints to the point nearest to their refracted rays, at most",
       {}},
      {"min_angle_deg", "deg", o.min_angle_deg, 0, 179, "between two of a point's rays, more than", {}},
      {"max_reprojection_px",
       "px",
       o.max_reprojection_px,
       0.01,
       1000,
       "of each sighting of a point, less than",
       {}},
      {"max_depth_m", "m", o.max_depth_m, 0.001, 1000, "below the water surface, less than", {}}};
  for (ParameterSpec& spec : specs) spec.name = prefix + spec.name;
  return specs;
}

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

std::vector<Preset> presets() {
  return {{"balanced", {{"", "keypoints", "2048"}}},
          {"fast", {{"", "keypoints", "1024"}}},
          {"quality", {{"", "keypoints", "4096"}}}};
}

std::vector<std::string> stages() {
  return {"pipeline",        "image_reading", "undistortion", "contrast_enhancement",
          "sparse_matching", "triangulation"};
}

std::vector<ParameterSpec> view_parameters() {
  const DatasetViewOptions o;
  return {
      {"clahe", "", std::string("off"), 0, 0, "adaptive histogram equalisation of the images", {"off", "on"}},
      {"clahe_clip_limit",
       "1",
       o.clahe_clip_limit,
       0.01,
       1000,
       "of a histogram's bin, multiples of its mean",
       {}},
      {"clahe_tiles", "1", std::int64_t{o.clahe_tiles}, 1, 64, "along each side of the image", {}}};
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
  for (const SparsePoint& point : reconstruct(views, options)) {
    output.cloud.points_m.push_back(point.point_m);
    output.cloud.confidence.push_back(confidence(point, options));
  }
  if (output.cloud.points_m.empty())
    throw Error(ErrorKind::method,
                "no point was seen by two cameras: too little texture, or a calibration that is wrong");
  return output;
}

}  // namespace aqbench::sparse
