#pragma once
// Perspective views out of equirectangular frames. Pixel centres at half integers: column x of W is longitude
// 2 pi ((x + 0.5) / W - 0.5), row y of H latitude pi (0.5 - (y + 0.5) / H). Columns wrap at +-180 degrees.

#include <array>
#include <cstdint>
#include <vector>

namespace aqbench {

// 8 bits, three interleaved channels [y][x][channel].
struct ColourImage {
  int width_px = 0, height_px = 0;
  std::vector<std::uint8_t> bytes;
};

struct ViewGeometry {
  int frame_width_px = 1024;  // the height is half of it
  int view_px = 256;          // width and height of a view
  int views = 8;              // yaw 360 / views degrees apart
  double fov_deg = 110;
};

// Where each view pixel lies in a frame: [view][y][x], in pixels (0 is the centre of the first), columns in
// [-0.5, W - 0.5).
struct ViewGrid {
  std::vector<float> column_px, row_px;
};
ViewGrid make_view_grid(const ViewGeometry& geometry);

// A frame by formula: waves over the sphere that have no seam. The channels of one direction (unit vector: x
// right of longitude 0, y up, z towards it), 0 to 255.
std::array<double, 3> sphere_colour(std::uint64_t seed, int frame, const std::array<double, 3>& direction);
ColourImage make_frame(std::uint64_t seed, int frame, int width_px);

// The direction that a view's pixel looks at.
std::array<double, 3> view_direction(const ViewGeometry& geometry, int view, int x, int y);

// How far a bilinear sample of an 8-bit frame, rounded again, may be off the formula, levels.
double sampling_tolerance(const ViewGeometry& geometry);

// ---- Sampling: frames -> [frame][view], bilinear, rounded ----

// Taps and weights in whole numbers, made from a grid once.
struct TapTable {
  struct Tap {
    std::int32_t top_left, top_right, bottom_left, bottom_right;  // byte offsets
    std::int16_t right_weight, bottom_weight;                     // of 2048
  };
  std::vector<Tap> taps;
};
TapTable make_taps(const ViewGeometry& geometry, const ViewGrid& grid);
std::vector<ColourImage> sample_fused(const ViewGeometry& geometry, const TapTable& taps,
                                      const std::vector<const ColourImage*>& frames);

}  // namespace aqbench
