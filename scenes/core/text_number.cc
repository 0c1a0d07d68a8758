#include "scenes/core/text_number.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

namespace aqbench {
namespace {

// from_chars reports numbers too large and too small alike; strtod and strtof tell them apart.
double out_of_range_value(const std::string& word, double) { return std::strtod(word.c_str(), nullptr); }
float out_of_range_value(const std::string& word, float) { return std::strtof(word.c_str(), nullptr); }

template <class Real>
std::optional<Real> parse_real(std::string_view word) {
  if (word.starts_with('+') && word.size() > 1 && word[1] != '-') word.remove_prefix(1);
  Real value{};
  const char* const end = word.data() + word.size();
  const auto [last, status] = std::from_chars(word.data(), end, value);
  if (last != end || word.empty()) return std::nullopt;
  if (status == std::errc{}) return value;
  if (status != std::errc::result_out_of_range) return std::nullopt;
  value = out_of_range_value(std::string(word), value);
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

std::optional<double> parse_double(std::string_view word) { return parse_real<double>(word); }
std::optional<float> parse_float(std::string_view word) { return parse_real<float>(word); }

}  // namespace aqbench
