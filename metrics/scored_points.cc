#include "metrics/scored_points.h"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/error.h"
#include "core/parallel.h"
#include "core/text.h"
#include "metrics/neighbours/spatial_tree.h"
#include "metrics/numbers/exact_sum.h"
#include "metrics/numbers/order_statistics.h"
#include "scenes/cloud/measurable.h"
#include "scenes/surfaces/mesh_surface.h"

namespace aqbench {
namespace {

constexpr std::size_t kScoreGrain = 1 << 14;  // points a chunk
constexpr std::size_t kScoreBatch = 1 << 10;  // points a call of the surface: they stay in the cache

// Writes the indices of the points to be measured, `first` being that of the first point, and counts the
// others. Without a patch they may lie everywhere.
ScoredCounts list_chunk(std::span<const Vec3> points_m, const Patch* patch, const Crop& crop,
                        std::size_t first, std::uint32_t* index) {
  ScoredCounts counts;
  for (std::size_t i = 0; i < points_m.size(); ++i) {
    const Vec3& point = points_m[i];
    if (!is_measurable(point)) {
      ++counts.non_finite;
    } else if (patch != nullptr && !patch->contains(point.x(), point.y())) {
      ++counts.outside_patch;
    } else if (!crop.contains(point)) {
      ++counts.outside_crop;
    } else {
      index[counts.scored++] = static_cast<std::uint32_t>(first + i);
    }
  }
  return counts;
}

// Indices of the points to be measured; fills the counts.
void list_scored(std::span<const Vec3> points_m, const Patch* patch, const Crop& crop, ScoredPoints& scored) {
  std::vector<ScoredCounts> counts((points_m.size() + kScoreGrain - 1) / kScoreGrain);
  scored.index.resize(points_m.size());
  parallel_for(points_m.size(), kScoreGrain, [&](std::size_t begin, std::size_t end) {
    counts[begin / kScoreGrain] =
        list_chunk(points_m.subspan(begin, end - begin), patch, crop, begin, scored.index.data() + begin);
  });
  for (std::size_t chunk = 0; chunk < counts.size(); ++chunk) {
    if (const std::size_t begin = chunk * kScoreGrain; begin != scored.counts.scored)
      std::copy_n(scored.index.data() + begin, counts[chunk].scored,
                  scored.index.data() + scored.counts.scored);
    scored.counts.add(counts[chunk]);
  }
  scored.index.resize(scored.counts.scored);
}

// Calls body(first, batch of scored points) for all of them.
template <class Body>
void for_each_batch(std::span<const Vec3> points_m, std::span<const std::uint32_t> index, const Body& body) {
  parallel_for(index.size(), kScoreGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<Vec3> batch;
    for (std::size_t first = begin; first < end; first += kScoreBatch) {
      batch.clear();
      for (std::size_t i = first; i < std::min(end, first + kScoreBatch); ++i)
        batch.push_back(points_m[index[i]]);
      body(first, std::span<const Vec3>(batch));
    }
  });
}

// Meshes and scans are searched fastest for points near each other: measures them in that order, many at a
// time.
void measure_in_spatial_order(std::span<const Vec3> points_m, const BorderedSurface& truth,
                              ScoredPoints& scored, std::span<std::uint8_t> beyond_border) {
  constexpr std::size_t kPointsARun = 64, kMaxGrain = 1 << 21;
  const std::size_t share = scored.index.size() / static_cast<std::size_t>(thread_count()) + 1;
  // The larger a part is the nearer are its points. All threads get equally many parts.
  const std::size_t grain = std::max(kScoreGrain, share / (share / kMaxGrain + 1) + 1);
  parallel_for(scored.index.size(), grain, [&](std::size_t begin, std::size_t end) {
    std::vector<Vec3> part_m;
    for (std::size_t i = begin; i < end; ++i) part_m.push_back(points_m[scored.index[i]]);
    const std::vector<std::uint32_t> order = make_spatial_tree(part_m, kPointsARun).order;
    std::vector<Vec3> batch_m;
    std::vector<ClosestPoint> closest(kScoreBatch);
    std::vector<std::uint8_t> beyond(kScoreBatch);
    for (std::size_t first = 0; first < order.size(); first += kScoreBatch) {
      const auto places = std::span(order).subspan(first, std::min(kScoreBatch, order.size() - first));
      batch_m.clear();
      for (const std::uint32_t place : places) batch_m.push_back(part_m[place]);
      truth.closest_points_and_borders(batch_m, std::span(closest).first(places.size()),
                                       std::span(beyond).first(places.size()));
      for (std::size_t i = 0; i < places.size(); ++i) {
        scored.signed_error_m[begin + places[i]] = closest[i].signed_distance_m;
        beyond_border[begin + places[i]] = beyond[i];
      }
    }
  });
}

void refuse_without_distance(std::span<const Vec3> points_m, const ScoredPoints& scored) {
  const auto lost =
      std::ranges::find_if_not(scored.signed_error_m, [](double error) { return std::isfinite(error); });
  if (lost == scored.signed_error_m.end()) return;
  const Vec3& point = points_m[scored.index[static_cast<std::size_t>(lost - scored.signed_error_m.begin())]];
  throw method_error("cloud: no distance to the true surface for the point ({}, {}, {})", point.x(),
                     point.y(), point.z());
}

// Keeps of the measured points those that are scored, in order.
void leave_out(ScoredPoints& scored, std::span<const std::uint8_t> beyond_border, const ScoredPart& part) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < scored.index.size(); ++i) {
    if (part.leave_out_beyond_border && !beyond_border.empty() && beyond_border[i] != 0) continue;
    if (part.max_distance_m && std::abs(scored.signed_error_m[i]) > within_m(*part.max_distance_m)) {
      ++scored.counts.beyond_max_distance;
      continue;
    }
    scored.index[kept] = scored.index[i];
    scored.signed_error_m[kept++] = scored.signed_error_m[i];
  }
  scored.index.resize(kept);
  scored.signed_error_m.resize(kept);
}

template <class IsCounted>
double share_pct(std::span<const double> values, const IsCounted& is_counted) {
  std::atomic<std::ptrdiff_t> counted = 0;
  parallel_for(values.size(), kScoreGrain, [&](std::size_t begin, std::size_t end) {
    counted += std::ranges::count_if(values.subspan(begin, end - begin), is_counted);
  });
  return 100.0 * static_cast<double>(counted) / static_cast<double>(values.size());
}

}  // namespace

std::string why_nothing_is_scored(const ScoredCounts& counts) {
  const std::size_t all = counts.left_out() + counts.outside_patch;
  if (counts.scored > 0 || all == 0) return {};
  return fmt::format(
      "none of its {} is scored: {} outside the scene's patch, {} outside the crop, "
      "{} beyond a border of the truth, {} beyond the largest distance",
      counted(all, "point"), counts.outside_patch, counts.outside_crop,
      counts.scored_beyond_border ? 0 : counts.beyond_border, counts.beyond_max_distance);
}

ScoredPoints score_points(std::span<const Vec3> points_m, const Surface& truth, const ScoredPart& part) {
  if (points_m.size() > std::numeric_limits<std::uint32_t>::max())
    throw method_error("cloud: more than 4294967295 points: {}", points_m.size());
  ScoredPoints scored;
  list_scored(points_m, truth.patch(), part.crop, scored);
  scored.signed_error_m.resize(scored.index.size());
  const auto* const bordered = dynamic_cast<const BorderedSurface*>(&truth);
  std::vector<std::uint8_t> beyond(bordered != nullptr ? scored.index.size() : 0);
  if (bordered != nullptr) {
    measure_in_spatial_order(points_m, *bordered, scored, beyond);
  } else {
    for_each_batch(points_m, scored.index, [&](std::size_t first, std::span<const Vec3> batch) {
      truth.signed_distances(batch, std::span(scored.signed_error_m).subspan(first, batch.size()));
    });
  }
  refuse_without_distance(points_m, scored);
  scored.counts.beyond_border = static_cast<std::size_t>(std::ranges::count(beyond, 1));
  scored.counts.scored_beyond_border = !part.leave_out_beyond_border;
  if (part.max_distance_m || part.leave_out_beyond_border) leave_out(scored, beyond, part);
  scored.counts.scored = scored.index.size();
  return scored;
}

ErrorSummary summarize_errors(std::span<const double> signed_error_m) {
  const double count = static_cast<double>(signed_error_m.size());
  const std::array<double, 3> sums = exact_sums<3>(signed_error_m.size(), [&](std::size_t i) {
    const double error = signed_error_m[i];
    return std::array<double, 3>{error, std::abs(error), error * error};
  });
  ErrorSummary summary{};
  summary.bias_mean_m = sums[0] / count;
  summary.mean_m = sums[1] / count;
  summary.rmse_m = std::sqrt(sums[2] / count);

  summary.max_m =
      std::abs(std::ranges::max(signed_error_m, {}, [](double error) { return std::abs(error); }));
  summary.bias_median_m = percentiles(signed_error_m, {0.5})[0];
  summary.nmad_m = kNmadScale * deviation_percentiles(signed_error_m, summary.bias_median_m, {0.5})[0];
  const std::vector<double> of_size = deviation_percentiles(signed_error_m, 0, {0.5, 0.90, 0.95});
  summary.median_m = of_size[0];
  summary.p90_m = of_size[1];
  summary.p95_m = of_size[2];
  return summary;
}

double share_within_pct(std::span<const double> values, double limit) {
  const double most = within_m(limit);
  return share_pct(values, [&](double value) { return std::abs(value) <= most; });
}

double share_beyond_pct(std::span<const double> values, double limit) {
  const double most = within_m(limit);
  return share_pct(values, [&](double value) { return std::abs(value) > most; });
}

bool has_direction(const Vec3& normal) { return is_measurable(normal) && normal.squaredNorm() > 0; }

std::vector<double> normal_errors_deg(std::span<const Vec3> points_m, std::span<const Vec3> normals,
                                      const ScoredPoints& scored, const Surface& truth) {
  std::vector<double> errors_deg(scored.index.size());
  for_each_batch(points_m, scored.index, [&](std::size_t first, std::span<const Vec3> batch) {
    std::vector<ClosestPoint> closest(batch.size());
    truth.closest_points(batch, closest);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const Vec3& normal = normals[scored.index[first + i]];
      // atan2 keeps its precision at small angles, where acos loses half the digits.
      const double radians =
          std::atan2(normal.cross(closest[i].normal).norm(), normal.dot(closest[i].normal));
      errors_deg[first + i] = has_direction(normal) ? radians * 180.0 / std::numbers::pi : 180.0;
    }
  });
  return errors_deg;
}

}  // namespace aqbench
