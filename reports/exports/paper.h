#pragma once
// A bundle's results for papers and other programs: tables, coloured clouds, and the
// cameras of a case as wire frames to look at and as poses.

#include <string>

#include "harness/records/results.h"
#include "harness/viewing/cloud_view.h"

namespace aqbench {

// Returns every value of every case, one on each line:
// "case,scene,method,status,metric,value,unit,better,reason" (RFC 4180). Numbers are unrounded; an undefined
// value is empty and has its reason.
std::string results_csv(const Results& results);

// Returns the headline metrics as a LaTeX table of the package booktabs: a row for each case, columns that no
// case fills left out. The best value of each column of at least two is bold.
std::string results_latex(const Results& results);

// Returns a cloud as a binary PLY file: x, y, z (float, metres, world frame), red, green, blue by the signed
// error with the ends of the colours at +-limit_mm, and error_mm (float).
std::string error_ply(const CloudView& view, double limit_mm);

// Returns the cameras as an ASCII PLY file of vertices and edges: of each its centre and the corners of its
// image 60 mm in front of it (float, metres, world frame, +Z down into the water). Comments name them in
// their order.
// "" for a view without cameras. Throws Error(input) naming `source` for a view that has others.
std::string cameras_ply(const CloudView& view, const std::string& source);

// Returns the cameras as text of the TUM trajectory format, "i tx ty tz qx qy qz qw" with i from 0 on in
// place of a time: the centre in metres and the rotation from the camera's frame (x right, y down, z ahead)
// into the world frame. Lines that begin with # name the cameras and say the frame; a view rounds directions
// to 0.0001.
// "" for a view without cameras. Throws Error(input) naming `source` for a view that has others.
std::string cameras_tum(const CloudView& view, const std::string& source);

}  // namespace aqbench
