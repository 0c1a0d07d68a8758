#include "metrics/protocols/knobs.h"

#include <algorithm>
#include <limits>

namespace aqbench {

void refuse_knob(const char* name, const std::string& text, std::string_view expected) {
  throw usage_error("knob {}: '{}': expected {}{}", name, text, expected, decimal_comma_note(text));
}

double number_of_knob(const char* name, const std::string& text) {
  const auto number = parse_double(text);
  if (!number || !std::isfinite(*number) || *number < 0) refuse_knob(name, text, "a number of at least 0");
  return *number;
}

double limit_of_knob(const char* name, const std::string& text) {
  return text == "inf" ? std::numeric_limits<double>::infinity() : number_of_knob(name, text);
}

std::vector<double> numbers_of_knob(const char* name, const std::string& text) {
  std::vector<double> numbers;
  if (text.empty()) return numbers;
  for (const std::string_view part : split_at(text, ','))
    numbers.push_back(number_of_knob(name, std::string(part)));
  std::ranges::sort(numbers);
  return numbers;
}

std::size_t choice_of_knob(const char* name, const std::string& text, const std::vector<std::string>& words) {
  const auto word = std::ranges::find(words, text);
  if (word == words.end())
    refuse_knob(name, text,
                fmt::format("{} or {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back()));
  return static_cast<std::size_t>(word - words.begin());
}

}  // namespace aqbench
