#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "core/error.h"
#include "harness/statistics/paired.h"
#include "harness/statistics/signed_rank.h"
#include "harness/statistics/summary.h"

namespace aqbench {
namespace {

struct VerdictNames {
  PairedVerdict verdict;
  const char *of_time, *of_metric;
};
constexpr VerdictNames kVerdictNames[] = {{PairedVerdict::regressed, "REGRESSED", "WORSE"},
                                          {PairedVerdict::faster, "FASTER", "BETTER"},
                                          {PairedVerdict::pass, "PASS", "EQUIVALENT"},
                                          {PairedVerdict::inconclusive, "INCONCLUSIVE", "INCONCLUSIVE"},
                                          {PairedVerdict::refused, "REFUSED", "REFUSED"},
                                          {PairedVerdict::trade, "TRADE", "TRADE"}};

const VerdictNames& names_of(PairedVerdict verdict) {
  return *std::ranges::find(kVerdictNames, verdict, &VerdictNames::verdict);
}

// Three digits, two decimals at most: "+5.10 %", "-60.9 %", "+812 %".
std::string percent_text(double percent) {
  const double size = std::abs(percent);
  if (size < 0.005) return "+0.00 %";
  return fmt::format("{:+.{}f} %", percent, size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

// ln(above / below). Equal ratios give equal numbers, and swapping the two changes nothing but the sign.
double log_ratio(double above, double below) {
  return above >= below ? std::log(above / below) : -std::log(below / above);
}

constexpr double kTolerance = 1e-6;  // of a step
constexpr double kSmallest = 1e-5;   // of the smallest value; less is nothing
constexpr double kRounding = 1e-8;   // of the largest value

// Euclid's algorithm. A remainder that is small against its divisor or the values is rounding.
double common_step(double a, double b, double rounding) {
  while (b > std::max(kTolerance * a, rounding)) {
    const double remainder = std::abs(a - std::round(a / b) * b);
    a = b;
    b = remainder;
  }
  return a;
}

// Parts of the stake that are bet on each pair, and how the first stake is divided among them. Betting all is
// best where no run is slow, and loses all with one pair that has slow runs in B alone.
struct Bet {
  double part = 0, weight = 0;
};
constexpr std::array<Bet, 5> kBets = {{{1.0, 0.5}, {0.8, 0.2}, {0.6, 0.15}, {0.4, 0.1}, {0.2, 0.05}}};

constexpr std::size_t kMaxPairsNamed = 100000;

// Pairs by their excess: most have the same.
using ExcessCounts = std::map<double, double>;

ExcessCounts counts_of(std::span<const double> excess) {
  ExcessCounts counts;
  for (const double one : excess) ++counts[one];
  return counts;
}

// The logarithm of the stake after `repeats` times these pairs, if the mean excess were `share`.
double log_stake(const ExcessCounts& counts, double share, double repeats) {
  std::array<double, kBets.size()> logs{};
  for (std::size_t i = 0; i < kBets.size(); ++i) {
    for (const auto& [excess, pairs] : counts) {
      const double factor = 1 + kBets[i].part * (share - excess) / (1 - share);
      logs[i] += repeats * pairs * (factor > 0 ? std::log(factor) : -std::numeric_limits<double>::infinity());
    }
    logs[i] += std::log(kBets[i].weight);
  }
  const double largest = *std::ranges::max_element(logs);
  double sum = 0;
  for (const double one : logs) sum += std::exp(one - largest);
  return largest + std::log(sum);
}

bool refuted(const ExcessCounts& counts, double share, double repeats = 1) {
  return log_stake(counts, share, repeats) >= -std::log(kSlowRunAlpha);
}

double typical_of(const std::vector<double>& values, bool sizes) {
  std::vector<double> taken = values;
  if (sizes)
    for (double& value : taken) value = std::abs(value);
  return summarize(taken).median.value();
}

// The runs of one side, and each unit's share of slow ones.
struct SideShares {
  SlowSide side;
  std::vector<double> shares;
};

// Whether both kinds of runs are a tenth of all, at least three, and all but the tenth of each that is
// nearest to the other lie `gap` apart.
bool are_modes(ShiftScale scale, double gap, std::vector<double> usual, std::vector<double> slow) {
  const std::size_t least = std::max<std::size_t>(3, (usual.size() + slow.size() + 9) / 10);
  if (usual.size() < least || slow.size() < least) return false;
  const auto better = [&](double one, double other) { return worse_by(scale, one, other) > 0; };
  std::ranges::sort(usual, better);
  std::ranges::sort(slow, better);
  return worse_by(scale, usual[usual.size() - 1 - usual.size() / 10], slow[slow.size() / 10]) >= gap;
}

SideShares count_side(ShiftScale scale, double typical, double margin, const UnitRuns& units) {
  SideShares result;
  std::vector<double> usual, slow;
  for (const std::vector<double>& runs : units) {
    std::size_t slow_here = 0;
    for (const double run : runs) {
      const bool is_slow = worse_by(scale, typical, run) > margin;
      (is_slow ? slow : usual).push_back(run);
      slow_here += is_slow;
    }
    result.side.slow_units += slow_here > 0;
    result.shares.push_back(static_cast<double>(slow_here) / static_cast<double>(runs.size()));
  }
  result.side.slow_runs = slow.size();
  result.side.runs = slow.size() + usual.size();
  result.side.usual_median = summarize(usual).median;
  result.side.slow_median = summarize(slow).median;
  result.side.two_modes = are_modes(scale, margin / 2, usual, slow);
  return result;
}

double limit_of(ShiftScale scale, double typical, double margin) {
  const double change = change_of(scale, margin);
  return is_difference(scale) ? typical + change : typical * (1 + change);
}

// How much worse than the typical value one is that is `factor` times it, or that part of it where higher is
// better. Differences may be typically near 0, where the margin is what counts.
double worse_by_factor(ShiftScale scale, double typical, double margin, double factor) {
  if (!is_difference(scale)) return std::log(factor);
  const double share = scale == ShiftScale::inverse_difference ? 1 - 1 / factor : factor - 1;
  return std::max(share * std::abs(typical), (factor - 1) * margin);
}

// The limits, the least one first, as how much worse than the typical value a run beyond them is.
std::vector<double> slow_limits(ShiftScale scale, double typical, double margin) {
  std::vector<double> limits = {margin};
  for (const double factor : {2.0, 4.0})
    if (const double limit = worse_by_factor(scale, typical, margin, factor); limit > margin)
      limits.push_back(limit);
  return limits;
}

// B's share of slow runs less A's, pair by pair. Rounded, so that 1 - 2/3 and 1/3 are tied.
std::vector<double> excess_of(const SideShares& a, const SideShares& b) {
  constexpr double kDigits = 1e9;
  std::vector<double> excess;
  for (std::size_t i = 0; i < a.shares.size(); ++i)
    excess.push_back(std::round(kDigits * (b.shares[i] - a.shares[i])) / kDigits);
  return excess;
}

// Takes into the result what one limit says, if it says more than those before.
void take_limit(const BeyondLimit& beyond, const std::vector<double>& excess, SlowRuns& result) {
  const SignedRankTest test = signed_rank_test(excess);
  if (test.p_greater < result.p_more) {
    result.p_more = test.p_greater;
    result.most_more = beyond;
  }
  if (test.p_less < result.p_fewer) {
    result.p_fewer = test.p_less;
    result.most_fewer = beyond;
  }
  result.excess = std::max(result.excess, summarize(excess).mean.value());
  const double upper = excess_upper_bound(excess);
  result.excess_upper = std::max(result.excess_upper, upper);
  if (upper < kMaxUnseenShare || !result.pairs_for_bound) return;
  const auto pairs = pairs_for_excess_bound(excess);
  result.pairs_for_bound = pairs ? std::optional(std::max(*pairs, *result.pairs_for_bound)) : std::nullopt;
}

}  // namespace

std::string to_string(PairedVerdict verdict) { return names_of(verdict).of_time; }

std::string quality_text(PairedVerdict verdict) { return names_of(verdict).of_metric; }

double change_of(ShiftScale scale, double shift) {
  const bool inverse = scale == ShiftScale::inverse_log_ratio || scale == ShiftScale::inverse_difference;
  const double change = inverse ? -shift : shift;
  return is_difference(scale) ? change : std::expm1(change);
}

bool is_difference(ShiftScale scale) {
  return scale != ShiftScale::log_ratio && scale != ShiftScale::inverse_log_ratio;
}

std::string shift_text(ShiftScale scale, double shift) {
  const double change = change_of(scale, shift);
  return is_difference(scale) ? fmt::format("{:+.3g}", change) : percent_text(100 * change);
}

bool rests_on_all_pairs(const PairedComparison& comparison) {
  if (comparison.quality || (comparison.verdict == PairedVerdict::pass && comparison.slow_runs.fewer()))
    return false;  // of a PASS in which A alone has a slow mode the usual runs are of interest
  return comparison.verdict == PairedVerdict::pass || comparison.verdict == PairedVerdict::inconclusive;
}

EstimatedShift shown_shift(const PairedComparison& comparison) {
  if (rests_on_all_pairs(comparison)) return comparison.whole;
  return {comparison.shift, comparison.interval};
}

std::string verdict_text(const PairedComparison& comparison) {
  return comparison.quality ? quality_text(comparison.verdict) : to_string(comparison.verdict);
}

void check(const QualityScale& scale, const std::string& name) {
  require_between(name + ": margin", scale.margin, 0, std::numeric_limits<double>::infinity());
  if (!scale.margin_absolute && scale.aim == QualityScale::Aim::near_ideal)
    throw usage_error("{}: margin: a share means nothing for a value that should be near {:g}", name,
                      scale.ideal);
  if (!scale.margin_absolute) require_between(name + ": margin", scale.margin, 0, 1);
}

ShiftScale quality_shift_scale(const QualityScale& quality) {
  const bool lower = quality.aim == QualityScale::Aim::lower;
  if (!quality.margin_absolute) return lower ? ShiftScale::log_ratio : ShiftScale::inverse_log_ratio;
  return lower                                      ? ShiftScale::difference
         : quality.aim == QualityScale::Aim::higher ? ShiftScale::inverse_difference
                                                    : ShiftScale::distance_from_ideal;
}

double worse_by(ShiftScale scale, double a, double b) {
  if (scale == ShiftScale::distance_from_ideal) return std::abs(b) - std::abs(a);
  if (is_difference(scale)) return scale == ShiftScale::difference ? b - a : a - b;
  return scale == ShiftScale::log_ratio ? log_ratio(b, a) : -log_ratio(b, a);
}

std::optional<double> clock_step(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  const auto [smallest, largest] = std::ranges::minmax(values);
  double step = largest;
  for (const double value : values) {
    step = common_step(std::max(step, value), std::min(step, value), kRounding * largest);
    if (!(step >= kSmallest * smallest)) return std::nullopt;
    step = largest / std::round(largest / step);  // the remainders have the rounding of all values before
  }
  // Least squares: what Euclid's algorithm leaves has the rounding of single values.
  double products = 0, squares = 0;
  for (const double value : values) {
    const double multiple = std::round(value / step);
    products += value * multiple;
    squares += multiple * multiple;
  }
  step = products / squares;
  for (const double value : values)
    if (!(std::abs(value - std::round(value / step) * step) <= kTolerance * step)) return std::nullopt;
  return step;
}

double excess_upper_bound(std::span<const double> excess) {
  const ExcessCounts counts = counts_of(excess);
  double low = 0, high = 1;  // a mode that B lacks altogether is bounded by 0
  constexpr int kHalvings = 60;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = 0.5 * low + 0.5 * high;
    if (middle >= 1) break;
    (refuted(counts, middle) ? high : low) = middle;
  }
  return high;
}

std::optional<std::size_t> pairs_for_excess_bound(std::span<const double> excess) {
  const ExcessCounts counts = counts_of(excess);
  const auto size = static_cast<double>(excess.size());
  const auto enough = [&](std::size_t pairs) {
    return refuted(counts, kMaxUnseenShare, static_cast<double>(pairs) / size);
  };
  if (!enough(kMaxPairsNamed)) return std::nullopt;
  std::size_t low = 0, high = kMaxPairsNamed;  // the stake only grows from where it is large enough
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

SlowRuns find_slow_runs(ShiftScale scale, double margin, const UnitRuns& a, const UnitRuns& b, int looks) {
  require_equal_lengths("runs_a", a.size(), "runs_b", b.size());
  std::vector<double> all;
  for (const UnitRuns* const side : {&a, &b})
    for (const std::vector<double>& runs : *side) all.insert(all.end(), runs.begin(), runs.end());
  SlowRuns result;
  result.typical = typical_of(all, scale == ShiftScale::distance_from_ideal);
  result.limit = limit_of(scale, result.typical, margin);
  result.level = kSlowRunAlpha / looks;
  result.excess = -1;
  result.excess_upper = 0;
  result.pairs_for_bound = 0;
  std::size_t tests = 0, before = 0;
  for (const double limit : slow_limits(scale, result.typical, margin)) {
    const SideShares of_a = count_side(scale, result.typical, limit, a);
    const SideShares of_b = count_side(scale, result.typical, limit, b);
    if (limit == margin) {
      result.a = of_a.side;
      result.b = of_b.side;
    }
    const std::size_t slow = of_a.side.slow_runs + of_b.side.slow_runs;
    if (slow == 0 && limit > margin) break;
    tests += slow != before;  // else the same runs are beyond it
    before = slow;
    take_limit({limit_of(scale, result.typical, limit), of_a.side.slow_runs, of_b.side.slow_runs},
               excess_of(of_a, of_b), result);
  }
  for (double* const p : {&result.p_more, &result.p_fewer})
    *p = std::min(1.0, static_cast<double>(std::max<std::size_t>(tests, 1)) * *p);
  if (result.excess_upper < kMaxUnseenShare) result.pairs_for_bound.reset();
  return result;
}

}  // namespace aqbench
