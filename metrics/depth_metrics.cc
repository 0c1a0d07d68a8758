#include "metrics/depth_metrics.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/error.h"
#include "metrics/numbers/order_statistics.h"
#include "metrics/registry.h"
#include "metrics/scored_points.h"

namespace aqbench {
namespace {

void write_depth_errors(MetricWriter& writer, std::vector<double>& error_m, double relative_sum) {
  const double count = static_cast<double>(error_m.size());
  double sum_m = 0, squares_m2 = 0;
  for (const double error : error_m) {
    sum_m += error;
    squares_m2 += error * error;
  }
  writer.add("depth_mae_mm", 1000 * sum_m / count);
  writer.add("depth_rmse_mm", 1000 * std::sqrt(squares_m2 / count));
  writer.add("depth_abs_rel_pct", 100 * relative_sum / count);
  constexpr std::pair<const char*, double> kBad[] = {
      {"depth_bad_1mm_pct", 0.001}, {"depth_bad_2mm_pct", 0.002}, {"depth_bad_4mm_pct", 0.004}};
  for (const auto& [row, limit_m] : kBad) writer.add(row, share_beyond_pct(error_m, limit_m));
  writer.add("depth_median_ae_mm", 1000 * median_in_place(error_m));
}

}  // namespace

MetricSet depth_metrics(std::span<const float> predicted_m, std::span<const float> truth_m) {
  if (predicted_m.size() != truth_m.size())
    throw method_error("depth map: {} pixels where the truth has {}", predicted_m.size(), truth_m.size());
  std::vector<double> error_m;
  double relative_sum = 0;
  std::size_t true_depths = 0;
  for (std::size_t i = 0; i < truth_m.size(); ++i) {
    if (!has_depth(truth_m[i])) continue;
    ++true_depths;
    if (!has_depth(predicted_m[i])) continue;
    error_m.push_back(std::abs(double{predicted_m[i]} - double{truth_m[i]}));
    relative_sum += error_m.back() / double{truth_m[i]};
  }
  MetricWriter writer;
  if (true_depths == 0) {
    writer.add_undefined("depth_fill_rate_pct", "the true depth map has no depth");
  } else {
    writer.add("depth_fill_rate_pct",
               100 * static_cast<double>(error_m.size()) / static_cast<double>(true_depths));
  }
  if (error_m.empty()) {
    const char* reason =
        true_depths == 0 ? "the true depth map has no depth" : "no pixel with a true depth has a depth";
    writer.add_rest_undefined(ScoreFamily::depths, reason);
  } else {
    write_depth_errors(writer, error_m, relative_sum);
  }
  return writer.take();
}

}  // namespace aqbench
