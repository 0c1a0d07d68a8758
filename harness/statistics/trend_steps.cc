#include "harness/statistics/trend_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/statistics/checks.h"
#include "harness/statistics/distributions.h"

namespace aqbench {
namespace {

constexpr double kMaxAutocorrelation = 0.95;

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

// Sums over values from which their common part with the value before was taken: what is left of neighbours
// that are correlated by `correlation` is independent, the first value scaled to the spread of the others
// (Prais and Winsten 1954).
struct StepFit {
  double shift = 0, squares = 0;  // of the second level against the first; squared residuals
  double weight = 0;              // variance of the shift is that of a residual divided by it
};

StepFit fit_step(std::span<const double> before, std::span<const double> after, double correlation) {
  const std::size_t size = before.size() + after.size();
  const double scale = std::sqrt(1 - correlation * correlation);
  const double origin = before.front();
  const auto value = [&](std::size_t i) {
    return (i < before.size() ? before[i] : after[i - before.size()]) - origin;
  };
  const auto second = [&](std::size_t i) { return i < before.size() ? 0.0 : 1.0; };
  struct Row {
    double one, step, y;
  };
  const auto row = [&](std::size_t i) -> Row {
    if (i == 0) return {scale, scale * second(0), scale * value(0)};
    return {1 - correlation, second(i) - correlation * second(i - 1), value(i) - correlation * value(i - 1)};
  };
  double aa = 0, ab = 0, bb = 0, ay = 0, by = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const Row r = row(i);
    aa += r.one * r.one;
    ab += r.one * r.step;
    bb += r.step * r.step;
    ay += r.one * r.y;
    by += r.step * r.y;
  }
  StepFit fit;
  fit.weight = bb - ab * ab / aa;
  fit.shift = (by - ab * ay / aa) / fit.weight;
  const double level = (ay - ab * fit.shift) / aa;
  for (std::size_t i = 0; i < size; ++i) {
    const Row r = row(i);
    const double residual = r.y - r.one * level - r.step * fit.shift;
    fit.squares += residual * residual;
  }
  return fit;
}

// Two-sided p of a change of level where neighbours are correlated: Student's t of the shift by generalised
// least squares. A value that jumps at once is stronger evidence than means that wandered apart, since the
// correlation explains the latter.
double corrected_p(std::span<const double> before, std::span<const double> after, double correlation) {
  const double degrees = static_cast<double>(before.size() + after.size()) - 2;
  if (degrees <= 0) return 1;
  const StepFit fit = fit_step(before, after, correlation);
  if (fit.shift == 0) return 1;
  return student_t_two_sided(fit.shift / std::sqrt(fit.squares / degrees / fit.weight), degrees);
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
  return std::clamp(corrected, least, kMaxAutocorrelation);
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
