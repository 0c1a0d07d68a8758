#pragma once
// Scores a tile's rows against one source after another: what the cost functions have in common.

#include <memory>

#include "pipeline/plane_sweep/kernels/options.h"
#include "pipeline/plane_sweep/kernels/sampler.h"
#include "pipeline/plane_sweep/kernels/tile.h"

namespace aqbench::plane_sweep {

class RowScorer {
 public:
  virtual ~RowScorer() = default;
  // How far beyond an output pixel samples are needed.
  virtual int margin_px() const = 0;
  virtual void start_tile(const Tile& tile, const TileReference& reference) = 0;
  // The sampler's source and depths; its coverage is inside or partial.
  virtual void start_block(RowSampler& sampler, const PackedSource& source) = 0;
  // Adds the similarity (1 - cost) of every output pixel of row y; rows are asked for in order, each once.
  virtual void add_row(int y, Lanes* scores) = 0;
};

std::unique_ptr<RowScorer> make_zncc_scorer(const Options& options);
std::unique_ptr<RowScorer> make_centred_scorer(const Options& options);  // ncc_reference and ssim

std::unique_ptr<RowScorer> make_row_scorer(const Options& options);  // of its cost function

}  // namespace aqbench::plane_sweep
