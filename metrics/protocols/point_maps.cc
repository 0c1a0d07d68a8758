#include "metrics/protocols/point_maps.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"
#include "core/quantiles.h"
#include "metrics/alignment/similarity_fit.h"
#include "metrics/neighbours/nearest_neighbour.h"
#include "metrics/numbers/exact_sum.h"
#include "metrics/numbers/order_statistics.h"
#include "metrics/protocols/point_pairs.h"
#include "metrics/protocols/registration.h"

namespace aqbench {
namespace {

void check_sizes(const PointMaps& maps) {
  const std::size_t pixels = maps.views * maps.height * maps.width;
  if (maps.predicted_m.size() != 3 * pixels || maps.truth_m.size() != 3 * pixels ||
      maps.predicted_z_m.size() != maps.true_z_m.size() ||
      maps.predicted_rays.size() != maps.true_rays.size() ||
      (!maps.predicted_z_m.empty() && maps.predicted_z_m.size() != pixels) ||
      (!maps.predicted_rays.empty() && maps.predicted_rays.size() != 3 * pixels) ||
      maps.predicted_poses.size() != maps.true_poses.size() ||
      (!maps.confidence.empty() && maps.confidence.size() != pixels))
    throw Error(ErrorKind::method, "point maps: sizes differ");
}

// ---- Alignment ----

template <class ValueOf>
double lower_median_of(const std::vector<Vec3>& points, const ValueOf& value_of) {
  std::vector<double> values;
  values.reserve(points.size());
  for (const Vec3& point : points) values.push_back(value_of(point));
  return lower_median_in_place(values);
}

// The median of z, and the median distance from the point of median coordinates, once z is without its own.
struct MedianSize {
  double z = 0, size = 0;
};

MedianSize median_size(const std::vector<Vec3>& points) {
  const Vec3 centre(lower_median_of(points, [](const Vec3& p) { return p.x(); }),
                    lower_median_of(points, [](const Vec3& p) { return p.y(); }),
                    lower_median_of(points, [](const Vec3& p) { return p.z(); }));
  return {centre.z(), lower_median_of(points, [&](const Vec3& p) { return (p - centre).norm(); })};
}

// How predictions were moved, and why their rotation says nothing; empty: it does.
struct MapFit {
  double scale = kUndefined;
  std::string undefined;  // why nothing is defined
  std::string chance;     // why normals are not
};

// Spann3R, CUT3R and TTT3R bound the scale of the prediction, and take medians before they crop.
MapFit align_by_medians(const PointPairs& uncropped, PointPairs& pairs, bool anyway) {
  const MedianSize truth = median_size(uncropped.truth_m), predicted = median_size(uncropped.predicted_m);
  if (!(truth.size > 0) && !anyway) return {kUndefined, "the true points lie at one place", {}};
  const double scale = truth.size / std::clamp(predicted.size, 1e-3, 1e3);
  for (Vec3& point : pairs.predicted_m) {
    point.z() -= predicted.z;
    point *= scale;
    point.z() += truth.z;
  }
  return {scale, {}, {}};
}

// Umeyama's similarity, of pixels on one line some rotation about it.
MapFit align_anyway(PointPairs& pairs) {
  const Similarity fit = fit_anyway(pairs.predicted_m, pairs.truth_m, FitScale::estimated);
  if (!std::isfinite(fit.scale)) return {kUndefined, "the predicted points lie at one place", {}};
  for (Vec3& point : pairs.predicted_m) point = fit.linear * point + fit.translation_m;
  return {fit.scale, {}, {}};
}

MapFit align_maps(const PointMaps& maps, const PointMapKnobs& knobs, PointPairs& pairs) {
  if (pairs.truth_m.empty()) return {kUndefined, kNoPoint, {}};
  if (knobs.align == PointMapAlignment::none) return {1, {}, {}};
  if (knobs.align == PointMapAlignment::scale_shift)
    return align_by_medians(select_point_pairs(maps, knobs, 0), pairs, knobs.fit_anyway);
  if (knobs.fit_anyway) return align_anyway(pairs);
  const auto fit = fit_positions(pairs.predicted_m, pairs.truth_m, FitScale::estimated);
  if (!fit) return {kUndefined, "the pixels do not determine a similarity", {}};
  for (Vec3& point : pairs.predicted_m) point = fit->to_from.linear * point + fit->to_from.translation_m;
  return {fit->to_from.scale, {}, fit->chance};
}

// ---- Distances and normals ----

// The normal of the plane through the nearest points of each point; of fewer than 3 the z axis, as Open3D.
std::vector<Vec3> normals_of(const std::vector<Vec3>& points_m, const NearestNeighbourIndex& index,
                             int neighbours) {
  std::vector<Vec3> normals(points_m.size(), Vec3::UnitZ());
  if (points_m.size() < 3) return normals;
  parallel_for(points_m.size(), 1 << 10, [&](std::size_t begin, std::size_t end) {
    std::vector<NearestNeighbourIndex::Neighbour> near;
    for (std::size_t i = begin; i < end; ++i) {
      index.k_nearest(points_m[i], static_cast<std::size_t>(neighbours), near);
      Vec3 mean = Vec3::Zero();
      for (const auto& neighbour : near) mean += points_m[neighbour.index] / static_cast<double>(near.size());
      Eigen::Matrix3d moments = Eigen::Matrix3d::Zero();
      for (const auto& neighbour : near) {
        const Vec3 offset = points_m[neighbour.index] - mean;
        moments += offset * offset.transpose();
      }
      normals[i] = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(moments).eigenvectors().col(0);
    }
  });
  return normals;
}

struct OneWay {
  std::vector<double> distances_m, cosines;
};

OneWay compare_points(const std::vector<Vec3>& from_m, const std::vector<Vec3>& from_normals,
                      const std::vector<Vec3>& to_m, const std::vector<Vec3>& to_normals,
                      const NearestNeighbourIndex& to_index) {
  OneWay way{std::vector<double>(from_m.size()), std::vector<double>(from_m.size())};
  parallel_for(from_m.size(), 1 << 12, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> nearest(end - begin);
    to_index.nearest(std::span(from_m).subspan(begin, end - begin), nearest);
    for (std::size_t i = begin; i < end; ++i) {
      way.distances_m[i] = (from_m[i] - to_m[nearest[i - begin]]).norm();
      way.cosines[i] = std::abs(from_normals[i].dot(to_normals[nearest[i - begin]]));
    }
  });
  return way;
}

double mean_of_all(const std::vector<double>& values) {
  return exact_sum(values.size(), [&](std::size_t i) { return values[i]; }) /
         static_cast<double>(values.size());
}

// ICP on its own moves the prediction; without a partner it leaves it.
std::optional<PointFit> move_by_icp(PointPairs& pairs, const PointMapKnobs& knobs) {
  if (!(knobs.icp_m > 0)) return std::nullopt;
  try {
    const PointIcp icp = align_points(pairs.predicted_m, pairs.truth_m,
                                      {.within_m = knobs.icp_m,
                                       .most_scaling = std::numeric_limits<double>::infinity(),
                                       .scale = FitScale::one,
                                       .fit_anyway = knobs.fit_anyway},
                                      "ICP");
    for (Vec3& point : pairs.predicted_m) point = icp.to_from.linear * point + icp.to_from.translation_m;
    return icp.after;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    return PointFit{kUndefined, kUndefined};
  }
}

void add_both(ProtocolResult& result, const std::string& name, const char* unit, double mean, double median,
              const std::string& reason) {
  add_value(result, name + "_mean", unit, mean, reason);
  add_value(result, name + "_median", unit, median, reason);
}

void add_distances(ProtocolResult& result, const PointPairs& pairs, const MapFit& fit,
                   const PointMapKnobs& knobs) {
  double numbers[4][2] = {
      {kUndefined, kUndefined}, {kUndefined, kUndefined}, {kUndefined, kUndefined}, {kUndefined, kUndefined}};
  if (fit.undefined.empty()) {
    const NearestNeighbourIndex predicted(pairs.predicted_m, true), truth(pairs.truth_m, true);
    const std::vector<Vec3> predicted_normals = normals_of(pairs.predicted_m, predicted, knobs.nc_neighbours),
                            true_normals = normals_of(pairs.truth_m, truth, knobs.nc_neighbours);
    OneWay ways[2] = {
        compare_points(pairs.predicted_m, predicted_normals, pairs.truth_m, true_normals, truth),
        compare_points(pairs.truth_m, true_normals, pairs.predicted_m, predicted_normals, predicted)};
    for (const int way : {0, 1}) {
      for (const int of_normals : {0, 1}) {
        std::vector<double>& values = of_normals == 1 ? ways[way].cosines : ways[way].distances_m;
        numbers[2 * of_normals + way][0] = mean_of_all(values);
        numbers[2 * of_normals + way][1] = median_in_place(values);
      }
    }
  }
  const std::string of_normals = fit.undefined.empty() ? fit.chance : fit.undefined;
  if (!of_normals.empty())
    for (const int way : {2, 3}) numbers[way][0] = numbers[way][1] = kUndefined;
  add_both(result, "accuracy", "m", numbers[0][0], numbers[0][1], fit.undefined);
  add_both(result, "completeness", "m", numbers[1][0], numbers[1][1], fit.undefined);
  add_both(result, "normals_accuracy", "1", numbers[2][0], numbers[2][1], of_normals);
  add_both(result, "normals_completeness", "1", numbers[3][0], numbers[3][1], of_normals);
  add_both(result, "normals_consistency", "1", (numbers[2][0] + numbers[3][0]) / 2,
           (numbers[2][1] + numbers[3][1]) / 2, of_normals);
}

std::vector<Knob<PointMapKnobs>> make_point_map_knobs() {
  return {choice_knob("align", &PointMapKnobs::align, {"none", "pixel", "scale_shift", "norm"},
                      {"none", "pixel", "scale_shift", "norm"}),
          number_knob("icp_m", &PointMapKnobs::icp_m, {"0", "0.1", "100"}),
          whole_knob("nc_neighbours", &PointMapKnobs::nc_neighbours, 3, 1000),
          whole_knob("crop_px", &PointMapKnobs::crop_px, 0, 1e6, {"0", "224"}),
          number_knob("min_confidence", &PointMapKnobs::min_confidence),
          choice_knob("undetermined", &PointMapKnobs::fit_anyway, {"undefined", "as_published"}),
          choice_knob("bad", &PointMapKnobs::zero_error, {"drop", "zero_error"})};
}

}  // namespace

std::span<const Knob<PointMapKnobs>> point_map_knobs() {
  static const std::vector<Knob<PointMapKnobs>> knobs = make_point_map_knobs();
  return knobs;
}

std::span<const PointMapProtocol> point_map_protocols() {
  static const std::vector<PointMapProtocol> protocols = {
      {"point-maps",
       "a similarity of all pixels, then ICP at 0.1 m",
       "github.com/yyfz/Pi3 mv_recon/eval.py",
       {}},
      {"point-maps-scale-shift",
       "scale and shift by medians, the middle 224 x 224 pixels, then ICP at 0.1 m",
       "github.com/CUT3R/CUT3R eval/mv_recon; Spann3R and TTT3R have the same",
       {.align = PointMapAlignment::scale_shift, .crop_px = 224}},
      {"point-maps-normed",
       "each side by its mean distance, errors pixel by pixel",
       "github.com/facebookresearch/map-anything benchmarking/dense_n_view",
       {.align = PointMapAlignment::norm, .icp_m = 0, .zero_error = true}}};
  return protocols;
}

ProtocolResult point_map_errors(const PointMaps& maps, const PointMapKnobs& knobs) {
  check_sizes(maps);
  const bool by_norm = knobs.align == PointMapAlignment::norm;
  if (knobs.zero_error && !by_norm) throw usage_error("knob bad: zero_error needs align=norm");
  PointPairs pairs = select_point_pairs(maps, knobs, knobs.crop_px);
  ProtocolResult result;
  if (by_norm) {
    add_normed(result, maps, knobs, pairs);
  } else {
    const MapFit fit = align_maps(maps, knobs, pairs);
    std::optional<PointFit> icp;
    if (fit.undefined.empty()) icp = move_by_icp(pairs, knobs);
    add_distances(result, pairs, fit, knobs);
    add_value(result, "scale", "1", fit.scale, fit.undefined);
    if (icp) {
      add_value(result, "icp_fitness", "1", icp->fitness,
                "no point lies within icp_m, or ICP is not determined");
      add_value(result, "icp_rmse", "m", icp->inlier_rmse_m,
                "no point lies within icp_m, or ICP is not determined");
    }
  }
  add_value(result, "coverage", "1",
            static_cast<double>(pairs.truth_m.size()) / static_cast<double>(pairs.true_pixels),
            "no true point is finite");
  add_value(result, "pixels", "px", static_cast<double>(pairs.truth_m.size()));
  return result;
}

}  // namespace aqbench
