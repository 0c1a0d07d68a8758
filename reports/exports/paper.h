#pragma once
// A bundle's results for papers and other programs: tables, coloured clouds, and the
// cameras of a case as wire frames to look at and as poses.

#include <map>
#include <string>
#include <vector>

#include "harness/records/results.h"
#include "harness/viewing/cloud_view.h"

namespace aqbench {

// Returns every value of every case, one on each line:
// "case,scene,method,status,metric,value,unit,better,reason" (RFC 4180). Numbers are unrounded; an undefined
// value is empty and has its reason.
std::string results_csv(const Results& results);

// What a LaTeX table has: these metrics, all that tables show if there are none, and other names for methods,
// scenes and columns.
struct LatexOptions {
  std::vector<std::string> metrics = {};
  std::map<std::string, std::string> names = {};
};

// Returns for each metric a LaTeX table of the package booktabs with a row for each method, a column for each
// scene and their mean; of a single scene one table of methods and metrics. The best of each column is bold,
// the second underlined. Throws Error(usage) for a metric that no table of these results shows.
std::string results_latex(const Results& results, const LatexOptions& options = {});

// Returns a cloud as a binary PLY file: x, y, z (float, metres, world frame), red, green, blue by the signed
// error with the ends of the colours at +-limit_mm, and error_mm (float).
std::string error_ply(const CloudView& view, double limit_mm);

// Returns the cameras as an ASCII PLY file of vertices and edges: of each its centre and the corners of its
// image at a depth of 0.06 (float, in `unit`, world frame, +Z down). Comments name them in their order.
// "" for a view without cameras. Throws Error(input) naming `source` for a view that has others.
std::string cameras_ply(const CloudView& view, const std::string& source, const std::string& unit = "metres");

// Returns the cameras as text of the TUM trajectory format, "i tx ty tz qx qy qz qw" with i from 0 on in
// place of a time: the centre in `unit` and the rotation from the camera's frame (x right, y down, z ahead)
// into the world frame. Lines that begin with # name the cameras and say the frame; a view rounds directions
// to 0.0001.
// "" for a view without cameras. Throws Error(input) naming `source` for a view that has others.
std::string cameras_tum(const CloudView& view, const std::string& source, const std::string& unit = "metres");

}  // namespace aqbench
