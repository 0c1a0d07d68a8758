#include "metrics/protocols/depth_protocols.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/quantiles.h"
#include "metrics/numbers/exact_sum.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {
namespace {

constexpr double kFloor_m = 1e-5;  // what logarithms and ratios see of a smaller prediction

// The pixels that count, map by map.
struct DepthPairs {
  std::vector<double> predicted_m, truth_m, confidence;  // confidence: where it was given
  std::vector<std::size_t> ends;                         // of each map
  std::size_t true_pixels = 0;                           // with or without a prediction
};

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

void select_depths(const DepthMapPair& map, const DepthKnobs& knobs, DepthPairs& pairs) {
  const std::size_t size = map.height * map.width;
  if (map.predicted_m.size() != size || map.truth_m.size() != size ||
      (!map.confidence.empty() && map.confidence.size() != size))
    throw Error(ErrorKind::method, "depth maps: sizes differ");
  const PixelBox box = box_of(map, knobs);
  for (std::size_t row = box.top; row < box.bottom; ++row) {
    for (std::size_t i = row * map.width + box.left; i < row * map.width + box.right; ++i) {
      const double truth = map.truth_m[i], predicted = map.predicted_m[i];
      if (!has_depth(truth) || !(truth > knobs.min_m) || !(truth < knobs.max_m)) continue;
      ++pairs.true_pixels;
      if (knobs.sparse && predicted == 0) continue;
      if (knobs.bad == BadDepths::drop && !has_depth(predicted)) continue;
      if (!map.confidence.empty() && !std::isfinite(map.confidence[i])) continue;
      pairs.truth_m.push_back(truth);
      pairs.predicted_m.push_back(predicted);
      if (!map.confidence.empty()) pairs.confidence.push_back(map.confidence[i]);
    }
  }
  pairs.ends.push_back(pairs.truth_m.size());
}

// Fits the pixels from `begin` to `end` and moves their predictions. Undefined fits leave nothing defined;
// where errors that are not finite count as 0, such a fit is left out.
DepthFit fit_part(DepthPairs& pairs, std::size_t begin, std::size_t end, const DepthKnobs& knobs) {
  const std::span predicted(pairs.predicted_m.data() + begin, end - begin);
  DepthFit fit = fit_depths(knobs.align, predicted, {pairs.truth_m.data() + begin, end - begin});
  if (knobs.bad == BadDepths::zero_error && !std::isfinite(fit.scale)) fit = {};
  for (double& depth : predicted) {
    depth = fit(depth);
    if (depth < knobs.clip_min_m && knobs.clip_min_m > 0) depth = knobs.clip_min_m;
    if (depth > knobs.clip_max_m) depth = knobs.clip_max_m;
  }
  return fit;
}

// Returns the fit where one holds for all maps.
std::optional<DepthFit> fit_all(DepthPairs& pairs, const DepthKnobs& knobs) {
  if (knobs.fit_whole || pairs.ends.size() == 1) return fit_part(pairs, 0, pairs.truth_m.size(), knobs);
  std::size_t begin = 0;
  for (const std::size_t end : pairs.ends) fit_part(pairs, std::exchange(begin, end), end, knobs);
  return std::nullopt;
}

DepthPairs select_all_depths(std::span<const DepthMapPair> maps, const DepthKnobs& knobs) {
  check(knobs);
  DepthPairs pairs;
  for (const DepthMapPair& map : maps) select_depths(map, knobs, pairs);
  return pairs;
}

// Not finite where a prediction is not.
double ratio_of(const DepthPairs& pairs, std::size_t i) {
  const double predicted = pairs.predicted_m[i] < kFloor_m ? kFloor_m : pairs.predicted_m[i];
  return std::max(pairs.truth_m[i] / predicted, predicted / pairs.truth_m[i]);
}

constexpr const char* kNoPixel = "no pixel has both depths";
constexpr const char* kNotFinite = "a prediction is not finite after the fit";
constexpr std::array kRatios = {1.03, 1.25, 1.25 * 1.25, 1.25 * 1.25 * 1.25};

// Mean errors of some pixels in the order of depth_errors(), NaN without pixels.
using MeanErrors = std::array<double, 5 + kRatios.size()>;

MeanErrors mean_errors(const DepthPairs& pairs, std::size_t begin, std::size_t end, BadDepths bad) {
  MeanErrors means = exact_sums<5 + kRatios.size()>(end - begin, [&](std::size_t k) {
    const std::size_t i = begin + k;
    const double truth = pairs.truth_m[i], error = std::abs(truth - pairs.predicted_m[i]);
    const double logarithm = std::log(truth) - std::log(std::max(pairs.predicted_m[i], kFloor_m));
    MeanErrors of_pixel{error / truth, error * error / truth, error, error * error, logarithm * logarithm};
    if (bad == BadDepths::zero_error)
      for (double& value : of_pixel)
        if (!std::isfinite(value)) value = 0;
    const double ratio = ratio_of(pairs, i);
    for (std::size_t r = 0; r < kRatios.size(); ++r) of_pixel[5 + r] = ratio < kRatios[r] ? 1 : 0;
    return of_pixel;
  });
  for (double& value : means) value /= static_cast<double>(end - begin);
  for (const std::size_t root : {3, 4}) means[root] = std::sqrt(means[root]);
  return means;
}

// Of all pixels, or of the maps that have some.
MeanErrors mean_errors(const DepthPairs& pairs, const DepthKnobs& knobs) {
  if (knobs.pool_pixels) return mean_errors(pairs, 0, pairs.truth_m.size(), knobs.bad);
  MeanErrors sums{};
  double maps = 0;
  std::size_t begin = 0;
  for (const std::size_t end : pairs.ends) {
    if (end == begin) continue;
    const MeanErrors of_map = mean_errors(pairs, std::exchange(begin, end), end, knobs.bad);
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += of_map[k];
    ++maps;
  }
  for (double& sum : sums) sum /= maps;
  return sums;
}

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

}  // namespace

ProtocolResult depth_errors(std::span<const DepthMapPair> maps, const DepthKnobs& knobs) {
  DepthPairs pairs = select_all_depths(maps, knobs);
  const DepthPairs unfitted = knobs.align == DepthAlignment::adam1000 ? pairs : DepthPairs();
  const std::optional<DepthFit> fit = fit_all(pairs, knobs);
  const std::size_t count = pairs.truth_m.size();
  const char* const reason = count == 0 ? kNoPixel : kNotFinite;
  const MeanErrors means = mean_errors(pairs, knobs);
  constexpr std::pair<const char*, const char*> kNames[] = {
      {"abs_rel", "1"},    {"sq_rel", "m"},       {"mae", "m"},
      {"rmse", "m"},       {"rmse_log", "1"},     {"delta_1.03", "1"},
      {"delta_1.25", "1"}, {"delta_1.25^2", "1"}, {"delta_1.25^3", "1"}};
  static_assert(std::size(kNames) == std::tuple_size_v<MeanErrors>);
  ProtocolResult result;
  for (std::size_t k = 0; k < means.size(); ++k)
    add_value(result, kNames[k].first, kNames[k].second, means[k], reason);
  const auto add_fit = [&](const char* name, const char* unit, double DepthFit::*part) {
    add_value(result, name, unit, fit && count > 0 ? (*fit).*part : std::nan(""),
              count == 0 ? kNoPixel
              : fit      ? "the pixels do not determine it"
                         : "each map has its own fit");
  };
  add_fit("scale", "1", &DepthFit::scale);
  if (knobs.align >= DepthAlignment::adam1000)
    add_fit("shift", knobs.align == DepthAlignment::disparity ? "1/m" : "m", &DepthFit::shift);
  if (knobs.align == DepthAlignment::adam1000) {
    DepthPairs optimal = unfitted;
    DepthKnobs to_optimum = knobs;
    to_optimum.align = DepthAlignment::lad;
    fit_all(optimal, to_optimum);
    add_value(result, "abs_rel_lad", "1", mean_errors(optimal, to_optimum)[0], reason);
  }
  add_value(result, "coverage", "1", static_cast<double>(count) / static_cast<double>(pairs.true_pixels),
            "no true depth lies between min_m and max_m");
  add_value(result, "pixels", "px", static_cast<double>(count));
  return result;
}

ProtocolResult sparsification_errors(std::span<const DepthMapPair> maps, const DepthKnobs& knobs) {
  for (const DepthMapPair& map : maps)
    if (map.confidence.empty() && !map.truth_m.empty())
      throw Error(ErrorKind::method, "depth maps: there is no confidence");
  DepthPairs pairs = select_all_depths(maps, knobs);
  fit_all(pairs, knobs);
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
      const double area = sparsification_area(std::move(by_confidence), knobs.intervals, kind.root);
      ause = area - sparsification_area(std::move(best), knobs.intervals, kind.root);
      aurg = whole_error(pairs, kind) - area;
    }
    const char* unit = kind.root ? "m" : "1";
    add_value(result, std::string("ause_") + kind.name, unit, ause, kNoPixel);
    add_value(result, std::string("aurg_") + kind.name, unit, aurg, kNoPixel);
  }
  return result;
}

}  // namespace aqbench
