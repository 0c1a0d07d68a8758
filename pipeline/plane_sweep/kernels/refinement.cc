#include "pipeline/plane_sweep/kernels/refinement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "core/error.h"
#include "core/parallel.h"
#include "core/stage_scope.h"
#include "pipeline/plane_sweep/kernels/depth_extraction.h"
#include "pipeline/plane_sweep/kernels/guided_sampler.h"
#include "pipeline/plane_sweep/kernels/row_scorer.h"
#include "pipeline/plane_sweep/kernels/winner.h"
#include "pipeline/plane_sweep/kernels/worker_pool.h"

namespace aqbench::plane_sweep {
namespace {

class RefinementWorker {
 public:
  RefinementWorker(const Input& input, const Options& options, const std::vector<PackedSource>& sources)
      : input_(input), sources_(sources), scorer_(make_row_scorer(options)) {}

  int margin_px() const { return scorer_->margin_px(); }

  void run(const Tile& tile, std::span<const float> guide_m, double step_m, RefinedDepth& result) {
    if (!has_guide(tile, guide_m)) return;
    cut_reference(input_.reference.image, tile, reference_);
    sampler_.start_tile(input_.reference.camera, tile, guide_m, step_m);
    scorer_->start_tile(tile, reference_);
    const auto row_lanes = static_cast<std::size_t>(round_up_to_lanes(tile.outputs()));
    scores_.reserve(row_lanes * tile.output_rows());
    std::fill_n(scores_.data(), row_lanes * tile.output_rows(), Lanes{});
    for (std::size_t s = 0; s < sources_.size(); ++s) {
      sampler_.start_source(input_.sources[s].camera, sources_[s]);
      if (sampler_.coverage() == Coverage::outside) continue;
      scorer_->start_block(sampler_, sources_[s]);
      for (int y = tile.output.y_begin; y < tile.output.y_end; ++y)
        scorer_->add_row(y, scores_.data() + (y - tile.output.y_begin) * row_lanes);
    }
    winners_.resize(row_lanes * kWinnerFields);
    for (int y = tile.output.y_begin; y < tile.output.y_end; ++y) {
      const Lanes* const scores = scores_.data() + (y - tile.output.y_begin) * row_lanes;
      const std::size_t pixel = static_cast<std::size_t>(y) * input_.reference.image.width_px;
      finish_row(tile, scores, row_lanes, &guide_m[pixel], step_m, &result.depth_m[pixel],
                 &result.similarity[pixel]);
    }
  }

 private:
  bool has_guide(const Tile& tile, std::span<const float> guide_m) const {
    for (int y = tile.output.y_begin; y < tile.output.y_end; ++y)
      for (int x = tile.output.x_begin; x < tile.output.x_end; ++x)
        if (std::isfinite(guide_m[static_cast<std::size_t>(y) * input_.reference.image.width_px + x]))
          return true;
    return false;
  }

  // guide_m and the outputs: of the whole row.
  void finish_row(const Tile& tile, const Lanes* scores, std::size_t row_lanes, const float* guide_m,
                  double step_m, float* depth_m, float* similarity) {
    float* const w = winners_.data();
    const WinnerRow row{
        w, w + row_lanes, w + 2 * row_lanes, w + 3 * row_lanes, w + 4 * row_lanes, w + 5 * row_lanes};
    feed_winner_row(scores, 1.0F / static_cast<float>(sources_.size()), tile.outputs(), 0, kLanes, row,
                    nullptr, 0);
    for (int i = 0; i < tile.outputs(); ++i) {
      const int x = tile.output.x_begin + i;
      if (!std::isfinite(guide_m[x]) || !(row.index[i] > 0.5F && row.index[i] < kLanes - 1.5F)) continue;
      const double middle = row.index[i] - 0.5 * (kLanes - 1);
      const auto step = static_cast<float>(step_m);
      const DepthEstimate found = refine_depth(guide_m[x] + static_cast<float>(middle * step_m), step,
                                               row.cost_before[i], row.cost[i], row.cost_after[i], 1.0F);
      depth_m[x] = found.depth_m;
      similarity[x] = std::max(0.0F, 1.0F - row.cost[i]);
    }
  }

  const Input& input_;
  const std::vector<PackedSource>& sources_;
  std::unique_ptr<RowScorer> scorer_;
  GuidedSampler sampler_;
  TileReference reference_;
  LaneBuffer scores_;           // [output row][output, rounded up]
  std::vector<float> winners_;  // [field][output, rounded up]
};

}  // namespace

RefinedDepth refine_depth_map(const Input& input, const Options& options, std::span<const float> guide_m,
                              double step_m) {
  check(options);
  check(input);
  const GreyImage& image = input.reference.image;
  if (guide_m.size() != image.pixel_count())
    throw Error(ErrorKind::input, "guide_m: does not have the size of the reference image");
  if (!(step_m > 0) || !std::isfinite(step_m)) throw Error(ErrorKind::usage, "step_m: must be positive");
  const StageScope scope("depth_refinement");
  std::vector<PackedSource> sources;
  sources.reserve(input.sources.size());
  for (const View& source : input.sources) sources.push_back(pack_source(source.image));
  RefinedDepth result{std::vector<float>(image.pixel_count(), kNoDepth.depth_m),
                      std::vector<float>(image.pixel_count(), 0.0F)};
  WorkerPool<RefinementWorker> pool(
      [&] { return std::make_unique<RefinementWorker>(input, options, sources); });
  std::unique_ptr<RefinementWorker> first = pool.take();
  const std::vector<Tile> tiles =
      make_tiles(image.width_px, image.height_px, tile_side_px(input.reference.camera), first->margin_px());
  pool.give_back(std::move(first));
  parallel_for(tiles.size(), 1, [&](std::size_t begin, std::size_t end) {
    std::unique_ptr<RefinementWorker> worker = pool.take();
    for (std::size_t i = begin; i < end; ++i) worker->run(tiles[i], guide_m, step_m, result);
    pool.give_back(std::move(worker));
  });
  return result;
}

}  // namespace aqbench::plane_sweep
