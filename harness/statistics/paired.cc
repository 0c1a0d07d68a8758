#include "harness/statistics/paired.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "core/text.h"
#include "harness/statistics/checks.h"
#include "harness/statistics/holm.h"
#include "harness/statistics/pair_plan.h"
#include "harness/statistics/quality.h"
#include "harness/statistics/signed_rank.h"
#include "harness/statistics/summary.h"

namespace aqbench {
namespace {

// Indices of the quietest half, ascending.
std::vector<std::size_t> quietest_half(const PairedSeries& series) {
  std::vector<double> log_product(series.u_a.size());
  for (std::size_t i = 0; i < log_product.size(); ++i) {
    log_product[i] = std::log(series.u_a[i]) + std::log(series.u_b[i]);
    if (series.higher_is_better) log_product[i] = -log_product[i];
  }
  std::vector<std::size_t> order(log_product.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return log_product[a] < log_product[b]; });
  order.resize(kept_of(order.size()));
  std::sort(order.begin(), order.end());
  return order;
}

std::optional<double> cv_of_kept(const std::vector<double>& units, const std::vector<std::size_t>& kept) {
  std::vector<double> values;
  values.reserve(kept.size());
  for (const std::size_t i : kept) values.push_back(units[i]);
  return summarize(values).cv;
}

void check_series(const PairedSeries& series) {
  const std::string u_a = series.name + ": u_a", u_b = series.name + ": u_b";
  require_not_empty(u_a, series.u_a.size());
  require_equal_lengths("u_a", series.u_a.size(), u_b, series.u_b.size());
  if (series.quality) {
    check(*series.quality, series.name);
    require_finite(u_a, series.u_a);
    require_finite(u_b, series.u_b);
    if (series.quality->margin_absolute) return;
  }
  require_positive(u_a, series.u_a);
  require_positive(u_b, series.u_b);
  if (series.tau) require_at_least(series.name + ": tau", *series.tau, 0);
}

// Holds a case while it is compared.
struct Candidate {
  PairedComparison result;
  std::vector<double> differences;  // of the kept pairs; above 0 means that B is worse
};

Candidate quality_candidate_of(const PairedSeries& series) {
  Candidate candidate;
  PairedComparison& result = candidate.result;
  const QualityScale& quality = *series.quality;
  result.name = series.name;
  result.quality = true;
  result.scale = quality_shift_scale(quality);
  result.measured_pairs = series.u_a.size();
  result.kept.resize(series.u_a.size());
  std::iota(result.kept.begin(), result.kept.end(), std::size_t{0});
  for (const std::size_t i : result.kept)
    candidate.differences.push_back(
        worse_by(result.scale, series.u_a[i] - quality.ideal, series.u_b[i] - quality.ideal));
  require_finite(series.name + ": differences", candidate.differences);
  result.cv_a = cv_of_kept(series.u_a, result.kept);
  result.cv_b = cv_of_kept(series.u_b, result.kept);
  // A share is of what is measured: a precision that is 5 % lower is 0.95 of it.
  const double sign = quality.better == QualityScale::Better::higher ? -1 : 1;
  result.pass_below = quality.margin_absolute ? quality.margin : sign * std::log1p(sign * quality.margin);
  return candidate;
}

Candidate candidate_of(const PairedSeries& series, const PairedPolicy& policy) {
  if (series.quality) return quality_candidate_of(series);
  Candidate candidate;
  PairedComparison& result = candidate.result;
  result.name = series.name;
  result.scale = series.higher_is_better ? ShiftScale::inverse_log_ratio : ShiftScale::log_ratio;
  result.measured_pairs = series.u_a.size();
  result.kept = quietest_half(series);
  for (const std::size_t i : result.kept)
    candidate.differences.push_back(worse_by(result.scale, series.u_a[i], series.u_b[i]));
  require_finite(series.name + ": ln(u_b / u_a)", candidate.differences);
  result.cv_a = cv_of_kept(series.u_a, result.kept);
  result.cv_b = cv_of_kept(series.u_b, result.kept);

  // Thresholds are shares of what is measured: a throughput that is 5 % lower is a time that is 1 / 0.95
  // longer.
  const double tau = std::max(policy.tau, series.tau.value_or(0));
  const double sign = series.higher_is_better ? -1 : 1;
  result.flag_above = sign * std::log1p(sign * tau);
  result.pass_below = sign * std::log1p(sign * policy.delta);
  result.flag_below = -result.flag_above;
  if (tau > policy.delta) {
    result.verdict = PairedVerdict::refused;
    result.reason =
        fmt::format("too noisy to be gated here: A/A runs ask for tau {:.1f} %, above delta {:.1f} %",
                    100 * tau, 100 * policy.delta);
  }
  return candidate;
}

void estimate(Candidate& candidate, const PairedPolicy& policy, double strictest_alpha) {
  PairedComparison& result = candidate.result;
  const SignedRankTest test = signed_rank_test(candidate.differences);
  result.zeros = test.zeros;
  result.ties = test.ties;
  // Two-sided where any difference counts.
  result.p_worse = result.quality ? std::min(1.0, 2 * test.p_greater) : test.p_greater;
  result.p_better = result.quality ? std::min(1.0, 2 * test.p_less) : test.p_less;
  result.level = policy.alpha / policy.looks;
  const double confidence = 1 - result.level;
  const HodgesLehmann shift = hodges_lehmann(candidate.differences, confidence);
  result.shift = shift.estimate;
  result.interval = shift.interval.value();  // there is one for minimum_kept_pairs()
  if (policy.bootstrap_draws > 0) {
    result.bootstrap =
        bootstrap_hodges_lehmann(candidate.differences, confidence, policy.bootstrap_draws, policy.seed);
  }
  if (policy.resolution_draws > 0) {
    result.visible_shift = smallest_visible_shift(
        candidate.differences, {result.flag_above, strictest_alpha / (result.quality ? 2 : 1), policy.power,
                                policy.resolution_draws, policy.seed});
  }
}

std::string flag_reason(const PairedComparison& result, double threshold, double p_holm) {
  return fmt::format("shift {} is beyond {}, p {:.2g} after Holm is at most {:.2g}",
                     shift_text(result.scale, result.shift), shift_text(result.scale, threshold), p_holm,
                     result.level);
}

void judge(PairedComparison& result) {
  if (result.quality) return judge_quality(result);
  const double more = 1 + kThresholdRounding;
  if (result.p_worse_holm <= result.level && result.shift > result.flag_above * more) {
    result.verdict = PairedVerdict::regressed;
    result.reason = flag_reason(result, result.flag_above, result.p_worse_holm);
  } else if (result.p_better_holm <= result.level && result.shift < result.flag_below * more) {
    result.verdict = PairedVerdict::faster;
    result.reason = flag_reason(result, result.flag_below, result.p_better_holm);
  } else if (result.interval.upper < result.pass_below * (1 - kThresholdRounding)) {
    result.verdict = PairedVerdict::pass;
  } else {
    result.verdict = PairedVerdict::inconclusive;
    result.reason = fmt::format("the interval's worse end {} is not within {}, and ",
                                shift_text(result.scale, result.interval.upper),
                                shift_text(result.scale, result.pass_below));
    result.reason +=
        result.shift > result.flag_above * more
            ? fmt::format("p {:.2g} after Holm is above {:.2g}", result.p_worse_holm, result.level)
            : fmt::format("the shift {} is not beyond {}", shift_text(result.scale, result.shift),
                          shift_text(result.scale, result.flag_above));
  }
}

void require_enough(const PairedComparison& result, std::size_t gated, const PairedPolicy& policy) {
  const std::size_t minimum = minimum_kept_pairs(policy, gated, result.quality ? 2 : 1);
  if (result.kept.size() >= minimum) return;
  throw Error(ErrorKind::input,
              fmt::format("{}: pairs: {} measured, {} kept; {} x {} at alpha {} need {} kept, {} measured",
                          result.name, result.measured_pairs, result.kept.size(), counted(gated, "case"),
                          counted(static_cast<std::size_t>(policy.looks), "look"), policy.alpha, minimum,
                          result.quality ? minimum : measured_for(minimum)));
}

}  // namespace

std::vector<PairedComparison> compare_pairs(std::span<const PairedSeries> series,
                                            const PairedPolicy& policy) {
  check(policy);
  require_not_empty("series", series.size());
  std::vector<Candidate> candidates;
  for (const PairedSeries& one : series) {
    check_series(one);
    candidates.push_back(candidate_of(one, policy));
  }
  const auto is_gated = [](const Candidate& c) { return c.result.verdict != PairedVerdict::refused; };
  // At least 1: where all cases are refused, what they could have seen is still computed.
  const auto gated = static_cast<std::size_t>(
      std::max<std::ptrdiff_t>(1, std::count_if(candidates.begin(), candidates.end(), is_gated)));
  const double strictest_alpha = policy.alpha / policy.looks / static_cast<double>(gated);

  std::vector<double> p_worse, p_better;
  for (Candidate& candidate : candidates) {
    require_enough(candidate.result, gated, policy);
    estimate(candidate, policy, strictest_alpha);
    if (!is_gated(candidate)) continue;
    p_worse.push_back(candidate.result.p_worse);
    p_better.push_back(candidate.result.p_better);
  }
  const std::vector<double> p_worse_holm = holm(p_worse), p_better_holm = holm(p_better);
  std::vector<PairedComparison> results;
  std::size_t next = 0;
  for (Candidate& candidate : candidates) {
    if (is_gated(candidate)) {
      candidate.result.p_worse_holm = p_worse_holm[next];
      candidate.result.p_better_holm = p_better_holm[next];
      ++next;
      judge(candidate.result);
    }
    results.push_back(std::move(candidate.result));
  }
  return results;
}

bool needs_top_up(const PairedComparison& comparison, int look, const PairedPolicy& policy) {
  return comparison.verdict == PairedVerdict::inconclusive && look < policy.looks;
}

bool needs_confirmation(const PairedComparison& comparison) {
  return comparison.verdict == PairedVerdict::regressed || comparison.verdict == PairedVerdict::faster;
}

Confirmation confirm(const PairedComparison& first, const PairedComparison& fresh) {
  if (first.name != fresh.name) {
    throw Error(ErrorKind::input,
                fmt::format("name: '{}' cannot be confirmed by pairs of '{}'", first.name, fresh.name));
  }
  if (!needs_confirmation(first)) return {first.verdict, first.reason};
  if (fresh.verdict == first.verdict) return {first.verdict, "confirmed by fresh pairs: " + fresh.reason};
  return {PairedVerdict::inconclusive,
          fmt::format("{} was not confirmed: fresh pairs give {}, shift {} after {}", verdict_text(first),
                      verdict_text(fresh), shift_text(fresh.scale, fresh.shift),
                      shift_text(first.scale, first.shift))};
}

}  // namespace aqbench
