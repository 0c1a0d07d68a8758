#pragma once
// What a method gives for protocols of files - depth maps, point maps, images, poses - against what a dataset
// knows of them.

#include <cstddef>
#include <filesystem>
#include <span>

#include "harness/records/case.h"
#include "harness/running/case_input.h"
#include "metrics/metric.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// The truth of a case.
struct TrueViews {
  Rig rig;                           // the cameras that the method got
  std::filesystem::path depths_dir;  // of a dataset with true depths; empty: none
  std::size_t frame = 0;
  std::span<const HeldOutView> held_out;
};

// Scores what the method of a case gives by the protocols of files that the case asks for, as `aqbench eval`
// does: depth maps of the cameras with true ones; point maps of these in the order of the rig, in the world's
// frame, where the alignment asks for it in that of the first of them; images of the views that are held out,
// all of them; poses by the names of images or cameras, else by their order. `given_dir` is
// kProtocolFilesFolder; true files go to the existing folder `scratch`. What the dataset does not know is
// undefined. Throws Error(method) naming the file.
MetricSet score_files(const Case& planned, const TrueViews& truth, const Reconstruction& output,
                      const std::filesystem::path& given_dir, const std::filesystem::path& scratch);

}  // namespace aqbench
