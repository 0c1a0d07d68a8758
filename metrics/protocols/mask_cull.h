#pragma once
// What masks of images take out of a cloud or a mesh before it is scored, by the rules of 2DGS and of NeuS.

#include <span>
#include <string>
#include <vector>

#include "scenes/cloud/reconstruction.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// By how many pixels masks grow, or shrink where that is negative, and over which shape: a square, a disk
// (dx^2 + dy^2 <= px^2), or OpenCV's ellipse of 2 px + 1 pixels.
struct MaskReach {
  enum class Shape { square, disk, ellipse } shape = Shape::square;
  int px = 0;

  bool operator==(const MaskReach&) const = default;
};

// Read and write "disk:24", "square:-7", "0". The first throws Error(usage) naming the knob.
MaskReach reach_of_knob(const char* name, const std::string& text);
std::string to_text(const MaskReach& reach);

// Returns the mask with that reach; what lies outside of the image takes no part.
PixelMask reached(const PixelMask& mask, const MaskReach& reach);

// What cameras look for.
struct CullRules {
  double behind_m = 0.01;  // of `any`: a point so far behind the truth is hidden
  bool in_all = false;     // a point stays if it lies in the mask of every camera; else of one that sees it
  MaskReach masks;         // how masks are changed first
  bool outside_stays = true;  // of `all`: what an image does not show, it does not take out
  bool to_border = false;  // of `all`: an image shows what lies nearest to one of its pixels, as NeuS has it;
                           // else what lies strictly between the first and the last ones (2DGS)
};

// Returns which positions lie in the masks of all cameras, to the nearest pixel; a camera without a mask
// takes out nothing that it shows. Nothing hides a position, and one behind a camera is projected all the
// same, as 2DGS does (scripts/eval_dtu/ evaluate_single_scene.py). Throws Error(usage) for a camera with a
// lens that distorts, or behind water.
std::vector<bool> in_all_masks(std::span<const Vec3> positions_m, const Rig& rig, const CullRules& rules);

// Returns a mesh whose equal vertices have become one and whose vertices without a face have gone, with faces
// of vertices that are not finite, as trimesh reads a file.
TriangleMesh merged_vertices(const TriangleMesh& mesh);

// Returns a mesh of the vertices for which `stays` and of the faces of which all three do; vertices that
// lose all faces stay. With `largest` only the faces stay that hang together by edges of two faces with the
// most others, and their vertices (NeuS).
TriangleMesh kept_part(const TriangleMesh& mesh, const std::vector<bool>& stays, bool largest);

}  // namespace aqbench
