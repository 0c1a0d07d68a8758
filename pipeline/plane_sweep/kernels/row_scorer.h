#pragma once
// Scores a tile's rows against one source after another: what the cost functions have in common.

#include <memory>

#include "pipeline/plane_sweep/kernels/options.h"
#include "pipeline/plane_sweep/kernels/sampler.h"
#include "pipeline/plane_sweep/kernels/tile.h"

namespace aqbench::plane_sweep {

// One tile's scorer; its methods are called in the order in which they stand here.
class RowScorer {
 public:
  virtual ~RowScorer() = default;
  // Returns how far beyond an output pixel samples are needed.
  virtual int margin_px() const = 0;
  // Starts a tile; both must outlive its rows.
  virtual void start_tile(const Tile& tile, const TileReference& reference) = 0;
  // Starts a block of depths in the sampler's source; the sampler's coverage is inside or partial.
  virtual void start_block(RowSampler& sampler, const PackedSource& source) = 0;
  // Adds the similarity (1 - cost) of every output pixel of row y; rows are asked for in order, each once.
  virtual void add_row(int y, Lanes* scores) = 0;
};

// Makes the scorer of options.cost.
std::unique_ptr<RowScorer> make_row_scorer(const Options& options);

}  // namespace aqbench::plane_sweep
