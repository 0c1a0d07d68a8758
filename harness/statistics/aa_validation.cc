#include "harness/statistics/aa_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "harness/statistics/checks.h"
#include "harness/statistics/distributions.h"

namespace aqbench {
namespace {

PairedSeries block_of(const PairedSeries& measured, std::size_t start, std::size_t pairs) {
  const auto begin = static_cast<std::ptrdiff_t>(start);
  const auto end = begin + static_cast<std::ptrdiff_t>(pairs);
  PairedSeries block;
  block.name = measured.name;
  block.higher_is_better = measured.higher_is_better;
  block.tau = measured.tau;
  block.u_a.assign(measured.u_a.begin() + begin, measured.u_a.begin() + end);
  block.u_b.assign(measured.u_b.begin() + begin, measured.u_b.begin() + end);
  return block;
}

PairedVerdict verdict_of(const PairedSeries& block, const PairedPolicy& policy) {
  return compare_pairs(std::span(&block, 1), policy).front().verdict;
}

PairedVerdict judge_block(const PairedSeries& measured, std::size_t start, const BlockCheckRequest& request,
                          const PairedPolicy& policy) {
  PairedSeries block = block_of(measured, start, request.pairs_per_draw);
  for (double& u : block.u_b) u *= request.injected_ratio;
  return verdict_of(block, policy);
}

PairedPolicy verdict_only(PairedPolicy policy) {
  policy.bootstrap_draws = 0;
  policy.resolution_draws = 0;
  return policy;
}

// Throws unless there are three blocks of pairs.
void require_blocks(const PairedSeries& measured, std::size_t block) {
  require_equal_lengths("u_a", measured.u_a.size(), measured.name + ": u_b", measured.u_b.size());
  if (block > 0 && measured.u_a.size() / block >= 3) return;
  throw Error(ErrorKind::input,
              fmt::format("{}: pairs: {} measured, blocks of {} need at least {}", measured.name,
                          measured.u_a.size(), block, 3 * std::max<std::size_t>(block, 1)));
}

std::size_t pick(double u, std::size_t choices) {
  return static_cast<std::size_t>(u * static_cast<double>(choices));
}

}  // namespace

CaseTau tau_of_case(std::span<const double> aa_shifts, const PairedPolicy& policy) {
  check(policy);
  require_finite("aa_shifts", aa_shifts);
  CaseTau result;
  result.aa_runs = aa_shifts.size();
  result.tau = policy.tau;
  if (!aa_shifts.empty()) {
    std::vector<double> magnitudes;
    for (const double shift : aa_shifts) magnitudes.push_back(std::abs(shift));
    std::sort(magnitudes.begin(), magnitudes.end());
    const std::size_t rank = (99 * magnitudes.size() + 99) / 100;  // rounded up
    result.p99_abs_shift = magnitudes[rank - 1];
    result.tau = std::max(result.tau, std::expm1(*result.p99_abs_shift));
  }
  result.above_delta = result.tau > policy.delta;
  return result;
}

double AlarmCount::rate_upper() const {
  return blocks == 0 ? 1
                     : rate_upper_bound(static_cast<std::int64_t>(regressed),
                                        static_cast<std::int64_t>(blocks), kAlarmConfidence);
}

std::size_t blocks_to_bound(double rate) {
  require_between("rate", rate, 0, 1);
  return static_cast<std::size_t>(std::ceil(std::log(1 - kAlarmConfidence) / std::log1p(-rate)));
}

AlarmCount count_separate_blocks(const PairedSeries& measured, std::size_t pairs_per_draw,
                                 const PairedPolicy& policy) {
  require_blocks(measured, pairs_per_draw);
  AlarmCount count;
  for (std::size_t start = 0; start + pairs_per_draw <= measured.u_a.size(); start += pairs_per_draw) {
    ++count.blocks;
    const PairedSeries block = block_of(measured, start, pairs_per_draw);
    if (verdict_of(block, verdict_only(policy)) == PairedVerdict::regressed) ++count.regressed;
  }
  return count;
}

AlarmCount simulate_blocks(const PairedSeries& measured, const BlockCheckRequest& request,
                           const PairedPolicy& policy) {
  require_blocks(measured, request.pairs_per_draw);
  const std::size_t starts = measured.u_a.size() - request.pairs_per_draw + 1;
  const RandomKey key{request.seed, RandomStream::calibration_blocks};
  constexpr std::uint32_t kSlot = 1;  // check_blocks() draws from slot 0
  AlarmCount count;
  for (; count.blocks < request.draws; ++count.blocks) {
    const std::uint64_t first = count.blocks * (request.pairs_per_draw + 1);
    PairedSeries block =
        block_of(measured, pick(uniform01(key, first, kSlot), starts), request.pairs_per_draw);
    for (std::size_t i = 0; i < block.u_a.size(); ++i)
      if (uniform01(key, first + 1 + i, kSlot) < 0.5) std::swap(block.u_a[i], block.u_b[i]);
    if (verdict_of(block, verdict_only(policy)) == PairedVerdict::regressed) ++count.regressed;
  }
  return count;
}

BlockCheck check_blocks(const PairedSeries& measured, const BlockCheckRequest& request,
                        const PairedPolicy& policy) {
  require_blocks(measured, request.pairs_per_draw);
  require_between("injected_ratio", request.injected_ratio, 0, 1000);
  const std::size_t size = measured.u_a.size(), block = request.pairs_per_draw;
  const PairedPolicy quick = verdict_only(policy);
  const RandomKey key{request.seed, RandomStream::calibration_blocks};
  BlockCheck result;
  result.draws = request.draws;
  for (std::size_t draw = 0; draw < request.draws; ++draw) {
    const auto u = uniform01_pair(key, draw);
    const std::size_t start = pick(u[0], size - block + 1);
    const PairedVerdict verdict = judge_block(measured, start, request, quick);
    if (verdict == PairedVerdict::faster) ++result.faster;
    if (verdict == PairedVerdict::pass) ++result.pass;
    if (verdict == PairedVerdict::inconclusive) ++result.inconclusive;
    if (verdict != PairedVerdict::regressed) continue;
    ++result.regressed;
    // Starts of blocks that end before this one, then of those that begin after it.
    const std::size_t before = start >= block ? start - block + 1 : 0;
    const std::size_t after = start + 2 * block <= size ? size - start - 2 * block + 1 : 0;
    const std::size_t choice = pick(u[1], before + after);
    const std::size_t other = choice < before ? choice : start + block + (choice - before);
    if (judge_block(measured, other, request, quick) == PairedVerdict::regressed) {
      ++result.confirmed_regressed;
    }
  }
  return result;
}

}  // namespace aqbench
