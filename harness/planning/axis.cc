#include "harness/planning/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/text.h"

namespace aqbench {
namespace {

// digits * 10^-scale. At most 18 digits, so that sums and products by 10 can be checked in 64 bits.
struct Decimal {
  std::int64_t digits = 0;
  int scale = 0;
};

constexpr int kMaxDigits = 15;

// Parses [+-]digits[.digits]; nullopt for anything else, including exponents and more than kMaxDigits digits.
std::optional<Decimal> parse_decimal(std::string_view text) {
  Decimal value;
  const bool negative = !text.empty() && text.front() == '-';
  if (negative || (!text.empty() && text.front() == '+')) text.remove_prefix(1);
  bool after_point = false;
  int count = 0;
  for (const char c : text) {
    if (c == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (c < '0' || c > '9' || ++count > kMaxDigits) return std::nullopt;
    value.digits = value.digits * 10 + (c - '0');
    if (after_point) ++value.scale;
  }
  if (count == 0) return std::nullopt;
  if (negative) value.digits = -value.digits;
  return value;
}

std::string to_plain_text(Decimal value) {
  while (value.scale > 0 && value.digits % 10 == 0) {
    value.digits /= 10;
    --value.scale;
  }
  std::string text = fmt::format("{}", std::abs(value.digits));
  const auto places = static_cast<std::size_t>(value.scale);
  if (text.size() <= places) text.insert(0, places + 1 - text.size(), '0');
  if (places > 0) text.insert(text.size() - places, ".");
  return fmt::format("{}{}", value.digits < 0 ? "-" : "", text);
}

// Returns the same value with more decimals; nullopt if it does not fit.
std::optional<std::int64_t> digits_at_scale(Decimal value, int scale) {
  for (; value.scale < scale; ++value.scale)
    if (__builtin_mul_overflow(value.digits, std::int64_t{10}, &value.digits)) return std::nullopt;
  return value.digits;
}

template <class... Args>
[[noreturn]] void refuse_axis(std::string_view context, fmt::format_string<Args...> why, Args&&... args) {
  throw usage_error("{}: {}", context, fmt::format(why, std::forward<Args>(args)...));
}

std::vector<std::string> range_values(std::string_view values, std::string_view context) {
  const auto parts = split_at(values, ':');
  if (parts.size() > 3) refuse_axis(context, "a range is start:stop or start:stop:step");
  std::vector<Decimal> numbers;
  for (const std::string_view part : parts) {
    const auto number = parse_decimal(part);
    if (!number) refuse_axis(context, "'{}' is not a decimal number", part);
    numbers.push_back(*number);
  }
  if (numbers.size() == 2) numbers.push_back({1, 0});
  const int scale = std::max({numbers[0].scale, numbers[1].scale, numbers[2].scale});
  const auto start = digits_at_scale(numbers[0], scale);
  const auto stop = digits_at_scale(numbers[1], scale);
  const auto step = digits_at_scale(numbers[2], scale);
  if (!start || !stop || !step) refuse_axis(context, "its numbers have too many digits");
  if (*step == 0) refuse_axis(context, "the step is 0");
  if ((*stop > *start && *step < 0) || (*stop<*start&& * step> 0))
    refuse_axis(context, "the step leads away from the stop");
  std::int64_t span = 0;
  if (__builtin_sub_overflow(*stop, *start, &span)) refuse_axis(context, "its numbers have too many digits");
  const std::int64_t last = span / *step;
  if (last >= static_cast<std::int64_t>(kMaxAxisValues))
    refuse_axis(context, "{} values, more than the {} allowed", last + 1, kMaxAxisValues);
  std::vector<std::string> texts;
  for (std::int64_t i = 0; i <= last; ++i) texts.push_back(to_plain_text({*start + i * *step, scale}));
  return texts;
}

std::string power_of_two(const std::string& exponent, std::string_view context) {
  const auto value = parse_whole<int>(exponent);
  if (!value || *value < 0 || *value > 62)
    refuse_axis(context, "exponent '{}' is not an integer from 0 to 62", exponent);
  return fmt::format("{}", std::uint64_t{1} << *value);
}

// `context` is quoted in errors.
std::vector<std::string> parse_axis_values(std::string_view values, bool powers_of_two,
                                           std::string_view context) {
  // Values with a colon, such as mesh:a.ply, never occur on an axis, so a colon means a range.
  std::vector<std::string> texts;
  if (values.find(':') != std::string_view::npos && values.find(',') == std::string_view::npos)
    texts = range_values(values, context);
  else
    for (const std::string_view part : split_at(values, ',')) texts.emplace_back(part);
  if (texts.size() > kMaxAxisValues)
    refuse_axis(context, "{} values, more than the {} allowed", texts.size(), kMaxAxisValues);
  std::set<std::string> seen;
  for (std::string& text : texts) {
    if (text.empty()) refuse_axis(context, "a value is empty");
    if (powers_of_two) text = power_of_two(text, context);
    if (!seen.insert(text).second) refuse_axis(context, "duplicate value '{}'", text);
  }
  return texts;
}

constexpr std::pair<std::string_view, AxisKind> kAxes[] = {
    {"seed", AxisKind::seed},       {"threads", AxisKind::threads}, {"device", AxisKind::device},
    {"replica", AxisKind::replica}, {"batch", AxisKind::parameter}, {"size", AxisKind::parameter},
    {"rig", AxisKind::rig},         {"imaging", AxisKind::imaging}, {"width", AxisKind::width},
    {"height", AxisKind::height}};

}  // namespace

Axis parse_axis(std::string_view argument) {
  const std::string context = fmt::format("--axis '{}'", argument);
  const std::size_t equals = argument.find('=');
  if (equals == std::string_view::npos || equals == 0)
    refuse_axis(context, "expected NAME=a,b,c or NAME=start:stop:step or NAME[pow2]=first:last");
  std::string_view name = argument.substr(0, equals);
  constexpr std::string_view suffix = "[pow2]";
  const bool powers_of_two = name.ends_with(suffix);
  if (powers_of_two) name.remove_suffix(suffix.size());
  if (name.empty() || name.find_first_of("[]/ \t") != std::string_view::npos)
    refuse_axis(context, "'{}' is not an axis name", argument.substr(0, equals));
  return {std::string(name), parse_axis_values(argument.substr(equals + 1), powers_of_two, context)};
}

AxisKind axis_kind(std::string_view name) {
  for (const auto& [known, kind] : kAxes)
    if (known == name) return kind;
  return AxisKind::parameter;
}

bool is_image_kind(AxisKind kind) { return kind >= AxisKind::rig; }  // the last ones

const std::vector<std::string>& axis_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, kind] : kAxes) all.emplace_back(name);
    return all;
  }();
  return names;
}

}  // namespace aqbench
