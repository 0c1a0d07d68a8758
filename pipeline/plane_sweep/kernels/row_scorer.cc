#include "pipeline/plane_sweep/kernels/row_scorer.h"

#include <algorithm>
#include <limits>

#include "pipeline/plane_sweep/kernels/plane_sweep.h"

namespace aqbench::plane_sweep {
namespace {

constexpr int kNever = std::numeric_limits<int>::min();

class ZnccScorer final : public RowScorer {
 public:
  explicit ZnccScorer(const Options& options) : options_(options), half_(options.window_px / 2) {}

  int margin_px() const override { return half_; }

  void start_tile(const Tile& tile, const TileReference& reference) override {
    tile_ = &tile;
    reference_ = &reference;
    zncc_statistics(reference, tile, options_, statistics_);
    const auto columns = static_cast<std::size_t>(tile.columns());
    ring_.reserve(static_cast<std::size_t>(options_.window_px + 1) * columns);
    no_row_.reserve(columns);
    std::fill_n(no_row_.data(), columns, Lanes{});
    sample_sums_.reserve((static_cast<std::size_t>(half_) + 1 + columns) * kSampleSums);
    missing_sums_.reserve((static_cast<std::size_t>(half_) + 1 + columns) * kMissingSums);
    presence_.resize(columns);
    column_gaps_.resize(columns);
    output_gaps_.resize(static_cast<std::size_t>(tile.outputs()));
  }

  void start_block(RowSampler& sampler, const PackedSource& source) override {
    sampler_ = &sampler;
    noise_samples_ =
        static_cast<float>(options_.noise_variance / source.grey_per_code / source.grey_per_code);
    watch_gaps_ = sampler.coverage() != Coverage::inside;
    const auto columns = static_cast<std::ptrdiff_t>(half_) + 1 + tile_->columns();
    std::fill_n(sample_sums_.data(), columns * kSampleSums, Lanes{});
    std::fill_n(missing_sums_.data(), columns * kMissingSums, Lanes{});
    last_gap_.assign(static_cast<std::size_t>(tile_->columns()), kNever);
    last_presence_.assign(static_cast<std::size_t>(tile_->columns()), kNever);
    // Rows above the last row of the first output row's window enter the sums without a score.
    for (int y = tile_->input.y_begin; y < std::min(tile_->output.y_begin + half_, tile_->input.y_end); ++y) {
      ZnccRow row = row_between(y, kNever);
      row.first_output = tile_->columns();
      run_row(row, y, kNever);
    }
  }

  void add_row(int y, Lanes* scores) override {
    const int entering = y + half_ < tile_->input.y_end ? y + half_ : kNever;
    const int leaving = y - half_ - 1 >= tile_->input.y_begin ? y - half_ - 1 : kNever;
    ZnccRow row = row_between(entering, leaving);
    row.first_output = tile_->first_output();
    row.outputs = tile_->outputs();
    const std::size_t first = static_cast<std::size_t>(y - tile_->output.y_begin) * tile_->outputs();
    row.count = statistics_.count.data() + first;
    row.inverse_count = statistics_.inverse_count.data() + first;
    row.sum = statistics_.sum.data() + first;
    row.square_sum = statistics_.square_sum.data() + first;
    row.gain = statistics_.gain.data() + first;
    row.noise_reference = static_cast<float>(options_.noise_variance);
    row.noise_samples = noise_samples_;
    row.min_count = static_cast<float>(min_window_weight(options_.cost, options_.window_px));
    row.scores = scores;
    run_row(row, entering, leaving);
  }

 private:
  Lanes* ring_row(int y) {
    return ring_.data() + static_cast<std::size_t>(y % (options_.window_px + 1)) * tile_->columns();
  }

  // Samples row `entering` (kNever: none) and prepares the update of the sums; no outputs yet.
  ZnccRow row_between(int entering, int leaving) {
    ZnccRow row{};
    row.columns = tile_->columns();
    row.half_window = half_;
    if (entering != kNever) sampler_->sample_row(entering, ring_row(entering), presence_.data());
    row.entering = entering != kNever ? ring_row(entering) : no_row_.data();
    row.entering_reference =
        entering != kNever ? reference_->row(*tile_, entering) : reference_->no_row.data();
    row.leaving = leaving != kNever ? ring_row(leaving) : no_row_.data();
    row.leaving_reference = leaving != kNever ? reference_->row(*tile_, leaving) : reference_->no_row.data();
    row.missing_rows_change = (entering != kNever ? 1.0F : 0.0F) - (leaving != kNever ? 1.0F : 0.0F);
    row.sample_sums = sample_sums_.data();
    row.missing_sums = missing_sums_.data();
    return row;
  }

  void run_row(const ZnccRow& row, int entering, int leaving) {
    if (!watch_gaps_ || !find_column_gaps(entering, leaving)) {
      add_zncc_row_without_gaps(row);
      return;
    }
    find_output_gaps(row);
    add_zncc_row_with_gaps(row, column_gaps_.data(), output_gaps_.data());
    // Once no gap remains, the sums of missing samples are zero except for rounding; makes them exact.
    for (int column = 0; column < row.columns; ++column)
      if (last_gap_[column] == leaving && leaving != kNever)
        std::fill_n(missing_sums_.data() + (half_ + 1 + column) * kMissingSums, kMissingSums, Lanes{});
  }

  // Returns false if no column has a gap.
  bool find_column_gaps(int entering, int leaving) {
    const int columns = tile_->columns();
    int any = 0;
    for (int column = 0; column < columns; ++column) {
      if (entering != kNever) {
        last_gap_[column] = presence_[column] != Presence::all ? entering : last_gap_[column];
        last_presence_[column] = presence_[column] != Presence::none ? entering : last_presence_[column];
      }
      const int gap = last_gap_[column] > kNever && last_gap_[column] >= leaving ? 1 : 0;
      const int present = last_presence_[column] > kNever && last_presence_[column] >= leaving ? 1 : 0;
      column_gaps_[column] = static_cast<Gaps>(gap * (2 - present));
      any |= gap;
    }
    return any != 0;
  }

  // From the columns of each output's window and the one that leaves it.
  void find_output_gaps(const ZnccRow& row) {
    int with_gaps = 0, present = 0;  // columns among those
    const auto count = [&](int column, int sign) {
      if (column < 0 || column >= row.columns) return;
      with_gaps += column_gaps_[column] != Gaps::none ? sign : 0;
      present += column_gaps_[column] != Gaps::all ? sign : 0;
    };
    for (int column = row.first_output - half_ - 1; column < row.first_output + half_; ++column)
      count(column, 1);
    for (int output = 0; output < row.outputs; ++output) {
      count(row.first_output + output + half_, 1);
      output_gaps_[output] = with_gaps == 0 ? Gaps::none : present == 0 ? Gaps::all : Gaps::some;
      count(row.first_output + output - half_ - 1, -1);
    }
  }

  Options options_;
  int half_;
  const Tile* tile_ = nullptr;
  const TileReference* reference_ = nullptr;
  RowSampler* sampler_ = nullptr;
  ZnccReference statistics_;
  LaneBuffer ring_, no_row_, sample_sums_, missing_sums_;
  std::vector<Presence> presence_;  // of the row sampled last, [column]
  std::vector<int> last_gap_,
      last_presence_;  // latest row with missing samples, with present samples; [column]
  std::vector<Gaps> column_gaps_, output_gaps_;
  float noise_samples_ = 0;
  bool watch_gaps_ = false;
};

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

  // Rows y and y + window share memory: they are never in one window.
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

std::unique_ptr<RowScorer> make_row_scorer(const Options& options) {
  if (options.cost == CostFunction::zncc) return std::make_unique<ZnccScorer>(options);
  return std::make_unique<CentredScorer>(options);
}

}  // namespace aqbench::plane_sweep
