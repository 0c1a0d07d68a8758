#pragma once
// The cameras of a case, from its cloud view, for other programs: as wire frames to look at, and as poses.

#include <string>

#include "harness/viewing/cloud_view.h"

namespace aqbench {

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
