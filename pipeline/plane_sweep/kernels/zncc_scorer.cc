#include <algorithm>
#include <limits>
#include <vector>

#include "pipeline/plane_sweep/kernels/cost_map.h"
#include "pipeline/plane_sweep/kernels/row_scorer.h"
#include "pipeline/plane_sweep/kernels/zncc_row.h"

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
    // The rows above the first output row's last one enter the sums without a score.
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

  // Samples row `entering` (kNever: none) and sets out the sums' update; no outputs yet.
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
    // Without a gap left the sums of missing samples are zero but for rounding; from here on, exactly.
    for (int column = 0; column < row.columns; ++column)
      if (last_gap_[column] == leaving && leaving != kNever)
        std::fill_n(missing_sums_.data() + (half_ + 1 + column) * kMissingSums, kMissingSums, Lanes{});
  }

  // False if no column has a gap.
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
  std::vector<Presence> presence_;             // of the row sampled last, [column]
  std::vector<int> last_gap_, last_presence_;  // latest row that is not all there, not all missing; [column]
  std::vector<Gaps> column_gaps_, output_gaps_;
  float noise_samples_ = 0;
  bool watch_gaps_ = false;
};

}  // namespace

std::unique_ptr<RowScorer> make_zncc_scorer(const Options& options) {
  return std::make_unique<ZnccScorer>(options);
}

std::unique_ptr<RowScorer> make_row_scorer(const Options& options) {
  return options.cost == CostFunction::zncc ? make_zncc_scorer(options) : make_centred_scorer(options);
}

}  // namespace aqbench::plane_sweep
