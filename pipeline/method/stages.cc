#include "pipeline/method/stages.h"

namespace aqbench {

const std::vector<StageSpec>& stage_registry() {
  static const std::vector<StageSpec> table{
      {"simulation",
       "a simulated method as a whole: points of the true surface with the errors of a profile"},
      {"sampling", "area-uniform positions on the true surface"},
      {"noise", "dropout of whole points and Gaussian noise of the rest"},
      {"pipeline", "a real method as a whole, from the images to the cloud"},
      {"image_reading", "decoding a dataset's images and taking their grey values"},
      {"undistortion", "grey images resampled as the undistorted cameras would give them"},
      {"model_loading", "a matcher read from its file"},
      {"depth_range", "search for the plane or depths on which the images agree"},
      {"dense_matching", "match of each pixel of a view in its neighbours"},
      {"triangulation", "points where refracted rays of several views meet"},
      {"depth_refinement", "depths improved on the grey values of all sources at once"},
      {"filtering", "removal of depths that other views do not confirm"},
      {"fusion", "points of all cameras joined to one cloud with normals, outliers removed"},
      {"surface_reconstruction", "a triangle mesh through the cloud"},
      {"depth_estimation", "depth maps of all cameras: plane sweep and refinement"},
      {"build_cost_volume", "plane sweep: matching costs of every pixel and depth hypothesis"},
      {"grid_sample_warp", "plane sweep, torch kernel: the sources sampled where the hypotheses project"},
      {"extract_depth", "plane sweep: the cheapest hypothesis of each pixel, refined, and its confidence"},
      {"contrast_enhancement", "CLAHE of the undistorted images"},
      {"sparse_matching", "features, their matches and the tracks that these make"},
      {"external_command", "an external program, from start to end"},
      {"device_build", "OpenCL: a device opened, or its kernels compiled"},
      {"device_record", "OpenCL: calls recorded as command buffers"},
      {"absorption", "workload absorption: one image"},
      {"tricubic", "workload tricubic: all queries"},
      {"load", "bytes of a file read from disk"},
      {"decode", "PNG or JPEG to pixels"},
      {"stack", "frames of a batch laid side by side in memory"},
      {"copy", "a batch moved to the device and made floats"},
      {"sample", "views sampled from frames"},
      {"convert", "views back to bytes on the host"},
      {"encode", "pixels to PNG or JPEG"},
      {"write", "bytes of files written to disk, not flushed"},
  };
  return table;
}

}  // namespace aqbench
