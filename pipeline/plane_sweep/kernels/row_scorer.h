#pragma once
// Scores a tile's rows against one source after another; the interface of the cost functions.

#include <memory>

#include "pipeline/plane_sweep/kernels/options.h"
#include "pipeline/plane_sweep/kernels/sampler.h"
#include "pipeline/plane_sweep/kernels/tile.h"

namespace aqbench::plane_sweep {

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

}  // namespace aqbench::plane_sweep
