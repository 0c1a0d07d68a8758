#pragma once
// Student's t for the difference of two means whose variances differ.

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace aqbench {

// Returns the degrees of freedom (Welch, 1947) of a + b, variances of means that have their own; infinity
// unless a + b is positive. Works with shares of the sum: squares of tiny variances are no numbers.
inline double welch_degrees(double a, double degrees_a, double b, double degrees_b) {
  if (!(a + b > 0)) return HUGE_VAL;
  const double share = a / (a + b);
  return 1 / (share * share / degrees_a + (1 - share) * (1 - share) / degrees_b);
}

// Returns how many standard errors the two-sided interval reaches: of Student's t, or of the normal
// distribution for infinitely many degrees of freedom.
inline double standard_errors(double degrees, double confidence) {
  const double upper = (1 + confidence) / 2;
  if (!(degrees < HUGE_VAL)) return quantile(boost::math::normal(), upper);
  return quantile(boost::math::students_t(degrees), upper);
}

// Returns how far rounding to multiples of `step` can move a mean of values with this variance: half a step,
// and less where noise of more than half a step spreads the values over several (Widrow and Kollar,
// "Quantization noise", 2008).
inline double rounding_of_mean(double step, double variance) {
  if (!(step > 0)) return 0;
  constexpr double kTwoPiSquared = 19.739208802178716;
  return step / 2 * std::exp(-kTwoPiSquared * std::max(0.0, variance / (step * step) - 0.25));
}

}  // namespace aqbench
