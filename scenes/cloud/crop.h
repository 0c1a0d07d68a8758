#pragma once
// Regions of space that limit what is scored: boxes, prisms over a polygon, height ranges, voxel masks.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/json.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// A box along the axes, its sides included.
struct CropBox {
  Vec3 low_m, high_m;
};

// A prism: a polygon in the plane of two axes, between two values of the third, those included. A point is
// inside the polygon by the even-odd rule.
struct CropPrism {
  int axis = 2;  // of the prism: 0 x, 1 y, 2 z
  double low_m = 0, high_m = 0;
  std::vector<Vec2> polygon_m;  // the other two coordinates, in the order x, y, z
};

// The voxels of a volume that were observed, as DTU's ObsMask has them: a point lies in the voxel whose
// centre is nearest (halves go to the even one, as numpy.around rounds); outside of the volume nothing was
// observed.
struct CropMask {
  std::string file;
  Vec3 low_m;  // the centre of voxel 0 0 0
  double spacing_m = 0;
  std::array<std::size_t, 3> size = {};                          // voxels along x, y, z
  std::shared_ptr<const std::vector<std::uint8_t>> is_observed;  // size x * y * z, z varying fastest; 0 or 1
};

// Reads a mask: a three-dimensional NPY array, not 0 where observed. Lengths are metres. Throws Error(input)
// naming the file for another array and for a spacing that is not positive.
CropMask read_crop_mask(const std::string& file, const Vec3& low_m, double spacing_m);

// Returns whether the voxel whose centre is nearest to a point was observed.
bool is_inside(const CropMask& mask, const Vec3& point_m);

// A region: the intersection of its parts.
struct Crop {
  std::vector<std::variant<CropBox, CropPrism, CropMask>> parts;  // none: all of space

  // Returns whether a point lies in the region.
  bool contains(const Vec3& point_m) const;
};

// Adds the part that `text` describes: "box:X0,Y0,Z0,X1,Y1,Z1", "x:LOW,HIGH" (also y and z),
// "mask:FILE.npy,X0,Y0,Z0,SPACING" (an array of x, y, z, not 0 where observed), or a JSON file with a prism
// as Open3D's SelectionPolygonVolume has it, which Tanks and Temples publishes with its truths
// (orthogonal_axis, axis_min, axis_max, bounding_polygon). Numbers are multiplied by metres_per_unit. Throws
// Error(input) naming the text or the file and its field.
void add_crop(Crop& crop, const std::string& text, double metres_per_unit = 1);

// Returns the parts as JSON, in metres.
Json to_json(const Crop& crop);

}  // namespace aqbench
