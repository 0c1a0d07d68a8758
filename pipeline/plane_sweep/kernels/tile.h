#pragma once
// The piece of the reference image that one thread works on, and its reference values and statistics.

#include <vector>

#include "pipeline/plane_sweep/kernels/input.h"
#include "pipeline/plane_sweep/kernels/options.h"
#include "pipeline/plane_sweep/kernels/projection_fit.h"

namespace aqbench::plane_sweep {

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
  std::vector<float> x;       // box coordinates of the columns, -1 to 1
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

}  // namespace aqbench::plane_sweep
