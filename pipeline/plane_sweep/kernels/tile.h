#pragma once
// The pieces of the fused kernel: sample positions as polynomials, samples of rows of a source image, and the
// tile of the reference image that one thread works on.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/plane_sweep/kernels/lanes.h"
#include "pipeline/plane_sweep/kernels/plane_sweep.h"
#include "scenes/optics/refraction_batch.h"
#include "scenes/optics/refractive_camera.h"

namespace aqbench::plane_sweep {

// ---- Sample positions of a tile in a source image. The map (x, y, depth) -> (u, v) from a reference pixel
// and ray depth to a source pixel is smooth, so over a tile and sixteen depths a few exact projections
// (Snell's law, double precision) at Chebyshev points determine it to well below 0.01 px ----

// Chebyshev points along each axis; the polynomials' degrees are one less.
inline constexpr int kNodesX = 5, kNodesY = 6, kNodesDepth = 6;
// A box of pixels: [x_begin, x_end) x [y_begin, y_end) of the reference image.
struct PixelBox {
  int x_begin, x_end, y_begin, y_end;
};

// The rays of a box at the nodes, and at the points that check the polynomials.
struct BoxRays {
  PixelBox box;
  bool valid = false;  // every ray enters the water
  std::array<WaterRay, std::size_t{kNodesX} * kNodesY> nodes;
  std::array<WaterRay, 9> checks;
};

// Casts the rays of a box.
BoxRays cast_box_rays(const RefractiveCamera& reference, const PixelBox& box);

// How well polynomials say where a box lies in a source image, and where that is. Positions are relative to
// the bases, which keep the polynomials small, so that single precision suffices; no sample inside the image
// lies before them.
struct FitQuality {
  bool exact_enough = false;  // all projections valid, largest error at the check points within tolerance
  double error_px = 0;        // that error; infinite if a projection failed
  double u_min_px = 0, u_max_px = 0, v_min_px = 0, v_max_px = 0;  // over nodes and check points
  int u_base_px = 0, v_base_px = 0;
};

// The polynomials of a box at sixteen depths. The sample of lane l lies at u = u_base_px + sum over a, b of
// u[a][b][l] X^a Y^b, v alike; X and Y run from -1 to 1 over the box's outermost pixels.
struct ProjectionFit : FitQuality {
  Lanes u[kNodesX][kNodesY], v[kNodesX][kNodesY];
};

// Depths along a ray as T runs from -1 to 1, evenly in depth or, in_inverse, in 1 / depth.
struct DepthInterval {
  double middle = 0, half = 1;  // metres, or 1 / metres
  bool in_inverse = false;

  double depth_m(double t) const { return in_inverse ? 1 / (middle + half * t) : middle + half * t; }
  double t(double depth_m) const { return ((in_inverse ? 1 / depth_m : depth_m) - middle) / half; }
};

// The polynomials of a box over an interval of depths: u = u_base_px + sum over a, b, c of u[a][b][c] X^a Y^b
// T^c, v alike.
struct ProjectionPowers : FitQuality {
  double u[kNodesX][kNodesY][kNodesDepth], v[kNodesX][kNodesY][kNodesDepth];
};

// Workspace of fit_projection(); reuse it to save allocations.
struct FitScratch {
  PointBatch points;
};

// Fits the polynomials of a box in one source over an interval of depths.
void fit_powers(const BoxRays& rays, const DepthInterval& depths, const RefractiveCamera& source,
                FitScratch& scratch, ProjectionPowers& powers);

// Fits the polynomials of a box in one source. depths_m: kLanes values, ascending.
void fit_projection(const BoxRays& rays, std::span<const float, kLanes> depths_m,
                    const RefractiveCamera& source, FitScratch& scratch, ProjectionFit& fit);

// Returns X or Y of a pixel in [begin, end).
AQBENCH_INLINE float box_coordinate(int pixel, int begin, int end) {
  return end - begin > 1
             ? static_cast<float>(2 * pixel - begin - (end - 1)) / static_cast<float>(end - 1 - begin)
             : 0.0F;
}

// A packed image. pairs[y * stride + x] holds the codes of (x, y) in its low and of (x, y + 1) in its high 16
// bits. The last row and column are duplicated, so samples on the image's border need no special case. The
// code divides the range between the image's extremes into 65535 steps: 4 bytes a pixel instead of 16 for
// four floats.
struct PackedSource {
  int width_px = 0;
  int height_px = 0;
  int stride = 0;  // width_px + 1
  std::vector<std::uint32_t> pairs;
  float grey_per_code = 0;  // grey = grey_at_zero + grey_per_code * code; positive
  float grey_at_zero = 0;

  // The largest index whose 8-byte load stays inside `pairs`.
  std::uint32_t last_index() const { return static_cast<std::uint32_t>(pairs.size() - 2); }
  float code(int x, int y) const {
    return static_cast<float>(pairs[static_cast<std::size_t>(y) * stride + x] & 0xffffU);
  }
};

// Packs an image, and the images of all sources. Uses parallel_for.
PackedSource pack_source(const GreyImage& image);
std::vector<PackedSource> pack_sources(const Input& input);

// Which of a pixel's sixteen samples lie inside the source image.
enum class Presence : std::uint8_t { all, some, none };

// A row whose pixels share the polynomials of a box.
struct WarpRow {
  const PackedSource* source;
  const ProjectionFit* fit;
  float y;            // box coordinate of the row, -1 to 1
  const float* x;     // box coordinates of the pixels
  int count;          // pixels
  float centre_code;  // subtracted from every sample, so that sums of squares lose no digits
};

// Classifies the samples of each pixel: `none` and `all` hold with a margin, `some` may be anything.
void classify_row(const WarpRow& row, Presence* presence);

// Samples the row. samples[i]: code minus centre_code of pixel i at each depth. All of them must lie inside
// the image.
void warp_row_inside(const WarpRow& row, Lanes* samples);
// Samples the row, with NaN where a sample lies outside the image.
void warp_row_partly_inside(const WarpRow& row, Lanes* samples);

// A row whose pixels have their own depths, each the middle of sixteen. Positions relative to (u_base_px,
// v_base_px): u = u[0][i] + t u[1][i] + t^2 u[2][i] for t in offsets, v alike; NaN = no depth.
struct GuidedRow {
  const PackedSource* source;
  const float* u[3];
  const float* v[3];
  int u_base_px, v_base_px;
  int count;  // pixels
  float centre_code;
  Lanes offsets;  // ascending
};

// The pixels of a row of a box, whose samples have T = t[0][i] + s t[1][i] + s^2 t[2][i] for s from -1 to 1.
struct GuidedDepths {
  const float* x;  // box coordinates of the pixels
  const float* t[3];
  int count;
};

// Writes to u and v what a GuidedRow needs, for `count` pixels rounded up to whole Lanes, and widens
// `bounds`, which are relative to the bases of `powers`, to all samples. y: the row's box coordinate.
void project_guided_row(const ProjectionPowers& powers, double y, const GuidedDepths& depths,
                        float* const (&u)[3], float* const (&v)[3], Lanes (&bounds)[4]);

// classify_row() for a GuidedRow.
void classify_guided_row(const GuidedRow& row, Presence* presence);
// warp_row_inside() for a GuidedRow.
void warp_guided_row_inside(const GuidedRow& row, Lanes* samples);
// warp_row_partly_inside() for a GuidedRow.
void warp_guided_row_partly_inside(const GuidedRow& row, Lanes* samples);

// A box of the reference image and the reach of its windows.
struct Tile {
  PixelBox output;  // pixels whose depth is found
  PixelBox input;   // those and the margin of their windows, within the image

  int columns() const { return input.x_end - input.x_begin; }
  int outputs() const { return output.x_end - output.x_begin; }
  int output_rows() const { return output.y_end - output.y_begin; }
  int first_output() const { return output.x_begin - input.x_begin; }
};

// Returns the side of the tiles that the fused kernels work in.
int tile_side_px(const RefractiveCamera& reference);

// Returns the next multiple of kLanes.
inline int round_up_to_lanes(int count) { return (count + kLanes - 1) / kLanes * kLanes; }

// Returns tiles of at most side_px x side_px that cover the image, row by row.
std::vector<Tile> make_tiles(int width_px, int height_px, int side_px, int margin_px);

// The reference image over a tile's input, minus its mean there (correlations do not change, sums of squares
// lose fewer digits).
struct TileReference {
  int columns = 0;
  float mean = 0;
  std::vector<float> grey;    // [input row][column]
  std::vector<float> no_row;  // a row of zeros, [column]
  const float* row(const Tile& tile, int y) const {
    return grey.data() + static_cast<std::size_t>(y - tile.input.y_begin) * columns;
  }
};

// Fills `reference`; its memory is reused.
void cut_reference(const GreyImage& image, const Tile& tile, TileReference& reference);

// Statistics of every output pixel's window if no sample is missing, [output row][output]; see ZnccRow.
struct ZnccReference {
  std::vector<float> count, inverse_count, sum, square_sum, gain;
};

// Fills `statistics`; their memory is reused.
void zncc_statistics(const TileReference& reference, const Tile& tile, const Options& options,
                     ZnccReference& statistics);

// Window statistics of AquaMVS's cost, [input row][column]; valid for windows inside the tile's input.
struct CentredReference {
  std::vector<float> inverse_weight;          // 1 / sum of the window's weights
  std::vector<float> mean;                    // over the window
  std::vector<float> centred;                 // grey minus that mean
  std::vector<float> variance;                // mean of centred^2 over the window
  std::vector<float> scoring_inverse_weight;  // inverse_weight, but 0 where the window is too small
};

// Fills `statistics`; their memory is reused.
void centred_statistics(const TileReference& reference, const Tile& tile, const Options& options,
                        CentredReference& statistics);

// Where all samples of a tile, source and block of depths lie.
enum class Coverage {
  inside,   // in the source image, every one
  partial,  // anywhere
  outside,  // none in the image
};

// Supplies rows of samples to the scorers.
class RowSampler {
 public:
  virtual ~RowSampler() = default;
  // Returns where the samples of the block lie.
  Coverage coverage() const { return coverage_; }
  // Returns the value subtracted from each sample: about the mean code of the source where the tile sees it.
  float centre_code() const { return centre_code_; }
  // Samples one row. samples[column]: code minus centre_code() at row y of tile.input; NaN outside the source
  // image. presence[column] says where NaN may occur (not written if coverage() is inside: nowhere).
  virtual void sample_row(int y, Lanes* samples, Presence* presence) = 0;

 protected:
  Coverage coverage_ = Coverage::outside;
  float centre_code_ = 0;
};

// Where samples lie in a source image.
struct SampleBounds {
  double u_min_px, u_max_px, v_min_px, v_max_px;
};

// Returns the mean code over a grid of at most 16 x 16 pixels of the part of the source that a tile sees.
float mean_code(const SampleBounds& bounds, const PackedSource& source);

// Samples at sixteen depths, the same ones for all pixels.
class TileSampler final : public RowSampler {
 public:
  // Starts a tile. The arguments of start_tile() and start_block() must outlive their use.
  void start_tile(const RefractiveCamera& reference, const Tile& tile);
  // Starts a block of depths in one source. depths_m: ascending.
  void start_block(const RefractiveCamera& camera, const PackedSource& source,
                   const std::array<float, kLanes>& depths_m);

  void sample_row(int y, Lanes* samples, Presence* presence) override;

 private:
  struct Strip {  // columns with polynomials of their own
    PixelBox box;
    BoxRays rays;
    ProjectionFit fit;
    std::vector<float> x;
  };

  static void start_strip(const RefractiveCamera& reference, const PixelBox& box, Strip& strip);
  void sample_strip(const Strip& strip, int y, Lanes* samples, Presence* presence) const;
  void sample_exactly(const Strip& strip, int y, Lanes* samples, Presence* presence);

  const RefractiveCamera* reference_ = nullptr;
  const RefractiveCamera* camera_ = nullptr;
  const PackedSource* source_ = nullptr;
  PixelBox box_{};
  std::array<float, kLanes> depths_m_{};
  // The whole width, and narrow strips if that fits badly.
  std::vector<Strip> whole_, narrow_;
  bool use_narrow_ = false;
  FitScratch scratch_;
};

}  // namespace aqbench::plane_sweep
