#include "harness/planning/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/text.h"

namespace aqbench {
namespace {

constexpr int kMaxDigits = 15;  // so that doubles hold every whole number of so many

int decimals_in(std::string_view text) {
  const std::size_t point = text.find('.');
  return point == std::string_view::npos ? 0 : static_cast<int>(text.size() - point - 1);
}

// Returns digits / 10^scale without trailing zeros.
std::string plain_text(std::int64_t digits, int scale) {
  std::string text = fmt::format("{:.{}f}", static_cast<double>(digits) / std::pow(10, scale), scale);
  if (scale > 0) text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

template <class... Args>
[[noreturn]] void refuse_axis(std::string_view context, fmt::format_string<Args...> why, Args&&... args) {
  throw usage_error("{}: {}", context, fmt::format(why, std::forward<Args>(args)...));
}

std::vector<std::string> range_values(std::string_view values, std::string_view context) {
  const auto parts = split_at(values, ':');
  if (parts.size() > 3) refuse_axis(context, "a range is start:stop or start:stop:step");
  int scale = 0;  // decimals
  for (const std::string_view part : parts) scale = std::max(scale, decimals_in(part));
  if (scale > kMaxDigits) refuse_axis(context, "its numbers have too many digits");
  std::array<std::int64_t, 3> numbers = {0, 0, std::llround(std::pow(10, scale))};  // times 10^scale
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto number = parse_double(parts[i]);
    if (!number || parts[i].find_first_not_of("+-.0123456789") != std::string_view::npos)
      refuse_axis(context, "'{}' is not a decimal number", parts[i]);
    const double digits = *number * std::pow(10, scale);
    if (!(std::abs(digits) < std::pow(10, kMaxDigits)))
      refuse_axis(context, "its numbers have too many digits");
    numbers[i] = std::llround(digits);
  }
  const auto [start, stop, step] = numbers;
  if (step == 0) refuse_axis(context, "the step is 0");
  if ((stop > start && step < 0) || (stop < start && step > 0))
    refuse_axis(context, "the step leads away from the stop");
  const std::int64_t last = (stop - start) / step;
  if (last >= static_cast<std::int64_t>(kMaxAxisValues))
    refuse_axis(context, "{} values, more than the {} allowed", last + 1, kMaxAxisValues);
  std::vector<std::string> texts;
  for (std::int64_t i = 0; i <= last; ++i) texts.push_back(plain_text(start + i * step, scale));
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
