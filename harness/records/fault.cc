#include "harness/records/fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "core/error.h"

namespace aqbench {
namespace {

constexpr double kMaxSlowDown = 100;  // 10000 %
constexpr double kMaxSleepS = 3600;

// Returns the positive number before `suffix`; nullopt for another form.
std::optional<double> number_before(std::string_view text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return std::nullopt;
  text.remove_suffix(suffix.size());
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) || value <= 0)
    return std::nullopt;
  return value;
}

}  // namespace

FaultEffect parse_fault_effect(std::string_view text) {
  if (text == "throw") return {FaultKind::throw_error, 0};
  if (text == "abort") return {FaultKind::abort, 0};
  if (text == "hang") return {FaultKind::hang, 0};
  if (text == "oom") return {FaultKind::out_of_memory, 0};
  if (text == "corrupt") return {FaultKind::corrupt, 0};
  if (text.starts_with('+'))
    if (const auto percent = number_before(text.substr(1), "%"); percent && *percent <= 100 * kMaxSlowDown)
      return {FaultKind::slow_down, *percent / 100};
  for (const auto& [unit, seconds] : {std::pair("us", 1e-6), {"ms", 1e-3}, {"s", 1.0}})
    if (const auto number = number_before(text, unit); number && *number * seconds <= kMaxSleepS)
      return {FaultKind::sleep, *number * seconds};
  throw usage_error("effect '{}': expected +5%, 20ms (or us, s), throw, abort, hang, oom or corrupt", text);
}

Inject parse_inject(std::string_view argument) {
  const std::size_t equals = argument.rfind('=');
  const std::string_view where = argument.substr(0, std::min(equals, argument.size()));
  const std::size_t colon = where.rfind(':');
  const bool every_case = colon == std::string_view::npos;
  const std::string_view stage = every_case ? where : where.substr(colon + 1);
  if (equals == std::string_view::npos || colon == 0 || stage.empty())
    throw usage_error("--inject '{}': expected [CASE_GLOB:]STAGE=EFFECT", argument);
  const Inject inject{every_case ? "*" : std::string(where.substr(0, colon)),
                      {std::string(stage), std::string(argument.substr(equals + 1))}};
  try {
    parse_fault_effect(inject.fault.effect);
  } catch (const Error& error) {
    throw usage_error("--inject '{}': {}", argument, error.what());
  }
  return inject;
}

std::string to_string(const Inject& inject) {
  return fmt::format("{}:{}={}", inject.case_glob, inject.fault.stage, inject.fault.effect);
}

}  // namespace aqbench
