#include "metrics/protocols/depth_pairs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "metrics/numbers/order_statistics.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {
namespace {

// Garg et al., "Unsupervised CNN for single view depth estimation", ECCV 2016, as evaluate_depth.py of
// Monodepth2 cuts: first row and column, and those behind the last.
struct PixelBox {
  std::size_t top = 0, bottom, left = 0, right;
};

PixelBox box_of(const DepthMapPair& map, const DepthKnobs& knobs) {
  if (!knobs.garg_crop) return {0, map.height, 0, map.width};
  const auto at = [](double share, std::size_t size) {
    return static_cast<std::size_t>(share * static_cast<double>(size));
  };
  return {at(0.40810811, map.height), at(0.99189189, map.height), at(0.03594771, map.width),
          at(0.96405229, map.width)};
}

// The fit of predictions that are all alike: the best constant.
DepthFit constant_fit(DepthAlignment align, std::span<const double> truth,
                      const std::vector<double>& weights) {
  std::vector<WeightedValue> values;
  double sum = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double value = align == DepthAlignment::disparity ? 1 / truth[i] : truth[i];
    values.push_back({value, weights.empty() ? 1 : weights[i]});
    sum += value / static_cast<double>(truth.size());
  }
  return {0, align == DepthAlignment::lad ? weighted_percentile_in_place(values, 0.5) : sum,
          align == DepthAlignment::disparity};
}

// Fits some pixels, of which those from `begin` to `end` of the grid may stand for all.
DepthFit fit_of(DepthPairs& pairs, std::span<const double> predicted, std::span<const double> truth,
                std::size_t begin, std::size_t end, const DepthKnobs& knobs) {
  std::vector<double> some_predicted, some_truth, weights;
  if (knobs.fit_grid) {
    for (std::size_t k = begin; k < end; ++k) {
      some_predicted.push_back(pairs.predicted_m[pairs.grid[k]]);
      some_truth.push_back(pairs.truth_m[pairs.grid[k]]);
    }
    predicted = some_predicted;
    truth = some_truth;
  }
  if (knobs.weigh_by_inverse)
    for (const double depth : truth) weights.push_back(1 / depth);
  const bool any_nan = std::ranges::any_of(predicted, [](double depth) { return std::isnan(depth); });
  if (any_nan && knobs.bad == BadDepths::as_is && knobs.align != DepthAlignment::none)
    return {kUndefined, kUndefined};
  const DepthFit fit = fit_depths(knobs.align, predicted, truth, weights);
  if (std::isfinite(fit.scale) || truth.empty()) return fit;
  if (knobs.bad == BadDepths::zero_error) return {};
  const bool alike = std::ranges::all_of(predicted, [&](double depth) { return depth == predicted[0]; });
  if (knobs.constant_if_alike && alike && knobs.align > DepthAlignment::adam1000)
    return constant_fit(knobs.align, truth, weights);
  pairs.undetermined = pairs.undetermined || !any_nan;
  return fit;
}

// Fits the maps from `first` to `last` and moves their predictions.
DepthFit fit_maps(DepthPairs& pairs, std::size_t first, std::size_t last, const DepthKnobs& knobs) {
  const auto bound = [](const std::vector<std::size_t>& ends, std::size_t map) {
    return map == 0 || ends.empty() ? 0 : ends[map - 1];
  };
  const std::size_t begin = bound(pairs.ends, first), count = bound(pairs.ends, last) - begin;
  const std::span predicted(pairs.predicted_m.data() + begin, count),
      truth(pairs.truth_m.data() + begin, count);
  const DepthFit fit =
      fit_of(pairs, predicted, truth, bound(pairs.grid_ends, first), bound(pairs.grid_ends, last), knobs);
  const double farthest_m = truth.empty() ? 0 : *std::ranges::max_element(truth);
  for (double& depth : predicted) {
    depth = fit(depth);
    if (knobs.bound_by_truth && fit.of_inverse && (depth <= 0 || depth > farthest_m)) depth = farthest_m;
    if (depth < knobs.clip_min_m && knobs.clip_min_m > 0) depth = knobs.clip_min_m;
    if (depth > knobs.clip_max_m) depth = knobs.clip_max_m;
  }
  return fit;
}

}  // namespace

double predicted_at(const DepthMapPair& map, std::size_t i, const DepthKnobs& knobs) {
  const double predicted = map.predicted_m[i];
  return knobs.of_disparity ? 1 / predicted : predicted;
}

CountedPixels select_depths(const DepthMapPair& map, const DepthKnobs& knobs, DepthPairs& pairs) {
  const std::size_t size = map.height * map.width, first = pairs.truth_m.size();
  if (map.predicted_m.size() != size || map.truth_m.size() != size ||
      (!map.confidence.empty() && map.confidence.size() != size))
    throw Error(ErrorKind::method, "depth maps: sizes differ");
  const PixelBox box = box_of(map, knobs);
  CountedPixels counted{map.height, map.width, std::vector<unsigned char>(size)};
  for (std::size_t row = box.top; row < box.bottom; ++row) {
    for (std::size_t i = row * map.width + box.left; i < row * map.width + box.right; ++i) {
      const double truth = map.truth_m[i], predicted = predicted_at(map, i, knobs);
      if (!has_depth(truth) || !(truth > knobs.min_m) || !(truth < knobs.max_m)) continue;
      ++pairs.true_pixels;
      if (knobs.sparse && predicted == 0) continue;
      if (knobs.bad == BadDepths::drop && !has_depth(predicted)) continue;
      if (!map.confidence.empty() && !std::isfinite(map.confidence[i])) continue;
      counted.counts[i] = 1;
      pairs.truth_m.push_back(truth);
      pairs.predicted_m.push_back(predicted);
      if (!map.confidence.empty()) pairs.confidence.push_back(map.confidence[i]);
    }
  }
  pairs.ends.push_back(pairs.truth_m.size());
  if (!knobs.fit_grid) return counted;
  std::vector<std::size_t> places(size);
  std::exclusive_scan(counted.counts.begin(), counted.counts.end(), places.begin(), first);
  for (const std::size_t pixel : grid_of(counted)) pairs.grid.push_back(places[pixel]);
  pairs.grid_ends.push_back(pairs.grid.size());
  return counted;
}

DepthPairs select_all_depths(std::span<const DepthMapPair> maps, const DepthKnobs& knobs) {
  check(knobs);
  DepthPairs pairs;
  for (const DepthMapPair& map : maps) select_depths(map, knobs, pairs);
  return pairs;
}

std::vector<DepthFit> fit_all(DepthPairs& pairs, const DepthKnobs& knobs) {
  if (knobs.fit_whole) return {fit_maps(pairs, 0, pairs.ends.size(), knobs)};
  std::vector<DepthFit> fits;
  for (std::size_t map = 0; map < pairs.ends.size(); ++map)
    fits.push_back(fit_maps(pairs, map, map + 1, knobs));
  return fits;
}

}  // namespace aqbench
