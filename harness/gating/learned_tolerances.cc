#include "harness/gating/learned_tolerances.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <map>
#include <optional>

#include "core/error.h"
#include "core/text.h"
#include "harness/statistics/distributions.h"
#include "harness/statistics/summary.h"

namespace aqbench {
namespace {

// "x/y" of "x/y/seed=42" and "x/y/seed=43".
std::string without_seed(const std::string& name) {
  const std::size_t start = name.find("/seed=");
  if (start == std::string::npos) return name;
  const std::size_t end = name.find('/', start + 1);
  return name.substr(0, start) + (end == std::string::npos ? "" : name.substr(end));
}

// How far apart the value of a seed now and its value in the baseline may be, with all `rows` of a suite
// within it in 99 % of runs (Bonferroni): Student's quantile x sd x sqrt(2), the difference of two draws.
double learned_half_width(double sd, std::size_t seeds, std::size_t rows) {
  const auto n = static_cast<double>(seeds);
  // Student's quantile by bisection of its two-sided probability.
  double low = 0, high = 1000;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (student_t_two_sided(middle, n - 1) > 0.01 / static_cast<double>(rows) ? low : high) = middle;
  }
  return high * sd * std::sqrt(2);
}

// A metric of cases that differ in their seed alone, and how it varies over them.
struct VaryingMetric {
  const std::vector<BaselineCase*>* cases;
  std::string name;
  double sd;
};

}  // namespace

void learn_tolerances(Baseline& baseline, std::vector<std::string>& notes) {
  std::map<std::string, std::vector<BaselineCase*>> groups;
  for (BaselineCase& one : baseline.cases) groups[without_seed(one.name)].push_back(&one);
  std::vector<VaryingMetric> varying;
  std::size_t rows = 0, enough_seeds = 0;
  for (const auto& [name, cases] : groups) {
    if (cases.size() < kLeastSeeds) {
      notes.push_back(fmt::format("{}: {}, tolerances need {} to be learned", name,
                                  counted(cases.size(), "seed"), kLeastSeeds));
      continue;
    }
    ++enough_seeds;
    for (const auto& [metric, first] : cases.front()->metrics) {
      std::vector<double> values;
      for (const BaselineCase* one : cases)
        if (const BaselineMetric* accepted = find_metric(*one, metric)) values.push_back(accepted->value);
      const std::optional<double> sd = summarize(values).sd;
      if (values.size() != cases.size() || !sd || !(*sd > 0)) continue;
      varying.push_back({&cases, metric, *sd});
      rows += cases.size();
    }
    notes.push_back(
        fmt::format("{}: tolerances are learned from {}, so that a suite that has not changed "
                    "passes in 99 %",
                    name, counted(cases.size(), "seed")));
  }
  for (const VaryingMetric& metric : varying) {
    const std::size_t seeds = metric.cases->size();
    const Tolerance learned{Tolerance::Kind::absolute, learned_half_width(metric.sd, seeds, rows),
                            static_cast<int>(seeds)};
    for (BaselineCase* one : *metric.cases)
      for (auto& [other, accepted] : one->metrics)
        if (other == metric.name) accepted.tolerance = learned;
  }
  if (varying.empty())
    throw Error(
        ErrorKind::usage,
        enough_seeds > 0
            ? std::string(
                  "--tolerances-from-seeds: no metric varies over the seeds: the usual tolerances hold")
            : fmt::format("--tolerances-from-seeds: no case ran with {} seeds (sweep --repeat)",
                          kLeastSeeds));
}

}  // namespace aqbench
