#include "harness/statistics/change_points.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/statistics/summary.h"

namespace aqbench {
namespace {

// Change points as in Hunter (ICPE 2023) are E-divisive splits (Matteson and James, JASA 109, 2014) inside
// overlapping windows, tested with Student's t, then merged bottom-up. Unlike Hunter, standard deviations are
// with n - 1, and a level has at least two values. They are the candidates for steps, many of them: masked
// steps, up and down again, have a weak split at first.
constexpr std::size_t kWindow = 50;  // values that are looked at together; windows overlap by half
constexpr double kCandidateP = 0.2;  // the largest p of a split
constexpr double kMinChange = 0.03;  // of the mean, as a share of the smaller mean

// The largest p of a step by generalised least squares in up to 16 runs. Longer histories have more places
// for a false step, short ones have no more evidence to give.
constexpr double kMaxStepP = 4.5e-4;
constexpr double kLeastAutocorrelation = 0.3;  // between neighbours; what is measured counts where it is more

struct Moments {
  double n = 0, mean = 0, squares = 0;  // squares: sum of (x - mean)^2
};

Moments moments_of(std::span<const double> values) {
  Moments m;
  m.n = static_cast<double>(values.size());
  double sum = 0;  // around the first value: equal values give exactly their value
  for (const double value : values) sum += value - values.front();
  m.mean = values.front() + sum / m.n;
  for (const double value : values) m.squares += (value - m.mean) * (value - m.mean);
  return m;
}

struct Split {
  std::size_t index = 0;
  double q = 0;
};

// The split of [begin, end) with the largest energy distance between its sides,
// q = m n / (m + n) (2 E|X - Y| - E|X - X'| - E|Y - Y'|), all from sums over pairs that move one value at a
// time from right to left. nullopt if the part is too short.
std::optional<Split> best_split(std::span<const double> values, std::size_t begin, std::size_t end) {
  if (end - begin < 2 * kMinLevelValues) return std::nullopt;
  const auto distances_to = [&](std::size_t i, std::size_t from, std::size_t to) {
    double sum = 0;
    for (std::size_t j = from; j < to; ++j) sum += std::abs(values[i] - values[j]);
    return sum;
  };
  double across = 0, left = 0, right = 0;
  for (std::size_t i = begin; i < end; ++i) right += distances_to(i, i + 1, end);
  std::optional<Split> best;
  for (std::size_t index = begin + 1; index + kMinLevelValues <= end; ++index) {
    const double to_left = distances_to(index - 1, begin, index - 1);
    const double to_right = distances_to(index - 1, index, end);
    across += to_right - to_left;
    left += to_left;
    right -= to_right;
    const auto m = static_cast<double>(index - begin), n = static_cast<double>(end - index);
    if (index - begin < kMinLevelValues) continue;
    const double energy = 2 * across / (m * n) - 2 * left / (m * (m - 1)) - 2 * right / (n * (n - 1));
    const double q = m * n / (m + n) * energy;
    if (!best || q > best->q) best = Split{index, q};
  }
  return best;
}

// Splits one window top-down for as long as the best split of all its parts is significant.
std::vector<std::size_t> split_window(std::span<const double> values) {
  std::vector<std::size_t> ends = {0, values.size()};  // of the parts, ascending
  while (true) {
    std::optional<Split> best;
    std::size_t part = 0;
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      const auto split = best_split(values, ends[i], ends[i + 1]);
      if (split && (!best || split->q > best->q)) {
        best = split;
        part = i;
      }
    }
    if (!best) break;
    const auto before = values.subspan(ends[part], best->index - ends[part]);
    const auto after = values.subspan(best->index, ends[part + 1] - best->index);
    if (!(compare_levels(before, after).p <= kCandidateP)) break;
    ends.insert(ends.begin() + static_cast<std::ptrdiff_t>(part) + 1, best->index);
  }
  return {ends.begin() + 1, ends.end() - 1};
}

ChangePoint change_point_at(std::span<const double> history, const std::vector<std::size_t>& indices,
                            std::size_t position) {
  const std::size_t index = indices[position];
  const std::size_t begin = position == 0 ? 0 : indices[position - 1];
  const std::size_t end = position + 1 == indices.size() ? history.size() : indices[position + 1];
  return {index, compare_levels(history.subspan(begin, index - begin), history.subspan(index, end - index))};
}

std::vector<std::size_t> candidates_of(std::span<const double> history) {
  std::vector<std::size_t> indices;
  for (std::size_t start = 0, next = 0; start < history.size(); start = next) {
    const auto window = history.subspan(start, std::min(kWindow, history.size() - start));
    next = start + kWindow / 2;
    for (const std::size_t index : split_window(window)) {
      indices.push_back(start + index);
      next = std::max(next, start + index);
    }
  }
  return indices;
}

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

// Two-sided p of every step between levels, which lie between `borders`: Student's t of the change of level
// by generalised least squares over all levels at once, where neighbours are correlated by `correlation`.
// What is left of a value without its common part with the value before is independent, the first value
// scaled to the spread of the others (Prais and Winsten 1954). A value that jumps at once is stronger
// evidence than means that wandered apart.
std::vector<double> corrected_p(std::span<const double> values, const std::vector<std::size_t>& borders,
                                double correlation) {
  const std::size_t levels = borders.size() - 1;
  std::vector<double> p(levels - 1, 1);
  const double degrees = static_cast<double>(values.size()) - static_cast<double>(levels);
  if (degrees <= 0) return p;
  const double first = std::sqrt(1 - correlation * correlation);  // weight of the first value
  const auto left_of = [&](std::size_t i) {
    const double value = values[i] - values[0];
    return i == 0 ? first * value : value - correlation * (values[i - 1] - values[0]);
  };
  // The normal equations couple neighbouring levels alone, each pair by -correlation.
  std::vector<double> diagonal(levels), fit(levels), forward(levels), backward(levels);
  for (std::size_t k = 0; k < levels; ++k) {
    const std::size_t begin = borders[k], end = borders[k + 1];
    const double start = k == 0 ? first : 1, inner = 1 - correlation,
                 after = k + 1 < levels ? correlation : 0;
    diagonal[k] = start * start + static_cast<double>(end - begin - 1) * inner * inner + after * after;
    fit[k] = start * left_of(begin) - (after > 0 ? after * left_of(end) : 0);
    for (std::size_t i = begin + 1; i < end; ++i) fit[k] += inner * left_of(i);
  }
  const double square = correlation * correlation;
  for (std::size_t k = 0; k < levels; ++k) {
    forward[k] = diagonal[k] - (k == 0 ? 0 : square / forward[k - 1]);
    if (k > 0) fit[k] += correlation / forward[k - 1] * fit[k - 1];
  }
  for (std::size_t k = levels; k-- > 0;) {
    backward[k] = diagonal[k] - (k + 1 == levels ? 0 : square / backward[k + 1]);
    fit[k] = (fit[k] + (k + 1 == levels ? 0 : correlation * fit[k + 1])) / forward[k];
  }
  double squares = 0;
  for (std::size_t k = 0; k < levels; ++k)
    for (std::size_t i = borders[k]; i < borders[k + 1]; ++i) {
      const double before = i == 0 ? 0 : correlation * (i == borders[k] ? fit[k - 1] : fit[k]);
      const double residual = left_of(i) - (i == 0 ? first * fit[0] : fit[k] - before);
      squares += residual * residual;
    }
  const auto inverse = [&](std::size_t k) { return 1 / (forward[k] + backward[k] - diagonal[k]); };
  for (std::size_t k = 0; k + 1 < levels; ++k) {
    const double next = inverse(k + 1), variance = inverse(k) + next - 2 * correlation / forward[k] * next;
    if (fit[k + 1] != fit[k])
      p[k] = student_t_two_sided((fit[k + 1] - fit[k]) / std::sqrt(squares / degrees * variance), degrees);
  }
  return p;
}

// Logarithms where all values are positive: noise is a share of a level then, as that of times is.
std::vector<double> additive(std::span<const double> history) {
  std::vector<double> values(history.begin(), history.end());
  if (std::ranges::all_of(values, [](double value) { return value > 0; }))
    for (double& value : values) value = std::log(value);
  return values;
}

// The largest p of a step in a history of so many runs.
double allowed_p(std::size_t runs) {
  const double share = 16 / static_cast<double>(runs);
  return kMaxStepP * std::clamp(share * share, 0.1, 1.0);
}

// The borders of levels: 0, each step, the end.
std::vector<std::size_t> borders_of(std::span<const double> history, std::span<const ChangePoint> steps) {
  std::vector<std::size_t> borders = {0};
  for (const ChangePoint& step : steps) borders.push_back(step.index);
  borders.push_back(history.size());
  return borders;
}

// Returns the correlation of neighbours around the levels between the steps, corrected for its bias in short
// series.
double autocorrelation_of(std::span<const double> history, std::span<const ChangePoint> steps) {
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
  if (!(squares > 0)) return kLeastAutocorrelation;
  const double raw = products / squares;
  // Around estimated means it comes out too small (Kendall 1954).
  const double levels = static_cast<double>(borders.size() - 1);
  const double corrected = raw + levels * (1 + 4 * raw) / neighbours;
  return std::clamp(corrected, kLeastAutocorrelation, kMaxAutocorrelation);
}

// Returns the change points of a history, in ascending order.
std::vector<ChangePoint> detect_change_points(std::span<const double> history) {
  require_finite("history", history);
  std::vector<std::size_t> indices = candidates_of(history);
  std::vector<ChangePoint> points;
  for (std::size_t i = 0; i < indices.size(); ++i) points.push_back(change_point_at(history, indices, i));
  // Remove the weakest one until all are strong: first by p, then by size. The levels beside a removed one
  // become longer, so their tests are computed again.
  while (!points.empty()) {
    auto weakest = std::ranges::max_element(points, {}, [](const auto& point) { return point.level.p; });
    if (weakest->level.p <= kCandidateP) {
      weakest = std::ranges::min_element(points, {}, [](const auto& point) { return point.level.magnitude; });
      if (weakest->level.magnitude >= kMinChange) break;
    }
    const auto position = weakest - points.begin();
    points.erase(weakest);
    indices.erase(indices.begin() + position);
    const auto gone = static_cast<std::size_t>(position);
    if (gone > 0) points[gone - 1] = change_point_at(history, indices, gone - 1);
    if (gone < points.size()) points[gone] = change_point_at(history, indices, gone);
  }
  return points;
}

}  // namespace

LevelChange compare_levels(std::span<const double> before, std::span<const double> after) {
  const Moments a = moments_of(before), b = moments_of(after);
  LevelChange level;
  level.mean_before = a.mean;
  level.mean_after = b.mean;
  const double difference = b.mean - a.mean;
  if (a.mean != 0) level.change = difference / a.mean;
  const double smaller = std::min(std::abs(a.mean), std::abs(b.mean));
  level.magnitude = difference == 0 ? 0 : std::abs(difference) / smaller;
  const double degrees = a.n + b.n - 2;
  if (degrees > 0 && difference != 0) {
    const double variance = (a.squares + b.squares) / degrees;
    level.p = student_t_two_sided(difference / std::sqrt(variance * (1 / a.n + 1 / b.n)), degrees);
  }
  return level;
}

PinnedComparison compare_with_pinned(std::span<const double> history,
                                     std::span<const ChangePoint> change_points, std::size_t pinned) {
  PinnedComparison result;
  result.pinned_end = history.size();
  for (const ChangePoint& point : change_points) {
    result.newest_begin = point.index;
    if (point.index <= pinned) result.pinned_begin = point.index;
    if (point.index > pinned) result.pinned_end = std::min(result.pinned_end, point.index);
  }
  result.level = compare_levels(history.subspan(result.pinned_begin, result.pinned_end - result.pinned_begin),
                                history.subspan(result.newest_begin));
  result.changed = result.level.p <= kMaxStepP && result.level.magnitude >= kMinChange;
  return result;
}

bool is_bit_equal(std::span<const double> history) {
  std::size_t same = 0, different = 0;
  for (std::size_t i = 1; i < history.size(); ++i) ++(history[i] == history[i - 1] ? same : different);
  return same > 0 && same >= different;
}

std::vector<ChangePoint> detect_steps(std::span<const double> history) {
  if (is_bit_equal(history)) return every_change(history);
  std::vector<ChangePoint> steps = detect_change_points(history);
  const std::vector<double> values = additive(history);
  // Removes the weakest step until all are strong; the levels beside it become longer.
  while (!steps.empty()) {
    const double correlation = autocorrelation_of(values, steps);
    const std::vector<std::size_t> borders = borders_of(history, steps);
    const std::vector<double> all_p = corrected_p(values, borders, correlation);
    std::size_t weakest = 0;
    double weakest_p = -1;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto before = history.subspan(borders[i], borders[i + 1] - borders[i]);
      const auto after = history.subspan(borders[i + 1], borders[i + 2] - borders[i + 1]);
      steps[i].level = compare_levels(before, after);
      steps[i].level.p = all_p[i];
      const bool small = steps[i].level.magnitude < kMinChange;
      const double p = small ? std::numeric_limits<double>::infinity() : steps[i].level.p;
      if (p > weakest_p) {
        weakest_p = p;
        weakest = i;
      }
    }
    if (weakest_p <= allowed_p(history.size())) break;
    steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(weakest));
  }
  return steps;
}

}  // namespace aqbench
