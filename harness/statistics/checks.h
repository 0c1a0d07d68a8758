#pragma once
// Checks of the arguments of the statistics; each error is one line that names the field.

#include <cstddef>
#include <span>
#include <string_view>

namespace aqbench {

// Throws Error(input) "u_b[4] is nan, must be finite".
void require_finite(std::string_view field, std::span<const double> values);

// Throws Error(input) "u_b[4] is -1, must be finite and above 0".
void require_positive(std::string_view field, std::span<const double> values);

// Throws Error(input) "u_b: 3 values, but u_a has 4".
void require_equal_lengths(std::string_view field_a, std::size_t size_a, std::string_view field_b,
                           std::size_t size_b);

// Throws Error(input) "differences: empty".
void require_not_empty(std::string_view field, std::size_t size);

// Throws Error(usage) "alpha is 1.5, must be above 0 and below 1" unless low < value < high; for options.
void require_between(std::string_view field, double value, double low, double high);

// Throw Error(usage) "looks is 0, must be at least 1" and "..., must be at most 100"; for options.
void require_at_least(std::string_view field, double value, double low);
void require_at_most(std::string_view field, double value, double high);

}  // namespace aqbench
