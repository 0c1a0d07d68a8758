#include "harness/ab/bisect.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <set>
#include <utility>

#include "core/error.h"

namespace aqbench {
namespace {

constexpr int kLooks = 4;
constexpr double kTau = 0.02;        // a share: less than this is no slow-down
constexpr std::size_t kMaxOpen = 3;  // commits that stay open before it ends with a range

class Bisector {
 public:
  Bisector(const BisectMeasure& measure, const BisectOptions& options,
           const std::function<void(const BisectStep&)>& tested)
      : measure_(measure), options_(options), tested_(tested) {}

  Bisection run(std::size_t commits) {
    found_.first_bad = commits - 1;
    const BisectStep whole = test(commits - 1, std::nullopt);
    if (whole.verdict == BisectVerdict::skipped)
      throw input_error("the bad commit cannot be measured: {}", whole.reason);
    found_.differs = whole.verdict == BisectVerdict::like_bad;
    if (!found_.differs) return std::move(found_);
    const double half = whole.comparison->whole.shift / 2;
    while (const auto commit = next()) {
      const BisectStep step = test(*commit, half);
      if (step.verdict == BisectVerdict::like_bad)
        found_.first_bad = *commit;
      else if (step.verdict == BisectVerdict::like_good)
        found_.last_good = *commit;
      else
        left_out_.insert(*commit);
      open_ += step.verdict == BisectVerdict::open ? 1 : 0;
    }
    return std::move(found_);
  }

 private:
  // Returns the commit nearest to the middle that was not left out; nullopt at the end.
  std::optional<std::size_t> next() const {
    if (open_ >= kMaxOpen) return std::nullopt;
    const std::size_t low = found_.last_good, high = found_.first_bad, middle = low + (high - low) / 2;
    std::optional<std::size_t> best;
    const auto distance = [&](std::size_t commit) {
      return commit > middle ? commit - middle : middle - commit;
    };
    for (std::size_t commit = low + 1; commit < high; ++commit)
      if (!left_out_.contains(commit) && (!best || distance(commit) < distance(*best))) best = commit;
    return best;
  }

  // Measures a commit until its shift is certainly above or below a limit; nullopt: what is worse at all.
  BisectStep test(std::size_t commit, std::optional<double> given) {
    BisectStep step{.commit = commit, .verdict = BisectVerdict::open, .comparison = std::nullopt};
    PairedSeries series;
    series.name = "bisection";
    series.quality = options_.quality;
    PairedPolicy policy;
    policy.alpha = kBisectAlpha;
    policy.tau = kTau;
    policy.looks = kLooks;
    policy.bootstrap_draws = policy.resolution_draws = 0;
    for (int look = 0; look < kLooks && step.verdict == BisectVerdict::open; ++look) {
      const std::size_t first = series.u_a.size();
      BisectPairs pairs = measure_(commit, first, look == 0 ? options_.pairs : first);
      if (!pairs.failure.empty()) {
        step.verdict = BisectVerdict::skipped;
        step.reason = std::move(pairs.failure);
        step.comparison.reset();
        break;
      }
      std::ranges::move(pairs.good, std::back_inserter(series.u_a));
      std::ranges::move(pairs.other, std::back_inserter(series.u_b));
      step.comparison = compare_pairs(std::span(&series, 1), policy).front();
      const PairedComparison& c = *step.comparison;
      const ShiftInterval& interval = c.if_dependent ? *c.if_dependent : c.whole.interval;
      const double limit = given.value_or(c.quality ? c.pass_below : c.flag_above);
      step.verdict = interval.lower > limit   ? BisectVerdict::like_bad
                     : interval.upper < limit ? BisectVerdict::like_good
                                              : BisectVerdict::open;
    }
    found_.steps.push_back(step);
    if (tested_) tested_(step);
    return step;
  }

  const BisectMeasure& measure_;
  const BisectOptions& options_;
  const std::function<void(const BisectStep&)>& tested_;
  Bisection found_;
  std::set<std::size_t> left_out_;
  std::size_t open_ = 0;
};

}  // namespace

std::string to_string(BisectVerdict verdict) {
  switch (verdict) {
    case BisectVerdict::like_good:
      return "like good";
    case BisectVerdict::like_bad:
      return "like bad";
    case BisectVerdict::open:
      return "open";
    case BisectVerdict::skipped:
      return "skipped";
  }
  std::abort();
}

Bisection bisect(std::size_t commits, const BisectMeasure& measure, const BisectOptions& options,
                 const std::function<void(const BisectStep&)>& tested) {
  return Bisector(measure, options, tested).run(commits);
}

}  // namespace aqbench
