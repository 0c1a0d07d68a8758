#include "harness/statistics/trend_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/statistics/checks.h"
#include "harness/statistics/distributions.h"

namespace aqbench {
namespace {

constexpr double kMostAutocorrelation = 0.95;

// Every place where the value is another one than before.
std::vector<ChangePoint> every_change(std::span<const double> history) {
  std::vector<std::size_t> starts = {0};
  for (std::size_t i = 1; i < history.size(); ++i)
    if (history[i] != history[i - 1]) starts.push_back(i);
  starts.push_back(history.size());
  std::vector<ChangePoint> steps;
  for (std::size_t i = 1; i + 1 < starts.size(); ++i) {
    ChangePoint step{starts[i],
                     compare_levels(history.subspan(starts[i - 1], 1), history.subspan(starts[i], 1))};
    step.level.p = 0;  // values that do not vary cannot change by chance
    steps.push_back(step);
  }
  return steps;
}

// Two-sided p of a change of level where neighbours are correlated: means vary more, by as much as if there
// were fewer values.
double corrected_p(std::span<const double> before, std::span<const double> after, double correlation) {
  const double fewer = (1 - correlation) / (1 + correlation);
  const auto moments = [](std::span<const double> values) {
    double mean = 0, squares = 0;
    for (const double value : values) mean += value / static_cast<double>(values.size());
    for (const double value : values) squares += (value - mean) * (value - mean);
    return std::pair(mean, squares);
  };
  const auto [mean_a, squares_a] = moments(before);
  const auto [mean_b, squares_b] = moments(after);
  const double n_a = static_cast<double>(before.size()), n_b = static_cast<double>(after.size());
  const double degrees = n_a + n_b - 2;
  if (degrees <= 0 || mean_a == mean_b) return 1;
  const double variance = (squares_a + squares_b) / degrees;
  return student_t_two_sided((mean_b - mean_a) / std::sqrt(variance / fewer * (1 / n_a + 1 / n_b)), degrees);
}

// The borders of levels: 0, each step, the end.
std::vector<std::size_t> borders_of(std::span<const double> history, std::span<const ChangePoint> steps) {
  std::vector<std::size_t> borders = {0};
  for (const ChangePoint& step : steps) borders.push_back(step.index);
  borders.push_back(history.size());
  return borders;
}

}  // namespace

bool is_bit_equal(std::span<const double> history) {
  std::size_t same = 0, different = 0;
  for (std::size_t i = 1; i < history.size(); ++i) ++(history[i] == history[i - 1] ? same : different);
  return same > 0 && same >= different;
}

double autocorrelation_of(std::span<const double> history, std::span<const ChangePoint> steps, double least) {
  const std::vector<std::size_t> borders = borders_of(history, steps);
  double products = 0, squares = 0, neighbours = 0;
  for (std::size_t level = 0; level + 1 < borders.size(); ++level) {
    const auto values = history.subspan(borders[level], borders[level + 1] - borders[level]);
    double mean = 0;
    for (const double value : values) mean += value / static_cast<double>(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      squares += (values[i] - mean) * (values[i] - mean);
      if (i > 0) products += (values[i] - mean) * (values[i - 1] - mean);
    }
    neighbours += static_cast<double>(values.size());
  }
  if (!(squares > 0)) return least;
  const double raw = products / squares;
  // Around estimated means it comes out too small (Kendall 1954).
  const double levels = static_cast<double>(borders.size() - 1);
  const double corrected = raw + levels * (1 + 4 * raw) / neighbours;
  return std::clamp(corrected, least, kMostAutocorrelation);
}

std::vector<ChangePoint> detect_steps(std::span<const double> history, const TrendStepOptions& options) {
  require_between("max_p", options.max_p, 0, 1);
  require_finite("history", history);
  if (is_bit_equal(history)) return every_change(history);
  std::vector<ChangePoint> steps = detect_change_points(history, options.change_points);
  // Removes the weakest step until all are strong; the levels beside it become longer.
  while (!steps.empty()) {
    const double correlation = autocorrelation_of(history, steps, options.least_autocorrelation);
    const std::vector<std::size_t> borders = borders_of(history, steps);
    std::size_t weakest = 0;
    double weakest_p = -1;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto before = history.subspan(borders[i], borders[i + 1] - borders[i]);
      const auto after = history.subspan(borders[i + 1], borders[i + 2] - borders[i + 1]);
      steps[i].level = compare_levels(before, after);
      steps[i].level.p = corrected_p(before, after, correlation);
      const bool small = steps[i].level.magnitude < options.change_points.min_change;
      const double p = small ? std::numeric_limits<double>::infinity() : steps[i].level.p;
      if (p > weakest_p) {
        weakest_p = p;
        weakest = i;
      }
    }
    if (weakest_p <= options.max_p) break;
    steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(weakest));
  }
  return steps;
}

}  // namespace aqbench
