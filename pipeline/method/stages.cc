#include "pipeline/method/stages.h"

namespace aqbench {

const std::vector<StageSpec>& stage_registry() {
  static const std::vector<StageSpec> table{
      {.name = "simulation",
       .summary = "a simulated method as a whole: points of the true surface with the errors of a profile"},
      {.name = "sampling", .summary = "area-uniform positions on the true surface"},
      {.name = "noise", .summary = "dropout of whole points and Gaussian noise of the rest"},
      {.name = "pipeline", .summary = "a real method as a whole, from the images to the cloud"},
      {.name = "image_reading", .summary = "decoding a dataset's images and taking their grey values"},
      {.name = "undistortion", .summary = "grey images resampled as the undistorted cameras would give them"},
      {.name = "model_loading", .summary = "a matcher read from its file"},
      {.name = "depth_range", .summary = "search for the plane or depths on which the images agree"},
      {.name = "dense_matching", .summary = "match of each pixel of a view in its neighbours"},
      {.name = "triangulation", .summary = "points where refracted rays of several views meet"},
      {.name = "depth_refinement", .summary = "depths improved on the grey values of all sources at once"},
      {.name = "filtering", .summary = "removal of depths that other views do not confirm"},
      {.name = "fusion",
       .summary = "points of all cameras joined to one cloud with normals, outliers removed"},
      {.name = "surface_reconstruction", .summary = "a triangle mesh through the cloud"},
      {.name = "depth_estimation", .summary = "depth maps of all cameras: plane sweep and refinement"},
      {.name = "build_cost_volume",
       .summary = "plane sweep: matching costs of every pixel and depth hypothesis"},
      {.name = "grid_sample_warp",
       .summary = "plane sweep, torch kernel: the sources sampled where the hypotheses project"},
      {.name = "extract_depth",
       .summary = "plane sweep: the cheapest hypothesis of each pixel, refined, and its confidence"},
      {.name = "contrast_enhancement", .summary = "CLAHE of the undistorted images"},
      {.name = "sparse_matching", .summary = "features, their matches and the tracks that these make"},
      {.name = "external_command", .summary = "an external program, from start to end"},
      {.name = "device_build", .summary = "OpenCL: a device opened, or its kernels compiled"},
      {.name = "device_record", .summary = "OpenCL: calls recorded as command buffers"},
      {.name = "absorption", .summary = "workload absorption: one image"},
      {.name = "tricubic", .summary = "workload tricubic: all queries"},
      {.name = "load", .summary = "bytes of a file read from disk"},
      {.name = "decode", .summary = "PNG or JPEG to pixels"},
      {.name = "stack", .summary = "frames of a batch laid side by side in memory"},
      {.name = "copy", .summary = "a batch moved to the device and made floats"},
      {.name = "sample", .summary = "views sampled from frames"},
      {.name = "convert", .summary = "views back to bytes on the host"},
      {.name = "encode", .summary = "pixels to PNG or JPEG"},
      {.name = "write", .summary = "bytes of files written to disk, not flushed"},
  };
  return table;
}

}  // namespace aqbench
