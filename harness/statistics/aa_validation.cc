#include "harness/statistics/aa_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "harness/statistics/checks.h"

namespace aqbench {
namespace {

PairedVerdict judge_block(const PairedSeries& measured, std::size_t start, const BlockCheckRequest& request,
                          const PairedPolicy& policy) {
  const auto begin = static_cast<std::ptrdiff_t>(start);
  const auto end = begin + static_cast<std::ptrdiff_t>(request.pairs_per_suite);
  PairedSeries block;
  block.name = measured.name;
  block.higher_is_better = measured.higher_is_better;
  block.tau = measured.tau;
  block.u_a.assign(measured.u_a.begin() + begin, measured.u_a.begin() + end);
  block.u_b.assign(measured.u_b.begin() + begin, measured.u_b.begin() + end);
  for (double& u : block.u_b) u *= request.injected_ratio;
  return compare_pairs(std::span(&block, 1), policy).front().verdict;
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

BlockCheck check_blocks(const PairedSeries& measured, const BlockCheckRequest& request,
                        const PairedPolicy& policy) {
  require_equal_lengths("u_a", measured.u_a.size(), measured.name + ": u_b", measured.u_b.size());
  require_between("injected_ratio", request.injected_ratio, 0, 1000);
  const std::size_t size = measured.u_a.size(), block = request.pairs_per_suite;
  if (block == 0 || size / block < 3) {
    throw Error(ErrorKind::input,
                fmt::format("{}: pairs: {} measured, blocks of {} need at least {}", measured.name, size,
                            block, 3 * std::max<std::size_t>(block, 1)));
  }
  PairedPolicy verdict_only = policy;
  verdict_only.bootstrap_draws = 0;
  verdict_only.resolution_draws = 0;
  const RandomKey key{request.seed, RandomStream::calibration_blocks};
  const auto pick = [](double u, std::size_t choices) {
    return static_cast<std::size_t>(u * static_cast<double>(choices));
  };
  BlockCheck result;
  result.suites = request.suites;
  for (std::size_t suite = 0; suite < request.suites; ++suite) {
    const auto u = uniform01_pair(key, suite);
    const std::size_t start = pick(u[0], size - block + 1);
    const PairedVerdict verdict = judge_block(measured, start, request, verdict_only);
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
    if (judge_block(measured, other, request, verdict_only) == PairedVerdict::regressed) {
      ++result.confirmed_regressed;
    }
  }
  return result;
}

}  // namespace aqbench
