#pragma once
// The samples of a tile in one source at sixteen depths, row by row.

#include <array>
#include <vector>

#include "pipeline/plane_sweep/kernels/lanes.h"
#include "pipeline/plane_sweep/kernels/packed_source.h"
#include "pipeline/plane_sweep/kernels/projection_fit.h"
#include "pipeline/plane_sweep/kernels/tile.h"
#include "pipeline/plane_sweep/kernels/warp_row.h"

namespace aqbench::plane_sweep {

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
