#include <algorithm>
#include <vector>

#include "pipeline/plane_sweep/kernels/centred_row.h"
#include "pipeline/plane_sweep/kernels/cost_map.h"
#include "pipeline/plane_sweep/kernels/row_scorer.h"

namespace aqbench::plane_sweep {
namespace {

static_assert(kMaxRows >= kMaxWindow_px);

// Lanes of a CentredRow, one column each.
constexpr int kRowFields = 6;

class CentredScorer final : public RowScorer {
 public:
  explicit CentredScorer(const Options& options) : options_(options), half_(options.window_px / 2) {
    for (const double weight : window_weights(options.cost, options.window_px))
      weights_.push_back(static_cast<float>(weight));
  }

  int margin_px() const override { return 2 * half_; }

  void start_tile(const Tile& tile, const TileReference& reference) override {
    tile_ = &tile;
    reference_ = &reference;
    centred_statistics(reference, tile, options_, statistics_);
    const auto columns = static_cast<std::size_t>(tile.columns());
    rows_.reserve(columns * kRowFields * weights_.size());
    presence_.resize(columns);
    column_sums_.reserve(3 * (columns + 2 * static_cast<std::size_t>(half_)));
  }

  void start_block(RowSampler& sampler, const PackedSource& source) override {
    sampler_ = &sampler;
    some_missing_ = sampler.coverage() != Coverage::inside;
    grey_per_code_ = source.grey_per_code;
    grey_at_centre_ = source.grey_at_zero + source.grey_per_code * sampler.centre_code();
    next_sampled_ = tile_->input.y_begin;
    next_centred_ = std::max(tile_->input.y_begin, tile_->output.y_begin - half_);
  }

  void add_row(int y, Lanes* scores) override {
    const int bottom = std::min(y + half_, tile_->input.y_end - 1);
    for (; next_centred_ <= bottom; ++next_centred_) {
      const int needed = std::min(next_centred_ + half_, tile_->input.y_end - 1);
      for (; next_sampled_ <= needed; ++next_sampled_)
        sampler_->sample_row(next_sampled_, row_at(next_sampled_).samples, presence_.data());
      centre_row(next_centred_);
    }
    score_row(y, scores);
  }

 private:
  bool in_tile(int y) const { return y >= tile_->input.y_begin && y < tile_->input.y_end; }

  // Rows y and y + window share their memory: a window's rows never meet.
  CentredRow row_at(int y) {
    const std::ptrdiff_t columns = tile_->columns();
    Lanes* const first = rows_.data() + y % options_.window_px * columns * kRowFields;
    return {first,
            first + columns,
            first + 2 * columns,
            first + 3 * columns,
            first + 4 * columns,
            first + 5 * columns};
  }

  const float* statistic(const std::vector<float>& field, int y) const {
    return field.data() + static_cast<std::size_t>(y - tile_->input.y_begin) * tile_->columns();
  }

  void centre_row(int y) {
    CentringPass pass{};
    const int first = tile_->first_output();
    pass.window = {weights_.data(), half_, tile_->columns(), std::max(0, first - half_),
                   std::min(tile_->columns(), first + tile_->outputs() + half_)};
    for (int k = 0; k < options_.window_px; ++k) {
      const int row = y - half_ + k;
      if (!in_tile(row)) continue;
      pass.samples[k] = row_at(row).samples;
      pass.references[k] = reference_->row(*tile_, row);
    }
    pass.inverse_weight = statistic(statistics_.inverse_weight, y);
    pass.out = row_at(y);
    pass.middle_samples = pass.out.samples;
    pass.middle_reference = reference_->row(*tile_, y);
    pass.column_sums = column_sums_.data();
    if (some_missing_)
      centre_row_some_missing(pass);
    else
      centre_row_all_valid(pass);
  }

  void score_row(int y, Lanes* scores) {
    ScoringPass pass{};
    const int first = tile_->first_output();
    pass.window = {weights_.data(), half_, tile_->columns(), first, first + tile_->outputs()};
    for (int k = 0; k < options_.window_px; ++k) {
      const int row = y - half_ + k;
      if (!in_tile(row)) continue;
      pass.rows[k] = row_at(row);
      pass.centred_references[k] = statistic(statistics_.centred, row);
    }
    pass.middle = row_at(y);
    pass.mean_reference = statistic(statistics_.mean, y);
    pass.variance_reference = statistic(statistics_.variance, y);
    pass.inverse_weight = statistic(statistics_.scoring_inverse_weight, y);
    pass.min_weight = static_cast<float>(min_window_weight(options_.cost, options_.window_px));
    pass.ssim = options_.cost == CostFunction::ssim;
    pass.grey_per_code = grey_per_code_;
    pass.grey_at_centre = grey_at_centre_;
    pass.reference_grey = reference_->mean;
    pass.column_sums = column_sums_.data();
    pass.scores = scores;
    if (some_missing_)
      score_row_some_missing(pass);
    else
      score_row_all_valid(pass);
  }

  Options options_;
  int half_;
  std::vector<float> weights_;
  const Tile* tile_ = nullptr;
  const TileReference* reference_ = nullptr;
  RowSampler* sampler_ = nullptr;
  CentredReference statistics_;
  LaneBuffer rows_, column_sums_;
  std::vector<Presence> presence_;
  float grey_per_code_ = 0, grey_at_centre_ = 0;
  int next_sampled_ = 0, next_centred_ = 0;  // rows
  bool some_missing_ = false;
};

}  // namespace

std::unique_ptr<RowScorer> make_centred_scorer(const Options& options) {
  return std::make_unique<CentredScorer>(options);
}

}  // namespace aqbench::plane_sweep
