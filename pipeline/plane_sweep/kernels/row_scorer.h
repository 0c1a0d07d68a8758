#pragma once
// Scores a tile's rows against one source after another: the statistics of windows, the interface of the cost
// functions, and the loop over tiles.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "pipeline/plane_sweep/kernels/lanes.h"
#include "pipeline/plane_sweep/kernels/plane_sweep.h"
#include "pipeline/plane_sweep/kernels/tile.h"

namespace aqbench::plane_sweep {

// ---- Window sums of textbook cross-correlation. A row enters each column's sums at the bottom and one
// leaves at the top; along the row a column enters on the right and one leaves on the left, so the cost is
// independent of the window size ----

// Sums of a column, kept from row to row: of the samples s, of s^2 and of r s with the reference r; and, of
// the missing samples, the count and the sums of r and r^2.
inline constexpr std::ptrdiff_t kSampleSums = 3, kMissingSums = 3;

// What one step of the window reads and writes.
struct ZnccRow {
  int columns;       // of the tile with its margin
  int first_output;  // the column under the first output pixel
  int outputs;       // output pixels
  int half_window;
  const Lanes* entering;  // samples of the row that enters, NaN = missing; zero for no row
  const Lanes* leaving;
  const float* entering_reference;  // r of those rows; zero for no row
  const float* leaving_reference;
  // [half_window + 1 + columns][kSampleSums]; the first half_window + 1 columns stay zero. Likewise the
  // other.
  Lanes* sample_sums;
  Lanes* missing_sums;
  // Of each output pixel's window, if no sample is missing: the sums of 1, r and r^2, 1 / count, and
  // 1 / (count sqrt(variance of r + noise)), 0 where the window is too small.
  const float* count;
  const float* inverse_count;
  const float* sum;
  const float* square_sum;
  const float* gain;
  float missing_rows_change;  // rows that enter minus rows that leave: 1, 0 or -1
  float noise_reference;      // added to the variance of r; grey units squared
  float noise_samples;        // added to the variance of s; code units squared
  float min_count;            // valid samples that a window needs
  Lanes* scores;  // [outputs]: the correlation is added; nothing where the window has too few samples
};

// How much of a column's window, or of the columns of an output pixel's window, is missing.
enum class Gaps : std::uint8_t {
  none,  // nothing, nor in the row that leaves
  some,
  all,  // everything, also in the row that leaves
};

// Moves the window by a row where no sample is missing, neither now nor in the sums.
void add_zncc_row_without_gaps(const ZnccRow& row);

// Moves the window by a row where samples may be missing. column_gaps: [columns]; missing_sums of a column
// with Gaps::none are zero and stay so.
void add_zncc_row_with_gaps(const ZnccRow& row, const Gaps* column_gaps, const Gaps* output_gaps);

// ---- The two passes of AquaMVS's window statistics: first every sample is centred by the mean of its own
// window, then the squares and products of the centred samples are averaged over the window. Weights are
// separable: all 1 (ncc_reference) or Gaussian (ssim) ----

// The largest number of rows of a window.
inline constexpr int kMaxRows = 31;

// One row of samples and the results of the first pass, by column.
struct CentredRow {
  Lanes* samples;  // code minus centre code; NaN = missing
  Lanes* centred;  // minus the mean of the window; 0 where missing
  Lanes* mean;     // of the window
  // Only if samples may be missing:
  Lanes* centred_reference;  // r minus the mean of r over the window's valid samples; 0 where missing
  Lanes* mean_reference;     // that mean
  Lanes* weight;             // sum of the valid samples' weights
};

// The window of the statistics and the columns to compute.
struct WindowShape {
  const float* weights;  // [window]
  int half_window;
  int columns;     // of the tile with its margin
  int begin, end;  // columns to compute
};

// What the first pass reads and writes: from the samples of the window's rows to the centred row in their
// middle. samples[k] and references[k] (r of that row) belong to row k of the window; rows outside the image
// are nullptr.
struct CentringPass {
  WindowShape window;
  const Lanes* samples[kMaxRows];
  const float* references[kMaxRows];
  const float* inverse_weight;  // [column], if no sample is missing
  CentredRow out;
  const Lanes* middle_samples;
  const float* middle_reference;
  Lanes* column_sums;  // scratch, 3 * (columns + 2 * half_window)
};

// Runs the first pass where no sample is missing.
void centre_row_all_valid(const CentringPass& pass);
// Runs the first pass where samples may be missing.
void centre_row_some_missing(const CentringPass& pass);

// What the second pass reads and writes: from the centred rows of the window to the similarities of its
// middle row's pixels.
struct ScoringPass {
  WindowShape window;         // begin and end: the output columns
  CentredRow rows[kMaxRows];  // centred == nullptr: outside the image
  CentredRow middle;
  // If no sample is missing: of the reference, [window row][column] and, for the output pixels, [column].
  const float* centred_references[kMaxRows];
  const float* mean_reference;
  const float* variance_reference;
  const float* inverse_weight;  // 0 where the window is too small
  float min_weight;
  bool ssim;
  // The grey value of a sample s is grey_at_centre + grey_per_code * s, that of a reference r is
  // reference_grey + r.
  float grey_per_code, grey_at_centre, reference_grey;
  Lanes* column_sums;  // scratch as above
  Lanes* scores;       // [end - begin]: added to
};

// Runs the second pass where no sample is missing.
void score_row_all_valid(const ScoringPass& pass);
// Runs the second pass where samples may be missing.
void score_row_some_missing(const ScoringPass& pass);

// One tile's scorer; call its methods in this order.
class RowScorer {
 public:
  virtual ~RowScorer() = default;
  // Returns the margin of samples around an output pixel.
  virtual int margin_px() const = 0;
  // Starts a tile; both must outlive its rows.
  virtual void start_tile(const Tile& tile, const TileReference& reference) = 0;
  // Starts a block of depths in the sampler's source; the sampler's coverage is inside or partial.
  virtual void start_block(RowSampler& sampler, const PackedSource& source) = 0;
  // Adds the similarity (1 - cost) of every output pixel of row y; ask for each row once, in order.
  virtual void add_row(int y, Lanes* scores) = 0;
};

// Makes the scorer of options.cost.
std::unique_ptr<RowScorer> make_row_scorer(const Options& options);

// Runs `run` with each tile of the reference view, on workers with large buffers: `make` makes as many as
// work at the same time. A worker's margin_px() says how far its windows reach. Uses parallel_for.
template <class Worker, class Make, class Run>
void for_each_tile(const View& reference, const Make& make, const Run& run) {
  std::vector<std::unique_ptr<Worker>> idle;
  idle.push_back(make());
  std::mutex mutex;
  const std::vector<Tile> tiles = make_tiles(reference.image.width_px, reference.image.height_px,
                                             tile_side_px(reference.camera), idle.front()->margin_px());
  const auto take = [&]() -> std::unique_ptr<Worker> {
    const std::lock_guard lock(mutex);
    if (idle.empty()) return make();
    std::unique_ptr<Worker> worker = std::move(idle.back());
    idle.pop_back();
    return worker;
  };
  parallel_for(tiles.size(), 1, [&](std::size_t begin, std::size_t end) {
    std::unique_ptr<Worker> worker = take();
    for (std::size_t i = begin; i < end; ++i) run(*worker, tiles[i]);
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(worker));
  });
}

}  // namespace aqbench::plane_sweep
