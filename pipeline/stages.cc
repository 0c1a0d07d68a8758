#include "pipeline/stages.h"

namespace aqbench {

const std::vector<StageSpec>& stage_registry() {
  static const std::vector<StageSpec> table{
      {"simulation",
       "a simulated method as a whole: points of the true surface made as wrong as a profile says"},
      {"sampling", "area-uniform positions on the true surface"},
      {"noise", "dropout of whole points and Gaussian noise of the rest"},
      {"image_reading", "decoding a dataset's images and taking their grey values"},
      {"undistortion", "grey images resampled as the undistorted cameras would give them"},
      {"fusion", "points of all cameras joined to one cloud with normals, outliers removed"},
      {"surface_reconstruction", "a triangle mesh through the cloud"},
      {"contrast_enhancement", "CLAHE of the undistorted images"},
  };
  return table;
}

}  // namespace aqbench
