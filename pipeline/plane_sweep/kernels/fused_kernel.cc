#include "pipeline/plane_sweep/kernels/plane_sweep.h"

#include <algorithm>
#include <array>
#include <memory>

#include "core/stage_scope.h"
#include "pipeline/plane_sweep/kernels/row_scorer.h"
#include "pipeline/plane_sweep/kernels/winner.h"

namespace aqbench::plane_sweep {
namespace {

// Buffers of one thread for a tile; about 2 MB at the usual window.
class TileWorker {
 public:
  TileWorker(const Input& input, const Options& options, const std::vector<PackedSource>& sources,
             std::span<const float> depths_m)
      : input_(input),
        options_(options),
        sources_(sources),
        even_steps_(depths_m.begin(), depths_m.end()),
        scorer_(make_row_scorer(options)) {
    if (input.even_in_inverse)
      for (float& step : even_steps_) step = 1 / step;
  }

  int margin_px() const { return scorer_->margin_px(); }

  void run(const Tile& tile, Result& result) {
    tile_ = &tile;
    row_lanes_ = static_cast<std::size_t>(round_up_to_lanes(tile.outputs()));
    cut_reference(input_.reference.image, tile, reference_);
    sampler_.start_tile(input_.reference.camera, tile);
    scorer_->start_tile(tile, reference_);
    scores_.reserve(row_lanes_ * tile.output_rows());
    winners_.resize(row_lanes_ * tile.output_rows() * kWinnerFields);
    for (int first = 0; first < options_.depths; first += kLanes) {
      score_block(first, result.depths_m);
      feed_block_to_winners(first, result);
    }
    for (int y = tile.output.y_begin; y < tile.output.y_end; ++y) {
      const std::size_t pixel = static_cast<std::size_t>(y) * result.width_px + tile.output.x_begin;
      finish_winner_row(winner_row(y), tile.outputs(), even_steps_, &result.depth_m[pixel],
                        &result.confidence[pixel]);
      if (input_.even_in_inverse)
        for (int i = 0; i < tile.outputs(); ++i) result.depth_m[pixel + i] = 1 / result.depth_m[pixel + i];
    }
  }

 private:
  Lanes* score_row(int y) { return scores_.data() + (y - tile_->output.y_begin) * row_lanes_; }

  WinnerRow winner_row(int y) {
    return winner_row_at(winners_.data() + (y - tile_->output.y_begin) * row_lanes_ * kWinnerFields,
                         row_lanes_);
  }

  // Sums the sources' similarities at kLanes depths from `first` on; lanes beyond the last depth repeat it.
  void score_block(int first, const std::vector<float>& depths_m) {
    std::array<float, kLanes> block_m;
    for (int lane = 0; lane < kLanes; ++lane)
      block_m[lane] = depths_m[std::min(first + lane, options_.depths - 1)];
    std::fill_n(scores_.data(), row_lanes_ * tile_->output_rows(), Lanes{});
    for (std::size_t s = 0; s < sources_.size(); ++s) {
      sampler_.start_block(input_.sources[s].camera, sources_[s], block_m);
      if (sampler_.coverage() == Coverage::outside) continue;
      scorer_->start_block(sampler_, sources_[s]);
      for (int y = tile_->output.y_begin; y < tile_->output.y_end; ++y) scorer_->add_row(y, score_row(y));
    }
  }

  void feed_block_to_winners(int first, Result& result) {
    const int depths = std::min(kLanes, options_.depths - first);
    const float per_source = 1.0F / static_cast<float>(sources_.size());
    for (int y = tile_->output.y_begin; y < tile_->output.y_end; ++y) {
      const std::size_t pixel = static_cast<std::size_t>(y) * result.width_px + tile_->output.x_begin;
      float* const volume = result.volume.empty() ? nullptr : &result.volume[pixel * options_.depths + first];
      feed_winner_row(score_row(y), per_source, tile_->outputs(), first, depths, winner_row(y), volume,
                      static_cast<std::size_t>(options_.depths));
    }
  }

  const Input& input_;
  const Options& options_;
  const std::vector<PackedSource>& sources_;
  std::vector<float> even_steps_;  // the depths, or their inverses where those are evenly spaced
  std::unique_ptr<RowScorer> scorer_;
  TileSampler sampler_;
  TileReference reference_;
  const Tile* tile_ = nullptr;
  std::size_t row_lanes_ = 0;
  LaneBuffer scores_;           // [output row][output, rounded up]
  std::vector<float> winners_;  // [output row][field][output, rounded up]
};

}  // namespace

void run_fused_kernel(const Input& input, const Options& options, Result& result) {
  const StageScope scope("build_cost_volume");
  const std::vector<PackedSource> sources = pack_sources(input);
  if (options.keep_volume) result.volume.resize(result.depth_m.size() * options.depths);
  for_each_tile<TileWorker>(
      input.reference, [&] { return std::make_unique<TileWorker>(input, options, sources, result.depths_m); },
      [&](TileWorker& worker, const Tile& tile) { worker.run(tile, result); });
}

}  // namespace aqbench::plane_sweep
