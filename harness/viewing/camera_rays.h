#pragma once
// The rays of cameras in a cloud view. With them a page finds the pixel of a point, whatever bends the rays:
// it knows no lens and no water (reports/html/assets/view_rays.js).

#include "core/json.h"
#include "harness/viewing/cloud_view.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// The nodes of a camera's grid. They are spread evenly over its image: the first and the last ones are the
// centres of its corner pixels. A page interpolates cubically between them: the pixel of a point is off by
// less than 0.05 % of the image's width through lenses, level water and ports, 0.5 % where rays graze the
// water, and 2 % where total reflection begins (Browser.CamerasOfAllOpticsShowAPointAtItsPixel).
inline constexpr int kRayColumns = 13, kRayRows = 10;

// Adds the rays of each camera to the view, whose points and holes say how far away the scene is: row by row
// a point of each node's ray in front of the scene, then one behind it. Returns the cameras for its scene:
//   [{"name": "cam00", "centre_mm": [x, y, z], "size_px": [width, height], "nodes": [columns, rows],
//     "missing": [node, ...]}, ...]
// A missing node has no ray (total reflection, outside of the lens); without any, "missing" is not there.
Json add_camera_rays(const Rig& rig, CloudView& view);

}  // namespace aqbench
