#include "pipeline/sparse/sparse.h"

namespace aqbench::sparse {

std::vector<ParameterSpec> parameters(const std::string& prefix) {
  const Options o;
  std::vector<ParameterSpec> specs = {
      count_parameter("keypoints", "1", o.features.keypoints, 1, 100000, "of each image, at most"),
      number_parameter("contrast_threshold", "1", o.features.contrast_threshold, 0, 1,
                       "contrast below which SIFT drops an extremum; lower finds more in dull images"),
      number_parameter("edge_threshold", "1", o.features.edge_threshold, 1, 1000,
                       "ratio of curvatures beyond which SIFT drops an extremum as an edge"),
      count_parameter("sources", "1", o.sources, 0, 1000,
                      "nearest cameras to match each with, besides auxiliary ones"),
      number_parameter("max_ratio", "1", o.max_ratio, 0.01, 1,
                       "best over second best descriptor distance, both ways"),
      number_parameter("epipolar_px", "px", o.epipolar_px, 0.01, 1000,
                       "distance of both keypoints to the point nearest to their rays, at most"),
      number_parameter("min_angle_deg", "deg", o.min_angle_deg, 0, 179,
                       "between two of a point's rays, more than"),
      number_parameter("max_reprojection_px", "px", o.max_reprojection_px, 0.01, 1000,
                       "of each sighting of a point, less than"),
      number_parameter(
          "max_depth_m", "m", o.max_depth_m, 0, 1e6,
          "below the water surface, along the ray without water; 0: only the parallax limits it")};
  for (ParameterSpec& spec : specs) spec.name = prefix + spec.name;
  return specs;
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
  return {text_parameter("clahe", "off", "adaptive histogram equalisation of the images", {"off", "on"}),
          number_parameter("clahe_clip_limit", "1", o.clahe_clip_limit, 0.01, 1000,
                           "histogram clip limit, in multiples of the bin mean"),
          count_parameter("clahe_tiles", "1", o.clahe_tiles, 1, 64, "along each side of the image")};
}

std::vector<ParameterSpec> method_parameters() {
  std::vector<ParameterSpec> specs = view_parameters();
  for (ParameterSpec& spec : parameters()) specs.push_back(std::move(spec));
  return specs;
}

}  // namespace aqbench::sparse
