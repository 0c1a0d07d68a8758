#include "harness/statistics/slow_runs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "harness/statistics/checks.h"
#include "harness/statistics/quality.h"
#include "harness/statistics/signed_rank.h"
#include "harness/statistics/summary.h"

namespace aqbench {
namespace {

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

}  // namespace

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
  const SideShares of_a = count_side(scale, result.typical, margin, a);
  const SideShares of_b = count_side(scale, result.typical, margin, b);
  result.a = of_a.side;
  result.b = of_b.side;
  // Rounded, so that 1 - 2/3 and 1/3 are tied.
  constexpr double kDigits = 1e9;
  std::vector<double> excess;
  for (std::size_t i = 0; i < a.size(); ++i)
    excess.push_back(std::round(kDigits * (of_b.shares[i] - of_a.shares[i])) / kDigits);
  result.excess = summarize(excess).mean.value();
  const SignedRankTest test = signed_rank_test(excess);
  result.p_more = test.p_greater;
  result.p_fewer = test.p_less;
  result.level = kSlowRunAlpha / looks;
  result.excess_upper = excess_upper_bound(excess);
  if (result.excess_upper >= kMaxUnseenShare) result.pairs_for_bound = pairs_for_excess_bound(excess);
  return result;
}

}  // namespace aqbench
