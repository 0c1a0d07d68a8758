#pragma once
// Distribution functions that the statistics need (Boost.Math).

#include <cstdint>

namespace aqbench {

// Standard normal; 0 < probability < 1.
double normal_cdf(double z);
double normal_quantile(double probability);

// P(|T| >= |t|) of Student's t; 1 for t = 0, 0 for an infinite t. degrees > 0.
double student_t_two_sided(double t, double degrees);

// P(X <= successes) of `trials` fair coins; 0 for successes < 0, 1 for successes >= trials.
double fair_coins_cdf(std::int64_t successes, std::int64_t trials);

}  // namespace aqbench
