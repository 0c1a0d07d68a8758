#include "metrics/protocols/depth_protocols.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/quantiles.h"
#include "metrics/numbers/exact_sum.h"
#include "metrics/protocols/depth_grid.h"
#include "metrics/protocols/depth_pairs.h"

namespace aqbench {
namespace {

double floored(double predicted, const DepthKnobs& knobs) {
  return predicted < knobs.floor_m && knobs.floor_m > 0 ? knobs.floor_m : predicted;
}

// Not finite where a prediction is not.
double ratio_of(double predicted, double truth, const DepthKnobs& knobs) {
  predicted = floored(predicted, knobs);
  return std::max(truth / predicted, predicted / truth);
}

constexpr const char* kNoPixel = "no pixel has both depths";
constexpr const char* kUndetermined = "the pixels do not determine the fit";
constexpr const char* kNotFinite = "a prediction is not finite after the fit";
constexpr std::array kRatios = {1.03, 1.25, 1.25 * 1.25, 1.25 * 1.25 * 1.25};

// Mean errors of some pixels in the order of depth_errors(), NaN without pixels.
using MeanErrors = std::array<double, 5 + kRatios.size()>;

MeanErrors mean_errors(const DepthPairs& pairs, std::size_t begin, std::size_t end, const DepthKnobs& knobs) {
  MeanErrors means = exact_sums<5 + kRatios.size()>(end - begin, [&](std::size_t k) {
    const std::size_t i = begin + k;
    const double truth = pairs.truth_m[i], predicted = pairs.predicted_m[i];
    const double error = std::abs(truth - predicted);
    const double logarithm = std::log(truth) - std::log(floored(predicted, knobs));
    MeanErrors of_pixel{error / (truth + knobs.add_to_truth_m), error * error / truth, error, error * error,
                        logarithm * logarithm};
    if (knobs.bad == BadDepths::zero_error)
      for (double& value : of_pixel)
        if (!std::isfinite(value)) value = 0;
    const double ratio = ratio_of(predicted, truth, knobs);
    for (std::size_t r = 0; r < kRatios.size(); ++r) of_pixel[5 + r] = ratio < kRatios[r] ? 1 : 0;
    return of_pixel;
  });
  for (double& value : means) value /= static_cast<double>(end - begin);
  for (const std::size_t root : {3, 4}) means[root] = std::sqrt(means[root]);
  return means;
}

// Of all pixels, or of the maps that have some.
MeanErrors mean_errors(const DepthPairs& pairs, const DepthKnobs& knobs) {
  if (knobs.pool_pixels) return mean_errors(pairs, 0, pairs.truth_m.size(), knobs);
  MeanErrors sums{};
  double maps = 0;
  std::size_t begin = 0;
  for (const std::size_t end : pairs.ends) {
    if (end == begin) continue;
    const MeanErrors of_map = mean_errors(pairs, std::exchange(begin, end), end, knobs);
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += of_map[k];
    ++maps;
  }
  for (double& sum : sums) sum /= maps;
  return sums;
}

// Adds the scores of edges at each radius, means over maps. Predictions are those after the fit alone; a
// disparity of 0 or below lies 1e6 m away.
void add_boundaries(ProtocolResult& result, std::span<const DepthMapPair> maps,
                    std::span<const DepthFit> fits, bool determined, const DepthKnobs& knobs) {
  constexpr double kFar_m = 1e6;
  std::array<double, kEdgeRadii> sums{};
  for (std::size_t m = 0; m < maps.size(); ++m) {
    DepthPairs unused;
    const CountedPixels counted = select_depths(maps[m], knobs, unused);
    const DepthFit& fit = fits[fits.size() == 1 ? 0 : m];
    std::vector<double> predicted(counted.counts.size());
    for (std::size_t i = 0; i < predicted.size(); ++i) {
      predicted[i] = fit(predicted_at(maps[m], i, knobs));
      if (fit.of_inverse && (predicted[i] <= 0 || predicted[i] > kFar_m)) predicted[i] = kFar_m;
    }
    const std::vector<double> truth(maps[m].truth_m.begin(), maps[m].truth_m.end());
    const std::array<double, kEdgeRadii> scores = boundary_f1(counted, predicted, truth);
    for (std::size_t r = 0; r < sums.size(); ++r)
      sums[r] += std::isnan(scores[r]) && knobs.no_edge_is_zero ? 0 : scores[r];
  }
  for (std::size_t r = 0; r < sums.size(); ++r)
    add_value(result, fmt::format("boundary_f1_{}px", r + 1), "1",
              determined ? sums[r] / static_cast<double>(maps.size()) : kUndefined,
              determined ? "a map has no edge, neither a true nor a predicted one" : kUndetermined);
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

double pixel_ratio(const DepthPairs& pairs, std::size_t i) {
  return ratio_of(pairs.predicted_m[i], pairs.truth_m[i], {});
}

double is_outlier(const DepthPairs& pairs, std::size_t i) { return pixel_ratio(pairs, i) >= 1.25 ? 1 : 0; }

constexpr ErrorKindOfDepth kErrorKinds[] = {{"abs_rel", relative_error, relative_error, false},
                                            {"rmse", squared_error, squared_error, true},
                                            {"a1", pixel_ratio, is_outlier, false}};

double whole_error(const DepthPairs& pairs, const ErrorKindOfDepth& kind) {
  const double sum = exact_sum(pairs.truth_m.size(), [&](std::size_t i) { return kind.summed(pairs, i); });
  const double mean = sum / static_cast<double>(pairs.truth_m.size());
  return kind.root ? std::sqrt(mean) : mean;
}

}  // namespace

ProtocolResult depth_errors(std::span<const DepthMapPair> maps, const DepthKnobs& knobs) {
  DepthPairs pairs = select_all_depths(maps, knobs);
  const DepthPairs unfitted = knobs.align == DepthAlignment::adam1000 ? pairs : DepthPairs();
  const std::vector<DepthFit> fits = fit_all(pairs, knobs);
  const std::size_t count = pairs.truth_m.size();
  const char* const reason = count == 0 ? kNoPixel : pairs.undetermined ? kUndetermined : kNotFinite;
  MeanErrors means = mean_errors(pairs, knobs);
  if (pairs.undetermined) means.fill(kUndefined);
  if (count == 0 && knobs.nothing_is_zero) means.fill(0);
  constexpr std::pair<const char*, const char*> kNames[] = {
      {"abs_rel", "1"},    {"sq_rel", "m"},       {"mae", "m"},
      {"rmse", "m"},       {"rmse_log", "1"},     {"delta_1.03", "1"},
      {"delta_1.25", "1"}, {"delta_1.25^2", "1"}, {"delta_1.25^3", "1"}};
  static_assert(std::size(kNames) == std::tuple_size_v<MeanErrors>);
  ProtocolResult result;
  for (std::size_t k = 0; k < means.size(); ++k)
    add_value(result, kNames[k].first, kNames[k].second, means[k], reason);
  const auto add_fit = [&](const char* name, const char* unit, double DepthFit::*part) {
    const bool is_one = fits.size() == 1;
    add_value(result, name, unit, is_one && count > 0 ? fits[0].*part : kUndefined,
              count == 0 ? kNoPixel
              : is_one   ? kUndetermined
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
  if (knobs.boundaries) add_boundaries(result, maps, fits, !pairs.undetermined, knobs);
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
