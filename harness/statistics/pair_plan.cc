#include "harness/statistics/pair_plan.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "core/text.h"
#include "harness/statistics/checks.h"
#include "harness/statistics/distributions.h"
#include "harness/statistics/hodges_lehmann.h"

namespace aqbench {
namespace {

constexpr double kPairsOnTop = 4;  // for the discreteness of small samples

void check_question(const PowerQuestion& question) {
  require_between("alpha", question.alpha, 0, 0.5);
  require_at_least("tau", question.tau, 0);
  require_between("effect", question.effect, question.tau, 10);
  require_at_least("cv", question.noise.cv, 0);
  require_at_least("correlation", question.noise.correlation, -1);
  require_at_most("correlation", question.noise.correlation, 1);
}

// Pairs for each unit of (z_{1-alpha} + z_power)^2.
double pairs_per_squared_z(const PowerQuestion& question) {
  const double gap = std::log1p(question.effect) - std::log1p(question.tau);
  const double variance = 2 * question.noise.cv * question.noise.cv * (1 - question.noise.correlation);
  return std::numbers::pi / 3 * variance / (gap * gap);
}

double sum_of_products(std::span<const double> x, std::span<const double> y) {
  const auto n = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - mean_x) * (y[i] - mean_y);
  return sum;
}

}  // namespace

double unit_of(std::span<const double> warm_runs) {
  if (warm_runs.size() < kMinWarmRuns)
    throw input_error("warm_runs: {} runs, a unit needs at least {}", warm_runs.size(), kMinWarmRuns);
  require_positive("warm_runs", warm_runs);
  return *std::min_element(warm_runs.begin(), warm_runs.end());
}

bool b_runs_first(std::uint64_t seed, std::uint64_t pair) {
  return uniform01({seed, RandomStream::pair_order}, pair) < 0.5;
}

std::size_t minimum_kept_pairs(const PairedPolicy& policy, std::size_t cases, int sides) {
  check(policy);
  require_at_least("cases", static_cast<double>(cases), 1);
  const double level = policy.alpha / (static_cast<double>(cases) * policy.looks);
  int pairs = 1;
  while (std::ldexp(sides, -pairs) > level) ++pairs;
  return std::max(static_cast<std::size_t>(pairs),
                  minimum_pairs_for_interval(1 - policy.alpha / policy.looks));
}

PairNoise estimate_pair_noise(std::span<const double> u_a, std::span<const double> u_b) {
  require_equal_lengths("u_a", u_a.size(), "u_b", u_b.size());
  require_positive("u_a", u_a);
  require_positive("u_b", u_b);
  if (u_a.size() < 3) throw input_error("u_a: {} pairs, their noise needs at least 3", u_a.size());
  std::vector<double> log_a, log_b;
  for (const double u : u_a) log_a.push_back(std::log(u));
  for (const double u : u_b) log_b.push_back(std::log(u));
  const double squares = sum_of_products(log_a, log_a) + sum_of_products(log_b, log_b);
  PairNoise noise;
  noise.cv = std::sqrt(squares / 2 / static_cast<double>(u_a.size() - 1));
  if (squares > 0) noise.correlation = 2 * sum_of_products(log_a, log_b) / squares;
  return noise;
}

std::size_t pairs_for_power(const PowerQuestion& question, double power) {
  check_question(question);
  require_at_least("power", power, 0.5);
  require_between("power", power, 0, 1);
  const double z = normal_quantile(1 - question.alpha) + normal_quantile(power);
  return static_cast<std::size_t>(std::ceil(pairs_per_squared_z(question) * z * z + kPairsOnTop));
}

double power_of_pairs(const PowerQuestion& question, std::size_t pairs) {
  check_question(question);
  const double useful = static_cast<double>(pairs) - kPairsOnTop;
  if (useful <= 0) return 0;
  const double per_squared_z = pairs_per_squared_z(question);
  if (per_squared_z == 0) return 1;  // no noise
  return normal_cdf(std::sqrt(useful / per_squared_z) - normal_quantile(1 - question.alpha));
}

PairPlan plan_pairs(const PairedPolicy& policy, std::size_t cases, std::size_t wanted_measured,
                    std::optional<PairNoise> noise, double effect) {
  PairPlan plan;
  plan.minimum_kept = minimum_kept_pairs(policy, cases);
  if (wanted_measured != 0 && kept_of(wanted_measured) < plan.minimum_kept) {
    throw usage_error("pairs: {} measured keep {}; {} x {} at alpha {} need {} kept, {} measured",
                      wanted_measured, kept_of(wanted_measured), counted(cases, "comparison"),
                      counted(static_cast<std::size_t>(policy.looks), "look"), policy.alpha,
                      plan.minimum_kept, measured_for(plan.minimum_kept));
  }
  plan.kept_pairs = std::max(plan.minimum_kept, kept_of(wanted_measured));
  if (noise) {
    const PowerQuestion question{policy.alpha / (static_cast<double>(cases) * policy.looks), policy.tau,
                                 effect, *noise};
    plan.kept_for_power = pairs_for_power(question, policy.power);
    if (wanted_measured == 0) plan.kept_pairs = std::max(plan.kept_pairs, *plan.kept_for_power);
    plan.power = power_of_pairs(question, plan.kept_pairs);
    plan.confirmed_power = *plan.power * *plan.power;
  }
  plan.measured_pairs = wanted_measured != 0 ? wanted_measured : measured_for(plan.kept_pairs);
  return plan;
}

}  // namespace aqbench
