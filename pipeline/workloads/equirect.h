#pragma once
// Perspective views out of equirectangular frames. Pixel centres at half integers: column x of W is longitude
// 2 pi ((x + 0.5) / W - 0.5), row y of H latitude pi (0.5 - (y + 0.5) / H). Columns wrap at +-180 degrees.

#include <array>
#include <cstdint>
#include <vector>

namespace aqbench {

// An image of 8 bits with three interleaved channels [y][x][channel].
struct ColourImage {
  int width_px = 0, height_px = 0;
  std::vector<std::uint8_t> bytes;
};

// The size of frames and views, and where the views look.
struct ViewGeometry {
  int frame_width_px = 1024;  // the height is half of it
  int view_px = 256;          // width and height of a view
  int views = 8;              // yaw 360 / views degrees apart
  double fov_deg = 110;
};

// The position in a frame of each pixel of the views, [view][y][x], in pixels (0 is the centre of the first
// one); columns are in [-0.5, W - 0.5).
struct ViewGrid {
  std::vector<float> column_px, row_px;
};

// Computes the positions of a ViewGrid.
ViewGrid make_view_grid(const ViewGeometry& geometry);

// Returns the colour of a frame in one direction by formula: waves over the sphere without a seam. The
// direction is a unit vector (x right of longitude 0, y up, z towards it); channels are 0 to 255.
std::array<double, 3> sphere_colour(std::uint64_t seed, int frame, const std::array<double, 3>& direction);

// Makes a whole frame by that formula.
ColourImage make_frame(std::uint64_t seed, int frame, int width_px);

// Returns the viewing direction of a pixel of a view, as a unit vector.
std::array<double, 3> view_direction(const ViewGeometry& geometry, int view, int x, int y);

// Returns the largest error, in levels, of a bilinear sample of an 8-bit frame, rounded again, against the
// formula.
double sampling_tolerance(const ViewGeometry& geometry);

// ---- Sampling: frames -> [frame][view], bilinear, rounded ----

// For each pixel of the views the four frame pixels that it is sampled from, and their weights as whole
// numbers.
struct TapTable {
  struct Tap {
    std::int32_t top_left, top_right, bottom_left, bottom_right;  // byte offsets
    std::int16_t right_weight, bottom_weight;                     // of 2048
  };
  std::vector<Tap> taps;
};

// Makes the table from a grid.
TapTable make_taps(const ViewGeometry& geometry, const ViewGrid& grid);

// Samples views [frame][view] from frames, bilinear and rounded.
std::vector<ColourImage> sample_fused(const ViewGeometry& geometry, const TapTable& taps,
                                      const std::vector<const ColourImage*>& frames);

}  // namespace aqbench
