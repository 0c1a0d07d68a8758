#include <algorithm>
#include <array>
#include <cmath>

#include "core/parallel.h"
#include "metrics/completeness.h"
#include "metrics/numbers/order_statistics.h"
#include "metrics/scored_points.h"

namespace aqbench {

std::optional<double> area_share_pct(double part_m2, double all_m2) {
  if (!(all_m2 > 0)) return std::nullopt;
  return part_m2 == all_m2 ? 100 : 100 * part_m2 / all_m2;
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
      const double weight_m2 = completeness.samples->weight_m2(i);
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
  return area_share_pct(total.reached_m2, total.kept_m2);
}

namespace {

constexpr std::size_t kLanes = 8;

// Areas of samples at up to eight tolerances. What is not reached adds 0, which changes no sum: the lanes of
// a vector are added to at once.
struct LaneAreas {
  using Lanes = std::array<double, kLanes>;
  Lanes reached_m2{}, inset_m2{}, inset_reached_m2{};
  double all_m2 = 0;

  void add(const LaneAreas& other) {
    all_m2 += other.all_m2;
    for (std::size_t t = 0; t < kLanes; ++t) {
      reached_m2[t] += other.reached_m2[t];
      inset_m2[t] += other.inset_m2[t];
      inset_reached_m2[t] += other.inset_reached_m2[t];
    }
  }
};

// The tolerances of the lanes; unused ones reach nothing.
struct LaneLimits {
  std::array<double, kLanes> distance_m;
  std::array<Patch, kLanes> inset;
  Patch innermost{};

  LaneLimits(std::span<const double> tolerances_m, const Patch* patch) {
    distance_m.fill(-1);
    const Patch whole = patch == nullptr ? Patch{} : *patch;
    const auto inset_by = [&](double m) {
      return Patch{whole.x_min_m + m, whole.x_max_m - m, whole.y_min_m + m, whole.y_max_m - m};
    };
    for (std::size_t t = 0; t < tolerances_m.size(); ++t) distance_m[t] = within_m(tolerances_m[t]);
    for (std::size_t t = 0; t < kLanes; ++t)
      inset[t] = inset_by(t < tolerances_m.size() ? tolerances_m[t] : 0);
    innermost = inset_by(std::ranges::max(tolerances_m));
  }
};

void add_sample(const Vec3& position_m, double weight_m2, double distance_m, const LaneLimits& limits,
                LaneAreas& areas) {
  LaneAreas::Lanes reached;
  for (std::size_t t = 0; t < kLanes; ++t) reached[t] = distance_m <= limits.distance_m[t] ? weight_m2 : 0;
  areas.all_m2 += weight_m2;
  for (std::size_t t = 0; t < kLanes; ++t) areas.reached_m2[t] += reached[t];
  const double x = position_m.x(), y = position_m.y();
  if (limits.innermost.contains(x, y)) {
    for (std::size_t t = 0; t < kLanes; ++t) areas.inset_m2[t] += weight_m2;
    for (std::size_t t = 0; t < kLanes; ++t) areas.inset_reached_m2[t] += reached[t];
    return;
  }
  for (std::size_t t = 0; t < kLanes; ++t) {
    if (!limits.inset[t].contains(x, y)) continue;
    areas.inset_m2[t] += weight_m2;
    areas.inset_reached_m2[t] += reached[t];
  }
}

LaneAreas areas_at(const Completeness& completeness, const LaneLimits& limits) {
  const std::size_t count = completeness.distance_m.size();
  const SurfaceSamples& samples = *completeness.samples;
  std::vector<LaneAreas> chunks((count + kSumGrain - 1) / kSumGrain);
  parallel_for(count, kSumGrain, [&](std::size_t begin, std::size_t end) {
    LaneAreas areas;
    const bool has_place = !samples.positions_m.empty();  // not where nothing is inset
    for (std::size_t i = begin; i < end; ++i)
      add_sample(has_place ? samples.positions_m[i] : Vec3::Zero(), samples.weight_m2(i),
                 completeness.distance_m[i], limits, areas);
    chunks[begin / kSumGrain] = areas;
  });
  LaneAreas total;  // chunk by chunk, so that the thread count does not change the rounding
  for (const LaneAreas& areas : chunks) total.add(areas);
  return total;
}

}  // namespace

std::vector<CompletenessShare> completeness_shares(const Completeness& completeness,
                                                   std::span<const double> tolerances_m, const Patch* patch) {
  std::vector<CompletenessShare> shares;
  while (!tolerances_m.empty()) {
    const auto some = tolerances_m.first(std::min(kLanes, tolerances_m.size()));
    const LaneAreas areas = areas_at(completeness, LaneLimits(some, patch));
    for (std::size_t t = 0; t < some.size(); ++t)
      shares.push_back({area_share_pct(areas.reached_m2[t], areas.all_m2),
                        area_share_pct(areas.inset_reached_m2[t], areas.inset_m2[t])});
    tolerances_m = tolerances_m.subspan(some.size());
  }
  return shares;
}

std::vector<double> sampling_se_pct(const Completeness& completeness, std::span<const double> tolerances_m) {
  const std::vector<double>& distance_m = completeness.distance_m;
  const SurfaceSamples& samples = *completeness.samples;
  std::vector<double> errors_pct(tolerances_m.size());
  if (samples.of_points > 0 && !completeness.is_thinned) return errors_pct;
  double area_m2 = 0;
  for (std::size_t i = 0; i < distance_m.size(); ++i) area_m2 += samples.weight_m2(i);
  for (std::size_t t = 0; t < tolerances_m.size(); ++t) {
    double sum = 0;
    for (std::size_t i = 1; i < distance_m.size(); ++i) {
      if ((distance_m[i] <= tolerances_m[t]) == (distance_m[i - 1] <= tolerances_m[t])) continue;
      const double weight_m2 = 0.5 * (samples.weight_m2(i) + samples.weight_m2(i - 1));
      sum += weight_m2 * weight_m2;
    }
    errors_pct[t] = 100 * std::sqrt(sum / 2) / area_m2;
  }
  return errors_pct;
}

}  // namespace aqbench
