#include "harness/statistics/distributions.h"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <cstddef>
#include <map>
#include <tuple>

namespace aqbench {
namespace {

// Boost's incomplete beta function takes microseconds, and comparisons of as many pairs ask for the same
// values.
class Remembered {
 public:
  template <class Compute>
  double value(std::int64_t part, std::int64_t whole, double probability, const Compute& compute) {
    constexpr std::size_t kMaxValues = 10000;
    const std::tuple key(part, whole, probability);
    if (const auto known = values_.find(key); known != values_.end()) return known->second;
    if (values_.size() >= kMaxValues) values_.clear();
    return values_[key] = compute();
  }

 private:
  std::map<std::tuple<std::int64_t, std::int64_t, double>, double> values_;
};

}  // namespace

double normal_cdf(double z) { return boost::math::cdf(boost::math::normal(), z); }

double normal_quantile(double probability) {
  return boost::math::quantile(boost::math::normal(), probability);
}

double student_t_two_sided(double t, double degrees) {
  if (std::isinf(t)) return 0;
  return 2 * boost::math::cdf(boost::math::students_t(degrees), -std::abs(t));
}

double fair_coins_cdf(std::int64_t successes, std::int64_t trials) {
  if (successes < 0) return 0;
  if (successes >= trials) return 1;
  // P(X <= k) = I_{1/2}(n - k, k + 1)
  thread_local Remembered remembered;
  return remembered.value(successes, trials, 0.5, [&] {
    return boost::math::ibeta(static_cast<double>(trials - successes), static_cast<double>(successes) + 1,
                              0.5);
  });
}

double rate_upper_bound(std::int64_t events, std::int64_t trials, double confidence) {
  if (events >= trials) return 1;
  thread_local Remembered remembered;
  return remembered.value(events, trials, confidence, [&] {
    return boost::math::ibeta_inv(static_cast<double>(events) + 1, static_cast<double>(trials - events),
                                  confidence);
  });
}

}  // namespace aqbench
