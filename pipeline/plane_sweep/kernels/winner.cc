#include "pipeline/plane_sweep/kernels/winner.h"

#include <utility>

#include "core/parallel.h"

namespace aqbench::plane_sweep {
namespace {

constexpr std::size_t kExtractionGrain = 4096;  // pixels

DepthEstimate estimate_pixel(std::span<const float> costs, std::span<const float> depths_m,
                             bool even_in_inverse) {
  std::size_t best = 0;
  double sum = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (costs[i] < costs[best]) best = i;
    sum += costs[i];
  }
  if (best == 0 || best + 1 == costs.size()) return kNoDepth;
  const auto mean = static_cast<float>(sum / static_cast<double>(costs.size()));
  return refine_winner(depths_m, best, even_in_inverse, costs[best - 1], costs[best], costs[best + 1], mean);
}

// Lane j of `low` and `high`: rows i and i + kStep of a matrix whose blocks of kStep columns are swapped.
template <int kStep, int... kLane>
AQBENCH_INLINE void exchange(Lanes& low, Lanes& high, std::integer_sequence<int, kLane...>) {
  const Lanes a = low, b = high;
  low = __builtin_shufflevector(a, b, ((kLane & kStep) != 0 ? kLanes + kLane - kStep : kLane)...);
  high = __builtin_shufflevector(a, b, ((kLane & kStep) != 0 ? kLanes + kLane : kLane + kStep)...);
}

template <int kStep>
AQBENCH_INLINE void exchange_blocks(Lanes (&rows)[kLanes]) {
  for (int i = 0; i < kLanes; ++i)
    if ((i & kStep) == 0)
      exchange<kStep>(rows[i], rows[i + kStep], std::make_integer_sequence<int, kLanes>{});
}

// Transposes rows[i][j] by Eklundh's exchange of ever smaller blocks.
AQBENCH_INLINE void transpose(Lanes (&rows)[kLanes]) {
  exchange_blocks<8>(rows);
  exchange_blocks<4>(rows);
  exchange_blocks<2>(rows);
  exchange_blocks<1>(rows);
}

// Sixteen pixels from `first` on. costs[k]: of depth first_depth + k.
AQBENCH_INLINE void feed_block(const Lanes (&costs)[kLanes], int first_depth, int depths,
                               const WinnerRow& row, int first) {
  Lanes best = load_lanes(row.cost + first), index = load_lanes(row.index + first);
  Lanes before = load_lanes(row.cost_before + first), after = load_lanes(row.cost_after + first);
  Lanes sum = load_lanes(row.cost_sum + first), last = load_lanes(row.cost_last + first);
  for (int k = 0; k < depths; ++k) {
    const Lanes cost = costs[k];
    const float depth = static_cast<float>(first_depth + k);
    after = index == depth - 1 ? cost : after;
    const IntLanes better = cost < best;
    before = better ? last : before;
    index = better ? broadcast(depth) : index;
    best = better ? cost : best;
    sum += cost;
    last = cost;
  }
  store_lanes(row.cost + first, best);
  store_lanes(row.index + first, index);
  store_lanes(row.cost_before + first, before);
  store_lanes(row.cost_after + first, after);
  store_lanes(row.cost_sum + first, sum);
  store_lanes(row.cost_last + first, last);
}

AQBENCH_INLINE void start_block(const WinnerRow& row, int first) {
  store_lanes(row.cost + first, broadcast(std::numeric_limits<float>::infinity()));
  store_lanes(row.index + first, broadcast(-2.0F));  // no depth follows it
  for (float* field : {row.cost_before, row.cost_after, row.cost_sum, row.cost_last})
    store_lanes(field + first, Lanes{});
}

}  // namespace

void extract_depth(std::span<const float> volume, std::span<const float> depths_m, std::span<float> depth_m,
                   std::span<float> confidence, bool even_in_inverse) {
  const std::size_t depths = depths_m.size();
  parallel_for(depth_m.size(), kExtractionGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t pixel = begin; pixel < end; ++pixel) {
      const DepthEstimate estimate =
          estimate_pixel(volume.subspan(pixel * depths, depths), depths_m, even_in_inverse);
      depth_m[pixel] = estimate.depth_m;
      confidence[pixel] = estimate.confidence;
    }
  });
}

AQBENCH_MULTIVERSION
void feed_winner_row(const Lanes* scores, float per_source, int pixels, int first_depth, int depths,
                     const WinnerRow& row, float* volume, std::size_t volume_stride) {
  for (int first = 0; first < pixels; first += kLanes) {
    Lanes costs[kLanes];
    for (int i = 0; i < kLanes; ++i) costs[i] = 1.0F - scores[first + i] * per_source;
    if (volume != nullptr)
      for (int i = 0; i < std::min(kLanes, pixels - first); ++i)
        std::memcpy(volume + static_cast<std::size_t>(first + i) * volume_stride, &costs[i],
                    static_cast<std::size_t>(depths) * sizeof(float));
    transpose(costs);
    if (first_depth == 0) start_block(row, first);
    if (depths == kLanes)
      feed_block(costs, first_depth, kLanes, row, first);
    else
      feed_block(costs, first_depth, depths, row, first);
  }
}

AQBENCH_MULTIVERSION
void finish_winner_row(const WinnerRow& row, int pixels, std::span<const float> depths_m, float* depth_m,
                       float* confidence) {
  const int last = static_cast<int>(depths_m.size()) - 1;
  const float first_m = depths_m[0], step_m = depths_m[1] - depths_m[0];
  const float range_m = depths_m[last] - first_m, per_depth = 1.0F / static_cast<float>(depths_m.size());
  for (int i = 0; i < pixels; ++i) {
    const float best = row.index[i];
    const DepthEstimate estimate =
        refine_depth(first_m + range_m * (best / static_cast<float>(last)), step_m, row.cost_before[i],
                     row.cost[i], row.cost_after[i], row.cost_sum[i] * per_depth);
    const bool inner = (best > 0.0F) & (best < static_cast<float>(last));
    depth_m[i] = inner ? estimate.depth_m : kNoDepth.depth_m;
    confidence[i] = inner ? estimate.confidence : kNoDepth.confidence;
  }
}

}  // namespace aqbench::plane_sweep
