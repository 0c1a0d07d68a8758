#include "metrics/completeness.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "metrics/neighbours/nearest_neighbour.h"
#include "metrics/numbers/order_statistics.h"
#include "metrics/scored_points.h"

namespace aqbench {

namespace {

void keep_inside(SurfaceSamples& samples, const Crop& crop) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < samples.positions_m.size(); ++i) {
    if (!crop.contains(samples.positions_m[i])) continue;
    samples.positions_m[kept] = samples.positions_m[i];
    if (!samples.weights.empty()) samples.weights[kept] = samples.weights[i];
    ++kept;
  }
  samples.positions_m.resize(kept);
  if (!samples.weights.empty()) samples.weights.resize(kept);
}

}  // namespace

SurfaceSamples samples_inside(const Surface& truth, double spacing_m, std::uint64_t seed, const Crop& crop) {
  SurfaceSamples samples = truth.stratified_samples(spacing_m, seed);
  if (!crop.parts.empty()) keep_inside(samples, crop);
  return samples;
}

Completeness measure_completeness(std::span<const Vec3> points_m, const Surface& truth, double spacing_m,
                                  std::uint64_t seed, const Crop& crop) {
  auto measured = measure_completeness(SpanBlocks(points_m), std::max<std::size_t>(points_m.size(), 1), truth,
                                       spacing_m, seed, crop);
  if (!measured) throw Error(ErrorKind::method, "nearest neighbours: the cloud has no finite point");
  return *std::move(measured);
}

std::optional<Completeness> measure_completeness(const CloudBlocks& cloud, std::size_t longest,
                                                 const Surface& truth, double spacing_m, std::uint64_t seed,
                                                 const Crop& crop) {
  std::optional<Completeness> measured;
  std::vector<double> to_block_m;
  cloud.read(longest, [&](const CloudBlock& block) {
    const NearestNeighbourIndex index(block.points_m);
    if (index.size() == 0) return;
    if (!measured) {
      measured.emplace();
      measured->samples = truth.stratified_samples(spacing_m, seed);
      measured->is_thinned = measured->samples.positions_m.size() < measured->samples.of_points;
      if (!crop.parts.empty()) keep_inside(measured->samples, crop);
      measured->distance_m.resize(measured->samples.positions_m.size());
      index.distances(measured->samples.positions_m, measured->distance_m);
      return;
    }
    std::vector<double>& distance_m = measured->distance_m;
    to_block_m.resize(distance_m.size());
    index.distances(measured->samples.positions_m, to_block_m);
    for (std::size_t i = 0; i < distance_m.size(); ++i)
      distance_m[i] = std::min(distance_m[i], to_block_m[i]);
  });
  return measured;
}

std::optional<double> completeness_pct(const Completeness& completeness, double tolerance_m,
                                       const std::function<bool(std::size_t)>& keep) {
  struct Areas {
    double reached_m2 = 0, kept_m2 = 0;
  };
  const std::size_t count = completeness.distance_m.size();
  std::vector<Areas> chunks((count + kSumGrain - 1) / kSumGrain);
  parallel_for(count, kSumGrain, [&](std::size_t begin, std::size_t end) {
    Areas areas;
    for (std::size_t i = begin; i < end; ++i) {
      if (!keep(i)) continue;
      const double weight_m2 = completeness.samples.weight_m2(i);
      areas.kept_m2 += weight_m2;
      if (completeness.distance_m[i] <= within_m(tolerance_m)) areas.reached_m2 += weight_m2;
    }
    chunks[begin / kSumGrain] = areas;
  });
  Areas total;  // chunk by chunk, so that the thread count does not change the rounding
  for (const Areas& areas : chunks) {
    total.reached_m2 += areas.reached_m2;
    total.kept_m2 += areas.kept_m2;
  }
  if (total.kept_m2 <= 0) return std::nullopt;
  return 100.0 * total.reached_m2 / total.kept_m2;
}

double sampling_se_pct(const Completeness& completeness, double tolerance_m) {
  const std::vector<double>& distance_m = completeness.distance_m;
  const SurfaceSamples& samples = completeness.samples;
  if (samples.of_points > 0 && !completeness.is_thinned) return 0;
  double sum = 0, area_m2 = 0;
  for (std::size_t i = 0; i < distance_m.size(); ++i) {
    area_m2 += samples.weight_m2(i);
    if (i == 0 || (distance_m[i] <= tolerance_m) == (distance_m[i - 1] <= tolerance_m)) continue;
    const double weight_m2 = 0.5 * (samples.weight_m2(i) + samples.weight_m2(i - 1));
    sum += weight_m2 * weight_m2;
  }
  return 100 * std::sqrt(sum / 2) / area_m2;
}

std::vector<GroupArea> areas_by_group(const Completeness& completeness, double tolerance_m,
                                      std::size_t groups,
                                      const std::function<std::size_t(std::size_t sample)>& group_of) {
  std::vector<GroupArea> areas(groups);
  for (std::size_t i = 0; i < completeness.distance_m.size(); ++i) {
    GroupArea& group = areas[group_of(i)];
    const double weight_m2 = completeness.samples.weight_m2(i);
    group.area_m2 += weight_m2;
    if (completeness.distance_m[i] <= within_m(tolerance_m)) group.reached_m2 += weight_m2;
  }
  return areas;
}

CompletenessSummary summarize_completeness(const Completeness& completeness) {
  constexpr std::size_t kMaxTwice = std::size_t{1} << 22;  // samples; two lists are held at once
  const std::size_t count = completeness.distance_m.size();
  double sum = 0, total_m2 = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += completeness.distance_m[i] * completeness.samples.weight_m2(i);
    total_m2 += completeness.samples.weight_m2(i);
  }
  CompletenessSummary summary{};
  summary.mean_m = sum / total_m2;
  summary.area_m2 = total_m2;
  const auto percentile_m = [&](double q) {
    if (completeness.samples.weights.empty()) {
      std::vector<double> values = completeness.distance_m;
      return weighted_percentile_in_place(values, completeness.samples.each_m2, q);
    }
    std::vector<WeightedValue> values(count);
    for (std::size_t i = 0; i < count; ++i)
      values[i] = {completeness.distance_m[i], completeness.samples.weight_m2(i)};
    return weighted_percentile_in_place(values, q);
  };
  parallel_for(2, count > kMaxTwice ? 2 : 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t which = begin; which < end; ++which)
      (which == 0 ? summary.median_m : summary.p95_m) = percentile_m(which == 0 ? 0.5 : 0.95);
  });
  return summary;
}

}  // namespace aqbench
