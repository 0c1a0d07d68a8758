#include "harness/gating/accept.h"

#include <fmt/format.h>

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>
#include <optional>

#include "core/error.h"
#include "core/text.h"
#include "harness/gating/gate.h"
#include "harness/records/case_name.h"
#include "harness/statistics/summary.h"

namespace aqbench {
namespace {

constexpr double kMaxLearnedShare = 0.9;

// Returns the allowed distance, in standard deviations, between a seed's value now and in the baseline, such
// that all `rows` of a suite are within it in 99 % of runs (Bonferroni): Student's quantile x sqrt(2) for the
// difference of two draws.
double half_width_in_deviations(std::size_t seeds, std::size_t rows) {
  const boost::math::students_t_distribution student(static_cast<double>(seeds) - 1);
  return quantile(complement(student, 0.005 / static_cast<double>(rows))) * std::sqrt(2);
}

// A metric over the seeds of otherwise equal cases, and its accepted values.
struct VaryingMetric {
  std::vector<BaselineMetric*> accepted;
  std::size_t seeds;
  double sd;
};

using SeededCases = std::vector<const BaselineCase*>;

// Adds metrics that vary over the seeds. Returns whether the baseline has such a case.
bool add_varying(const std::string& name, const SeededCases& seeded, Baseline& baseline,
                 std::vector<VaryingMetric>& varying) {
  std::vector<BaselineCase*> accepted;
  for (BaselineCase& one : baseline.cases) {
    if (name_without_seed(one.name) != name) continue;
    if (const auto differences = option_differences({one.options, {}}, {seeded.front()->options, {}});
        !differences.empty())
      throw not_comparable_error("tolerances of {}: {}", one.name, differences.front());
    accepted.push_back(&one);
  }
  for (const auto& [metric, first] : seeded.front()->metrics) {
    std::vector<double> values;
    for (const BaselineCase* one : seeded)
      if (const BaselineMetric* value = find_metric(*one, metric)) values.push_back(value->value);
    const std::optional<double> sd = summarize(values).sd;
    if (values.size() != seeded.size() || !sd || !(*sd > 0)) continue;
    VaryingMetric found{{}, seeded.size(), *sd};
    for (BaselineCase* const one : accepted)
      for (auto& [other, value] : one->metrics)
        if (other == metric) found.accepted.push_back(&value);
    if (!found.accepted.empty()) varying.push_back(std::move(found));
  }
  return !accepted.empty();
}

}  // namespace

void learn_tolerances(const std::vector<BaselineCase>& seeded, Baseline& baseline,
                      std::vector<std::string>& notes) {
  std::map<std::string, SeededCases> groups;
  for (const BaselineCase& one : seeded) groups[name_without_seed(one.name)].push_back(&one);
  std::vector<VaryingMetric> varying;
  std::size_t rows = 0, enough_seeds = 0;
  for (const auto& [name, cases] : groups) {
    if (cases.size() < kLeastSeeds) {
      notes.push_back(fmt::format("{}: {}, tolerances need {} to be learned", name,
                                  counted(cases.size(), "seed"), kLeastSeeds));
      continue;
    }
    ++enough_seeds;
    const bool is_accepted = add_varying(name, cases, baseline, varying);
    notes.push_back(is_accepted
                        ? fmt::format("{}: tolerances are learned from {}, so that a suite that has not "
                                      "changed passes in 99 %",
                                      name, counted(cases.size(), "seed"))
                        : fmt::format("{}: the baseline has no such case", name));
  }
  for (const VaryingMetric& metric : varying) rows += metric.accepted.size();
  std::map<std::size_t, double> half_widths;  // by the number of seeds
  for (const VaryingMetric& metric : varying) {
    const auto [known, is_new] = half_widths.try_emplace(metric.seeds);
    if (is_new) known->second = half_width_in_deviations(metric.seeds, rows);
    for (BaselineMetric* const accepted : metric.accepted)
      accepted->tolerance = {Tolerance::Kind::absolute, known->second * metric.sd,
                             static_cast<int>(metric.seeds)};
  }
  if (varying.empty())
    throw Error(
        ErrorKind::usage,
        enough_seeds > 0
            ? std::string(
                  "tolerances from seeds: no accepted metric varies over the seeds: the usual ones hold")
            : fmt::format("tolerances from seeds: no case ran with {} seeds (sweep --repeat)", kLeastSeeds));
}

void cap_learned_tolerances(Baseline& baseline, std::vector<std::string>& notes) {
  std::size_t capped = 0;
  for (BaselineCase& one : baseline.cases)
    for (auto& [name, metric] : one.metrics) {
      const bool is_share = metric.tolerance.kind == Tolerance::Kind::relative;
      const double most = is_share ? kMaxLearnedShare : kMaxLearnedShare * metric.value;
      if (metric.tolerance.learned_from_seeds == 0 || metric.better != Better::higher ||
          !(metric.value > 0) || metric.tolerance.value <= most)
        continue;
      metric.tolerance.value = most;
      ++capped;
    }
  if (capped > 0)
    notes.push_back(
        fmt::format("tolerances of {} were cut to {} % of the value: seeds differ by about as much",
                    counted(capped, "metric"), 100 * kMaxLearnedShare));
}

}  // namespace aqbench
