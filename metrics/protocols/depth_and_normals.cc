#include "metrics/protocols/depth_and_normals.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/error.h"
#include "core/quantiles.h"
#include "metrics/neighbours/measurable.h"
#include "metrics/neighbours/nearest_neighbour.h"
#include "metrics/numbers/exact_sum.h"
#include "scenes/triangles/joined_faces.h"

namespace aqbench {
namespace {

// The pixels that count.
struct DepthPairs {
  std::vector<double> predicted_m, truth_m, confidence;  // confidence: where it was given
  std::size_t true_pixels = 0;                           // with or without a prediction
  double scale = 1;
};

DepthPairs select_depths(std::span<const float> predicted_m, std::span<const float> truth_m,
                         std::span<const float> confidence, const DepthKnobs& knobs) {
  check(knobs);
  if (predicted_m.size() != truth_m.size() || (!confidence.empty() && confidence.size() != truth_m.size()))
    throw Error(ErrorKind::method, "depth maps: sizes differ");
  DepthPairs pairs;
  for (std::size_t i = 0; i < truth_m.size(); ++i) {
    const double truth = truth_m[i], predicted = predicted_m[i];
    if (!has_depth(truth) || !(truth > knobs.min_m) || !(truth < knobs.max_m)) continue;
    ++pairs.true_pixels;
    if (!has_depth(predicted) || (!confidence.empty() && !std::isfinite(confidence[i]))) continue;
    pairs.truth_m.push_back(truth);
    pairs.predicted_m.push_back(predicted);
    if (!confidence.empty()) pairs.confidence.push_back(confidence[i]);
  }
  if (pairs.truth_m.empty()) return pairs;
  if (knobs.median_scaling) pairs.scale = median_of(pairs.truth_m) / median_of(pairs.predicted_m);
  for (double& predicted : pairs.predicted_m) {
    predicted *= pairs.scale;
    if (knobs.clip_prediction) predicted = std::clamp(predicted, knobs.min_m, knobs.max_m);
  }
  return pairs;
}

double ratio_of(const DepthPairs& pairs, std::size_t i) {
  return std::max(pairs.truth_m[i] / pairs.predicted_m[i], pairs.predicted_m[i] / pairs.truth_m[i]);
}

// Share of pixels whose ratio is below.
double delta_share(const DepthPairs& pairs, double below) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < pairs.truth_m.size(); ++i) count += ratio_of(pairs, i) < below ? 1U : 0U;
  return static_cast<double>(count) / static_cast<double>(pairs.truth_m.size());
}

constexpr const char* kNoPixel = "no pixel has both depths";

// ---- Sparsification ----

// A pixel by what it is ranked by, and its error; for rmse the error's square.
struct RankedError {
  double rank, error;
};

// The area below the mean error (its root for `root`) of what is left after each step, 0 after the last.
double sparsification_area(std::vector<RankedError> pixels, int intervals, bool root) {
  std::ranges::sort(pixels, [](const RankedError& a, const RankedError& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.error < b.error;
  });
  std::vector<double> ranks;
  for (const RankedError& pixel : pixels) ranks.push_back(pixel.rank);
  std::vector<long double> sum_from(pixels.size() + 1, 0);  // of the errors of this and later pixels
  for (std::size_t i = pixels.size(); i-- > 0;) sum_from[i] = sum_from[i + 1] + pixels[i].error;
  std::vector<double> curve;
  for (int step = 0; step < intervals; ++step) {
    const double limit = quantile_of_sorted(ranks, static_cast<double>(step) / intervals);
    const auto first = static_cast<std::size_t>(std::ranges::lower_bound(ranks, limit) - ranks.begin());
    const long double mean = sum_from[first] / static_cast<long double>(pixels.size() - first);
    curve.push_back(static_cast<double>(root ? std::sqrt(mean) : mean));
  }
  curve.push_back(0);
  double area = 0;
  for (std::size_t i = 0; i + 1 < curve.size(); ++i) area += (curve[i] + curve[i + 1]) / (2.0 * intervals);
  return area;
}

// One kind of error of all pixels.
struct ErrorKindOfDepth {
  const char* name;
  double (*ranked)(const DepthPairs&, std::size_t);  // what the best order sorts by
  double (*summed)(const DepthPairs&, std::size_t);
  bool root;
};

double relative_error(const DepthPairs& pairs, std::size_t i) {
  return std::abs(pairs.truth_m[i] - pairs.predicted_m[i]) / pairs.truth_m[i];
}

double squared_error(const DepthPairs& pairs, std::size_t i) {
  const double error = pairs.truth_m[i] - pairs.predicted_m[i];
  return error * error;
}

double is_outlier(const DepthPairs& pairs, std::size_t i) { return ratio_of(pairs, i) >= 1.25 ? 1 : 0; }

constexpr ErrorKindOfDepth kErrorKinds[] = {{"abs_rel", relative_error, relative_error, false},
                                            {"rmse", squared_error, squared_error, true},
                                            {"a1", ratio_of, is_outlier, false}};

double whole_error(const DepthPairs& pairs, const ErrorKindOfDepth& kind) {
  const double sum = exact_sum(pairs.truth_m.size(), [&](std::size_t i) { return kind.summed(pairs, i); });
  const double mean = sum / static_cast<double>(pairs.truth_m.size());
  return kind.root ? std::sqrt(mean) : mean;
}

// The points that have a normal, these of unit length; in the order of their coordinates, and of the normals
// at one place, so that the order of the cloud does not decide which of equally near points counts.
PointCloud with_unit_normals(const PointCloud& cloud) {
  std::vector<std::array<double, 6>> rows;
  for (std::size_t i = 0; i < cloud.normals.size(); ++i) {
    const double length = cloud.normals[i].norm();
    if (!is_measurable(cloud.points_m[i]) || !std::isfinite(length) || !(length > 0)) continue;
    const Vec3 &point = cloud.points_m[i], normal = cloud.normals[i] / length;
    rows.push_back({point.x(), point.y(), point.z(), normal.x(), normal.y(), normal.z()});
  }
  std::ranges::sort(rows);
  PointCloud kept;
  for (const auto& [x, y, z, nx, ny, nz] : rows) {
    kept.points_m.emplace_back(x, y, z);
    kept.normals.emplace_back(nx, ny, nz);
  }
  return kept;
}

// Keeps the first of the points at each place, those at one place following each other.
PointCloud once_each(const PointCloud& sorted) {
  PointCloud kept;
  for (std::size_t i = 0; i < sorted.points_m.size(); ++i) {
    if (i > 0 && sorted.points_m[i] == sorted.points_m[i - 1]) continue;
    kept.points_m.push_back(sorted.points_m[i]);
    kept.normals.push_back(sorted.normals[i]);
  }
  return kept;
}

double mean_cosine(const PointCloud& from, const PointCloud& all) {
  const PointCloud to = once_each(all);
  const NearestNeighbourIndex index(to.points_m, true);
  std::vector<std::uint32_t> nearest(from.points_m.size());
  index.nearest(from.points_m, nearest);
  const double sum = exact_sum(from.normals.size(), [&](std::size_t i) {
    return std::abs(from.normals[i].dot(to.normals[nearest[i]]));
  });
  return sum / static_cast<double>(from.normals.size());
}

}  // namespace

void check(const DepthKnobs& knobs) {
  if (!(knobs.min_m >= 0)) throw Error(ErrorKind::usage, "knob min_m: must be at least 0");
  if (!(knobs.max_m > knobs.min_m)) throw Error(ErrorKind::usage, "knob max_m: must be above min_m");
}

ProtocolResult depth_errors(std::span<const float> predicted_m, std::span<const float> truth_m,
                            const DepthKnobs& knobs) {
  const DepthPairs pairs = select_depths(predicted_m, truth_m, {}, knobs);
  const std::size_t count = pairs.truth_m.size();
  const auto sums = exact_sums<5>(count, [&](std::size_t i) {
    const double truth = pairs.truth_m[i], error = std::abs(truth - pairs.predicted_m[i]);
    const double logarithm = std::log(truth) - std::log(pairs.predicted_m[i]);
    return std::array<double, 5>{error / truth, error * error / truth, error, error * error,
                                 logarithm * logarithm};
  });
  const auto mean = [&](std::size_t k) {
    return sums[k] / static_cast<double>(count);
  };  // NaN without pixels
  ProtocolResult result;
  add_value(result, "abs_rel", "1", mean(0), kNoPixel);
  add_value(result, "sq_rel", "m", mean(1), kNoPixel);
  add_value(result, "mae", "m", mean(2), kNoPixel);
  add_value(result, "rmse", "m", std::sqrt(mean(3)), kNoPixel);
  add_value(result, "rmse_log", "1", std::sqrt(mean(4)), kNoPixel);
  add_value(result, "delta_1.03", "1", delta_share(pairs, 1.03), kNoPixel);
  add_value(result, "delta_1.25", "1", delta_share(pairs, 1.25), kNoPixel);
  add_value(result, "delta_1.25^2", "1", delta_share(pairs, 1.25 * 1.25), kNoPixel);
  add_value(result, "delta_1.25^3", "1", delta_share(pairs, 1.25 * 1.25 * 1.25), kNoPixel);
  add_value(result, "scale", "1", count == 0 ? std::numeric_limits<double>::quiet_NaN() : pairs.scale,
            kNoPixel);
  add_value(result, "coverage", "1", static_cast<double>(count) / static_cast<double>(pairs.true_pixels),
            "no true depth lies between min_m and max_m");
  add_value(result, "pixels", "px", static_cast<double>(count));
  return result;
}

ProtocolResult sparsification_errors(std::span<const float> predicted_m, std::span<const float> truth_m,
                                     std::span<const float> confidence, const DepthKnobs& knobs,
                                     int intervals) {
  if (intervals < 1) throw Error(ErrorKind::usage, "knob intervals: must be at least 1");
  if (confidence.empty() && !truth_m.empty())
    throw Error(ErrorKind::method, "depth maps: there is no confidence");
  const DepthPairs pairs = select_depths(predicted_m, truth_m, confidence, knobs);
  ProtocolResult result;
  for (const ErrorKindOfDepth& kind : kErrorKinds) {
    double ause = std::numeric_limits<double>::quiet_NaN(), aurg = ause;
    if (!pairs.truth_m.empty()) {
      std::vector<RankedError> by_confidence, best;
      for (std::size_t i = 0; i < pairs.truth_m.size(); ++i) {
        const double error = kind.summed(pairs, i);
        by_confidence.push_back({pairs.confidence[i], error});
        best.push_back({-kind.ranked(pairs, i), error});
      }
      const double area = sparsification_area(std::move(by_confidence), intervals, kind.root);
      ause = area - sparsification_area(std::move(best), intervals, kind.root);
      aurg = whole_error(pairs, kind) - area;
    }
    const char* unit = kind.root ? "m" : "1";
    add_value(result, std::string("ause_") + kind.name, unit, ause, kNoPixel);
    add_value(result, std::string("aurg_") + kind.name, unit, aurg, kNoPixel);
  }
  return result;
}

ProtocolResult normal_agreement(const PointCloud& cloud, const PointCloud& truth) {
  const PointCloud ours = with_unit_normals(cloud), theirs = with_unit_normals(truth);
  const bool both = !ours.points_m.empty() && !theirs.points_m.empty();
  const double accuracy = both ? mean_cosine(ours, theirs) : std::nan("");
  const double completeness = both ? mean_cosine(theirs, ours) : std::nan("");
  const char* const reason = ours.points_m.empty() ? "the cloud has no normals" : "the truth has no normals";
  ProtocolResult result;
  add_value(result, "normals_accuracy", "1", accuracy, reason);
  add_value(result, "normals_completeness", "1", completeness, reason);
  add_value(result, "normals_consistency", "1", (accuracy + completeness) / 2, reason);
  return result;
}

PointCloud vertices_with_normals(const TriangleMesh& mesh) {
  std::vector<Vec3> normals(mesh.vertices_m.size(), Vec3::Zero());
  const JoinedFaces joined = join_faces(mesh.vertices_m, mesh.triangles);
  const std::vector<FaceStand> stands = find_stands(mesh.vertices_m, joined.triangles);
  for (std::size_t i = 0; i < stands.size(); ++i) {
    if (stands[i].is_wall) continue;
    const auto& [a, b, c] = joined.triangles[i];
    const Vec3& corner = mesh.vertices_m[a];
    const Vec3 doubled = (mesh.vertices_m[b] - corner).cross(mesh.vertices_m[c] - corner);
    for (const std::uint32_t vertex : {a, b, c}) normals[vertex] += stands[i].is_turned ? -doubled : doubled;
  }
  PointCloud cloud;
  for (std::size_t i = 0; i < normals.size(); ++i) {
    const double length = normals[i].norm();
    if (!(length > 0) || !std::isfinite(length)) continue;
    cloud.points_m.push_back(mesh.vertices_m[i]);
    cloud.normals.push_back(normals[i] / length);
  }
  return cloud;
}

}  // namespace aqbench
