#pragma once
// The distribution functions that the statistics need (Boost.Math).

#include <cstdint>

namespace aqbench {

// Return P(Z <= z) of the standard normal distribution, and its inverse for 0 < probability < 1.
double normal_cdf(double z);
double normal_quantile(double probability);

// Returns P(|T| >= |t|) of Student's t distribution with `degrees` > 0; 1 for t = 0, 0 for an infinite t.
double student_t_two_sided(double t, double degrees);

// Returns P(X <= successes) for the heads of `trials` fair coins; 0 for successes < 0, 1 for
// successes >= trials.
double fair_coins_cdf(std::int64_t successes, std::int64_t trials);

// Returns the largest rate that `events` of `trials` > 0 allow, 0 <= events <= trials: the upper end of the
// one-sided exact interval of the given confidence (Clopper and Pearson 1934).
double rate_upper_bound(std::int64_t events, std::int64_t trials, double confidence);

}  // namespace aqbench
