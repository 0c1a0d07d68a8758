#include "harness/statistics/checks.h"

#include <cmath>

#include "core/error.h"

namespace aqbench {

void require_finite(std::string_view field, std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) throw input_error("{}[{}] is {}, must be finite", field, i, values[i]);
  }
}

void require_positive(std::string_view field, std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(std::isfinite(values[i]) && values[i] > 0))
      throw input_error("{}[{}] is {}, must be finite and above 0", field, i, values[i]);
  }
}

void require_equal_lengths(std::string_view field_a, std::size_t size_a, std::string_view field_b,
                           std::size_t size_b) {
  if (size_a != size_b) throw input_error("{}: {} values, but {} has {}", field_b, size_b, field_a, size_a);
}

void require_not_empty(std::string_view field, std::size_t size) {
  if (size == 0) throw input_error("{}: empty", field);
}

void require_between(std::string_view field, double value, double low, double high) {
  if (!(value > low && value < high))
    throw usage_error("{} is {}, must be above {} and below {}", field, value, low, high);
}

void require_at_least(std::string_view field, double value, double low) {
  if (!(std::isfinite(value) && value >= low))
    throw usage_error("{} is {}, must be at least {}", field, value, low);
}

void require_at_most(std::string_view field, double value, double high) {
  if (!(std::isfinite(value) && value <= high))
    throw usage_error("{} is {}, must be at most {}", field, value, high);
}

}  // namespace aqbench
