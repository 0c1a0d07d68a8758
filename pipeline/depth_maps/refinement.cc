#include "pipeline/depth_maps/depth_maps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "core/stage_scope.h"
#include "pipeline/plane_sweep/kernels/row_scorer.h"
#include "pipeline/plane_sweep/kernels/tile.h"
#include "pipeline/plane_sweep/kernels/winner.h"
#include "scenes/optics/refraction_batch.h"

namespace aqbench::plane_sweep {
namespace {

constexpr double kNoDepth_m = std::numeric_limits<double>::quiet_NaN();

Lanes guided_offsets() {
  Lanes offsets;
  for (int lane = 0; lane < kLanes; ++lane)
    offsets[lane] = static_cast<float>(2 * lane - (kLanes - 1)) / (kLanes - 1);
  return offsets;
}

// The last whole pixel before all samples, within the image.
int base_before(double min_px, int size_px) {
  return static_cast<int>(std::clamp(std::floor(min_px) - 1, 0.0, static_cast<double>(size_px - 1)));
}

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr SampleBounds kNoBounds{kInfinite, -kInfinite, kInfinite, -kInfinite};

void include(const SampleBounds& more, SampleBounds& bounds) {
  bounds.u_min_px = std::min(bounds.u_min_px, more.u_min_px);
  bounds.u_max_px = std::max(bounds.u_max_px, more.u_max_px);
  bounds.v_min_px = std::min(bounds.v_min_px, more.v_min_px);
  bounds.v_max_px = std::max(bounds.v_max_px, more.v_max_px);
}

// How far apart a pixel's hypotheses are: step_m, or that at the depth at_m and growing with its square.
struct DepthStep {
  double step_m = 0, at_m = 0;

  double at(double depth_m) const { return at_m > 0 ? step_m * (depth_m / at_m) * (depth_m / at_m) : step_m; }
  // From the middle of the hypotheses to the last.
  double reach_m(double depth_m) const { return at(depth_m) * (kLanes - 1) / 2; }
};

// Samples a tile of one source around a depth map: every pixel has its own sixteen depths, so windows follow
// the surface.
class GuidedSampler final : public RowSampler {
 public:
  // guide_m: [y][x] over the whole reference image, metres along the ray; NaN excludes the pixel from all
  // windows. Sample k lies (k - 7.5) steps beyond it. The arguments must outlive this object.
  void start_tile(const RefractiveCamera& reference, const Tile& tile, std::span<const float> guide_m,
                  const DepthStep& step);
  void start_source(const RefractiveCamera& camera, const PackedSource& source);
  void sample_row(int y, Lanes* samples, Presence* presence) override;

 private:
  // Both write the positions of all samples relative to the bases, and return where they lie.
  SampleBounds project_by_polynomials();
  SampleBounds project_exactly(const RefractiveCamera& camera, const PackedSource& source);
  void project_row_exactly(const RefractiveCamera& camera, int y);

  const RefractiveCamera* reference_ = nullptr;
  const Tile* tile_ = nullptr;
  const PackedSource* source_ = nullptr;
  DepthStep step_;
  std::size_t stride_ = 0;       // of the rows below: columns, rounded up to whole Lanes
  std::vector<float> middle_m_;  // [input row][column]; NaN = none
  bool has_gaps_ = false;        // of those
  bool complete_ = false;        // every sample of the source has a position
  DepthInterval depths_;
  std::vector<float> x_, t_[3];      // see GuidedDepths
  std::vector<float> u_[3], v_[3];   // see GuidedRow
  std::vector<double> u_px_, v_px_;  // of the middle samples, where polynomials do not follow
  int u_base_px_ = 0, v_base_px_ = 0;
  BoxRays box_rays_;
  FitScratch scratch_;
  ProjectionPowers powers_;
};

void GuidedSampler::start_tile(const RefractiveCamera& reference, const Tile& tile,
                               std::span<const float> guide_m, const DepthStep& step) {
  reference_ = &reference;
  tile_ = &tile;
  step_ = step;
  const PixelBox& box = tile.input;
  stride_ = static_cast<std::size_t>(round_up_to_lanes(tile.columns()));
  const std::size_t pixels = stride_ * static_cast<std::size_t>(box.y_end - box.y_begin);
  middle_m_.assign(pixels, kNoDepth.depth_m);
  has_gaps_ = false;
  double near = kInfinite, far = 0;
  for (int y = box.y_begin; y < box.y_end; ++y)
    for (int x = box.x_begin; x < box.x_end; ++x) {
      const float depth_m = guide_m[static_cast<std::size_t>(y) * reference.width_px + x];
      if (!std::isfinite(depth_m)) {
        has_gaps_ = true;
        continue;
      }
      middle_m_[(y - box.y_begin) * stride_ + (x - box.x_begin)] = depth_m;
      near = std::min(near, depth_m - step.reach_m(depth_m));
      far = std::max(far, depth_m + step.reach_m(depth_m));
    }
  const bool in_inverse = step.at_m > 0;
  if (in_inverse) near = 1 / std::exchange(far, 1 / near);
  depths_ = {(near + far) / 2, (far - near) / 2, in_inverse};
  x_.assign(stride_, 1);
  for (int x = box.x_begin; x < box.x_end; ++x)
    x_[x - box.x_begin] = box_coordinate(x, box.x_begin, box.x_end);
  for (std::vector<float>(*powers)[3] : {&t_, &u_, &v_})
    for (std::vector<float>& power : *powers) power.resize(pixels);
  for (std::size_t i = 0; i < pixels; ++i) {
    const double depth_m = middle_m_[i], reach_m = step.reach_m(depth_m);
    t_[0][i] = static_cast<float>(depths_.t(depth_m));
    const double per_metre = (in_inverse ? -1 / (depth_m * depth_m) : 1) / depths_.half;
    t_[1][i] = static_cast<float>(reach_m * per_metre);
    t_[2][i] = static_cast<float>(in_inverse ? -reach_m / depth_m * reach_m * per_metre : 0);
  }
  box_rays_ = cast_box_rays(reference, box);
}

SampleBounds GuidedSampler::project_by_polynomials() {
  const PixelBox& box = tile_->input;
  u_base_px_ = powers_.u_base_px;
  v_base_px_ = powers_.v_base_px;
  constexpr float kFar = std::numeric_limits<float>::infinity();
  Lanes bounds[4] = {broadcast(kFar), broadcast(-kFar), broadcast(kFar), broadcast(-kFar)};
  for (int y = box.y_begin; y < box.y_end; ++y) {
    const std::size_t first = (y - box.y_begin) * stride_;
    project_guided_row(powers_, box_coordinate(y, box.y_begin, box.y_end),
                       {x_.data(), {&t_[0][first], &t_[1][first], &t_[2][first]}, tile_->columns()},
                       {&u_[0][first], &u_[1][first], &u_[2][first]},
                       {&v_[0][first], &v_[1][first], &v_[2][first]}, bounds);
  }
  SampleBounds found = kNoBounds;
  for (int lane = 0; lane < kLanes; ++lane)
    include({bounds[0][lane], bounds[1][lane], bounds[2][lane], bounds[3][lane]}, found);
  return {found.u_min_px + u_base_px_, found.u_max_px + u_base_px_, found.v_min_px + v_base_px_,
          found.v_max_px + v_base_px_};
}
// Three depths fix the parabola of a pixel's sixteen positions: over a few millimetres its error is far below
// 1e-4 px.
void GuidedSampler::project_row_exactly(const RefractiveCamera& camera, int y) {
  const auto columns = static_cast<std::size_t>(tile_->columns());
  const std::size_t first = (y - tile_->input.y_begin) * stride_;
  PointBatch& points = scratch_.points;
  points.resize(3 * columns);
  for (std::size_t i = 0; i < columns; ++i) {
    WaterRay ray;
    const float middle_m = middle_m_[first + i];
    const bool valid = cast_ray_fast(*reference_, tile_->input.x_begin + static_cast<double>(i), y, ray);
    for (std::size_t k = 0; k < 3; ++k)
      points.set(k * columns + i, ray,
                 valid ? middle_m + (static_cast<double>(k) - 1) * step_.reach_m(middle_m) : kNoDepth_m);
  }
  project_points(camera, points);
  const auto fit = [&](const std::vector<double>& at, std::vector<double>& middle,
                       std::vector<float>(&powers)[3]) {
    for (std::size_t i = 0; i < columns; ++i) {
      const double near = at[i], here = at[columns + i], far = at[2 * columns + i];
      middle[first + i] = here;
      powers[1][first + i] = static_cast<float>(0.5 * (far - near));
      powers[2][first + i] = static_cast<float>(0.5 * (far + near) - here);
    }
  };
  fit(points.u_px, u_px_, u_);
  fit(points.v_px, v_px_, v_);
}

SampleBounds GuidedSampler::project_exactly(const RefractiveCamera& camera, const PackedSource& source) {
  u_px_.assign(middle_m_.size(), kNoDepth_m);
  v_px_.assign(middle_m_.size(), kNoDepth_m);
  for (int y = tile_->input.y_begin; y < tile_->input.y_end; ++y) project_row_exactly(camera, y);
  SampleBounds bounds = kNoBounds;
  for (std::size_t i = 0; i < middle_m_.size(); ++i) {
    const double reach_u = std::abs(u_[1][i]) + std::abs(u_[2][i]);
    const double reach_v = std::abs(v_[1][i]) + std::abs(v_[2][i]);
    const double u = u_px_[i], v = v_px_[i];
    if (!std::isnan(u + v + reach_u + reach_v))
      include({u - reach_u, u + reach_u, v - reach_v, v + reach_v}, bounds);
    else if (!std::isnan(middle_m_[i]))
      complete_ = false;  // total reflection, or behind the camera
  }
  u_base_px_ = base_before(bounds.u_min_px, source.width_px);
  v_base_px_ = base_before(bounds.v_min_px, source.height_px);
  for (std::size_t i = 0; i < middle_m_.size(); ++i) {
    u_[0][i] = static_cast<float>(u_px_[i] - u_base_px_);
    v_[0][i] = static_cast<float>(v_px_[i] - v_base_px_);
  }
  return bounds;
}

void GuidedSampler::start_source(const RefractiveCamera& camera, const PackedSource& source) {
  source_ = &source;
  complete_ = !has_gaps_;
  fit_powers(box_rays_, depths_, camera, scratch_, powers_);
  const SampleBounds bounds =
      powers_.exact_enough ? project_by_polynomials() : project_exactly(camera, source);
  const double right = source.width_px - 1, bottom = source.height_px - 1;
  if (!(bounds.u_min_px <= right && bounds.u_max_px >= 0 && bounds.v_min_px <= bottom &&
        bounds.v_max_px >= 0)) {
    coverage_ = Coverage::outside;
    return;
  }
  const bool inside = complete_ && bounds.u_min_px >= 1 && bounds.u_max_px <= right - 1 &&
                      bounds.v_min_px >= 1 && bounds.v_max_px <= bottom - 1;
  coverage_ = inside ? Coverage::inside : Coverage::partial;
  centre_code_ = mean_code(bounds, source);
}

void GuidedSampler::sample_row(int y, Lanes* samples, Presence* presence) {
  const std::size_t first = (y - tile_->input.y_begin) * stride_;
  static const Lanes offsets = guided_offsets();
  const GuidedRow row{source_,
                      {&u_[0][first], &u_[1][first], &u_[2][first]},
                      {&v_[0][first], &v_[1][first], &v_[2][first]},
                      u_base_px_,
                      v_base_px_,
                      tile_->columns(),
                      centre_code_,
                      offsets};
  if (coverage_ == Coverage::inside) {
    warp_guided_row_inside(row, samples);
    return;
  }
  classify_guided_row(row, presence);
  warp_guided_row_partly_inside(row, samples);
}

// Buffers of one thread.
class RefinementWorker {
 public:
  RefinementWorker(const Input& input, const Options& options, const std::vector<PackedSource>& sources)
      : input_(input), sources_(sources), scorer_(make_row_scorer(options)) {}

  int margin_px() const { return scorer_->margin_px(); }

  void run(const Tile& tile, std::span<const float> guide_m, const DepthStep& step, RefinedDepth& result) {
    if (!has_guide(tile, guide_m)) return;
    cut_reference(input_.reference.image, tile, reference_);
    sampler_.start_tile(input_.reference.camera, tile, guide_m, step);
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
      finish_row(tile, scores, row_lanes, &guide_m[pixel], step, &result.depth_m[pixel],
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
                  const DepthStep& spacing, float* depth_m, float* similarity) {
    const WinnerRow row = winner_row_at(winners_.data(), row_lanes);
    feed_winner_row(scores, 1.0F / static_cast<float>(sources_.size()), tile.outputs(), 0, kLanes, row,
                    nullptr, 0);
    for (int i = 0; i < tile.outputs(); ++i) {
      const int x = tile.output.x_begin + i;
      if (!std::isfinite(guide_m[x]) || !(row.index[i] > 0.5F && row.index[i] < kLanes - 1.5F)) continue;
      const double middle = row.index[i] - 0.5 * (kLanes - 1);
      const double step_m = spacing.at(guide_m[x]);
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
                              double step_m, double step_at_m) {
  const GreyImage& image = input.reference.image;
  const StageScope scope("depth_refinement");
  const std::vector<PackedSource> sources = pack_sources(input);
  RefinedDepth result{std::vector<float>(image.pixel_count(), kNoDepth.depth_m),
                      std::vector<float>(image.pixel_count(), 0.0F)};
  for_each_tile<RefinementWorker>(
      input.reference, [&] { return std::make_unique<RefinementWorker>(input, options, sources); },
      [&](RefinementWorker& worker, const Tile& tile) {
        worker.run(tile, guide_m, {step_m, step_at_m}, result);
      });
  return result;
}

}  // namespace aqbench::plane_sweep
