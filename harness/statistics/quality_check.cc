#include "harness/statistics/quality_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/error.h"
#include "core/random.h"
#include "harness/statistics/checks.h"
#include "harness/statistics/distributions.h"
#include "harness/statistics/quality.h"

namespace aqbench {
namespace {

// Other numbers than those of check_blocks() and simulate_blocks().
constexpr std::uint32_t kAlarmSlot = 2, kPowerSlot = 3;
constexpr std::size_t kPowerShare = 4;
constexpr std::size_t kLeastBlocks = 3;

using Family = std::vector<PairedSeries>;

void require_family(std::span<const PairedSeries> metrics, std::size_t block) {
  if (metrics.empty()) throw Error(ErrorKind::usage, "metrics: none to check");
  for (const PairedSeries& metric : metrics) {
    require_equal_lengths("u_a", metric.u_a.size(), metric.name + ": u_b", metric.u_b.size());
    require_equal_lengths(metrics[0].name, metrics[0].u_a.size(), metric.name, metric.u_a.size());
    if (block == 0 || metric.u_a.size() / block < kLeastBlocks)
      throw Error(ErrorKind::input,
                  fmt::format("{}: pairs: {} measured, blocks of {} need at least {}", metric.name,
                              metric.u_a.size(), block, kLeastBlocks * std::max<std::size_t>(block, 1)));
  }
}

Family family_block(std::span<const PairedSeries> metrics, std::size_t start, std::size_t pairs) {
  const auto begin = static_cast<std::ptrdiff_t>(start), end = begin + static_cast<std::ptrdiff_t>(pairs);
  Family block;
  for (const PairedSeries& metric : metrics) {
    PairedSeries part;
    part.name = metric.name;
    part.quality = metric.quality;
    part.u_a.assign(metric.u_a.begin() + begin, metric.u_a.begin() + end);
    part.u_b.assign(metric.u_b.begin() + begin, metric.u_b.begin() + end);
    block.push_back(std::move(part));
  }
  return block;
}

// A block from a random start; in each pair a coin decides which unit is called B.
Family drawn_family(std::span<const PairedSeries> metrics, const RandomKey& key, std::uint32_t slot,
                    std::size_t number, std::size_t pairs) {
  const std::uint64_t first = number * (pairs + 1);
  const auto starts = static_cast<double>(metrics[0].u_a.size() - pairs + 1);
  Family block = family_block(metrics, static_cast<std::size_t>(uniform01(key, first, slot) * starts), pairs);
  for (std::size_t i = 0; i < pairs; ++i)
    if (uniform01(key, first + 1 + i, slot) < 0.5)
      for (PairedSeries& metric : block) std::swap(metric.u_a[i], metric.u_b[i]);
  return block;
}

// Makes B worse by the margin.
void plant_margin(PairedSeries& metric) {
  const QualityScale& scale = metric.quality.value();
  for (double& value : metric.u_b) switch (quality_shift_scale(scale)) {
      case ShiftScale::log_ratio:
        value *= 1 + scale.margin;
        break;
      case ShiftScale::inverse_log_ratio:
        value *= 1 - scale.margin;
        break;
      case ShiftScale::difference:
        value += scale.margin;
        break;
      case ShiftScale::inverse_difference:
        value -= scale.margin;
        break;
      case ShiftScale::distance_from_ideal:
        value += std::copysign(scale.margin, value - scale.ideal);
        break;
    }
}

bool calls_different(const Family& block, const PairedPolicy& policy) {
  return std::ranges::any_of(compare_pairs(block, policy),
                             [](const PairedComparison& one) { return needs_confirmation(one); });
}

QualityPower power_of(std::span<const PairedSeries> metrics, std::size_t metric, std::size_t pairs,
                      const BlockCheckRequest& request, const RandomKey& key, const PairedPolicy& policy) {
  QualityPower power{metrics[metric].name, pairs, std::max<std::size_t>(1, request.draws / kPowerShare)};
  for (std::size_t draw = 0; draw < power.draws; ++draw) {
    Family block = drawn_family(metrics, key, kPowerSlot, draw, pairs);
    plant_margin(block[metric]);
    power.worse += compare_pairs(block, policy)[metric].verdict == PairedVerdict::regressed;
  }
  return power;
}

}  // namespace

double rate_lower(const AlarmCount& count) {
  if (count.blocks == 0) return 0;
  return 1 - rate_upper_bound(static_cast<std::int64_t>(count.blocks - count.regressed),
                              static_cast<std::int64_t>(count.blocks), kAlarmConfidence);
}

QualityCheck check_quality(std::span<const PairedSeries> metrics, const BlockCheckRequest& request,
                           const PairedPolicy& given) {
  const std::size_t pairs = request.pairs_per_draw;
  require_family(metrics, pairs);
  PairedPolicy policy = given;
  policy.bootstrap_draws = 0;
  policy.resolution_draws = 0;
  const RandomKey key{request.seed, RandomStream::calibration_blocks};
  const std::size_t measured = metrics[0].u_a.size();
  QualityCheck check;
  check.no_noise =
      std::ranges::all_of(metrics, [](const PairedSeries& metric) { return metric.u_a == metric.u_b; });
  for (std::size_t start = 0; start + pairs <= measured; start += pairs) {
    ++check.separate.blocks;
    check.separate.regressed += calls_different(family_block(metrics, start, pairs), policy);
  }
  for (; check.simulated.blocks < request.draws; ++check.simulated.blocks)
    check.simulated.regressed +=
        calls_different(drawn_family(metrics, key, kAlarmSlot, check.simulated.blocks, pairs), policy);
  for (std::size_t metric = 0; metric < metrics.size(); ++metric)
    for (std::size_t size = pairs; kLeastBlocks * size <= measured && size <= 4 * pairs; size *= 2)
      check.powers.push_back(power_of(metrics, metric, size, request, key, policy));
  return check;
}

}  // namespace aqbench
