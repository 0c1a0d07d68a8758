#include "pipeline/sparse/sparse_spec.h"

#include "pipeline/sparse/sparse.h"

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
       "nearest cameras to match each with, besides auxiliary ones",
       {}},
      {"max_ratio", "1", o.max_ratio, 0.01, 1, "best over second best descriptor distance, both ways", {}},
      {"epipolar_px",
       "px",
       o.epipolar_px,
       0.01,
       1000,
       "distance of both keypoints to the point nearest to their rays, at most",
       {}},
      {"min_angle_deg", "deg", o.min_angle_deg, 0, 179, "between two of a point's rays, more than", {}},
      {"max_reprojection_px",
       "px",
       o.max_reprojection_px,
       0.01,
       1000,
       "of each sighting of a point, less than",
       {}},
      {"max_depth_m",
       "m",
       o.max_depth_m,
       0,
       1e6,
       "below the water surface, along the ray without water; 0: only the parallax limits it",
       {}}};
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
  return {
      {"clahe", "", std::string("off"), 0, 0, "adaptive histogram equalisation of the images", {"off", "on"}},
      {"clahe_clip_limit",
       "1",
       o.clahe_clip_limit,
       0.01,
       1000,
       "histogram clip limit, in multiples of the bin mean",
       {}},
      {"clahe_tiles", "1", std::int64_t{o.clahe_tiles}, 1, 64, "along each side of the image", {}}};
}

std::vector<ParameterSpec> method_parameters() {
  std::vector<ParameterSpec> specs = view_parameters();
  for (ParameterSpec& spec : parameters()) specs.push_back(std::move(spec));
  return specs;
}

}  // namespace aqbench::sparse
