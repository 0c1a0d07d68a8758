#include "harness/records/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/json_members.h"
#include "core/text.h"

namespace aqbench {
namespace {

constexpr double kMaxSlowDown = 100;  // 10000 %
constexpr double kMaxSleepS = 3600;

// Returns the positive number before `suffix`; nullopt for another form.
std::optional<double> number_before(std::string_view text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return std::nullopt;
  text.remove_suffix(suffix.size());
  const auto value = parse_whole<double>(text);
  return value && std::isfinite(*value) && *value > 0 ? value : std::nullopt;
}

constexpr int kMaxRepetitions = 1000000;
constexpr int kMinForInterval = 6;  // a 95 % interval of the median needs this many
constexpr double kMaxSeconds = 1e6;

void check_count(const char* flag, const std::optional<int>& value, int least, int most) {
  if (value && (*value < least || *value > most))
    throw usage_error("--{} {}: must be from {} to {}", flag, *value, least, most);
}

void check_seconds(const char* flag, const std::optional<double>& value) {
  if (value && !(std::isfinite(*value) && *value > 0 && *value <= kMaxSeconds))
    throw usage_error("--{} {}: must be above 0 and at most {} seconds", flag, *value, kMaxSeconds);
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

void check(const TimingRequest& request) {
  check_count("repetitions", request.repetitions, 0, kMaxRepetitions);
  check_count("warmup", request.warmup, 0, kMaxRepetitions);
  check_count("max-repetitions", request.max_repetitions, 1, kMaxRepetitions);
  check_count("blocks", request.blocks, 1, 1000);
  check_seconds("min-time", request.min_time_s);
  check_seconds("max-time", request.max_time_s);
  if (request.precision && !(*request.precision > 0 && *request.precision < 1))
    throw usage_error("--precision {}: must be above 0 and below 100 %", 100 * *request.precision);
  if (request.repetitions && request.max_repetitions && *request.repetitions > *request.max_repetitions)
    throw usage_error("--max-repetitions {}: is below --repetitions {}", *request.max_repetitions,
                      *request.repetitions);
  if (request.min_time_s && request.max_time_s && *request.min_time_s > *request.max_time_s)
    throw usage_error("--max-time {}: is below --min-time {}", *request.max_time_s, *request.min_time_s);
  if (request.repetitions == 0 && (request.warmup.value_or(0) > 0 || request.min_time_s || request.precision))
    throw usage_error("--repetitions 0: only the cold call runs, so other timing options are not allowed");
}

TimingPlan effective_timing(const TimingRequest& request, bool workload) {
  check(request);
  const TimingPlan usual;
  TimingPlan plan;
  plan.min_time_s = request.min_time_s.value_or(0);
  plan.precision = request.precision.value_or(0);
  const bool nothing_asked = request == TimingRequest{};
  const bool warm = request.repetitions ? *request.repetitions > 0 : workload || !nothing_asked;
  if (!warm) return usual;
  const int least = plan.precision > 0 ? kMinForInterval : plan.min_time_s > 0 ? 1 : 10;
  plan.repetitions = request.repetitions.value_or(least);
  plan.warmup = request.warmup.value_or(workload ? 2 : 1);
  plan.max_repetitions = std::max(request.max_repetitions.value_or(usual.max_repetitions), plan.repetitions);
  plan.max_time_s = std::max(request.max_time_s.value_or(usual.max_time_s), plan.min_time_s);
  plan.blocks = request.blocks.value_or(1);
  return plan;
}

// An override is a text.
template <>
struct JsonOf<Override> {
  static Json write(const Override& given, unsigned, JsonForm = {}) { return override_text(given); }
  static void read(const JsonPlace& place, Override& given, unsigned, JsonForm = {}) {
    try {
      given = parse_override(place.text());
    } catch (const Error& error) {
      place.fail(error.what());
    }
  }
};

Case case_from_json(const Json& json, const std::string& source) {
  const JsonPlace root(json, source);
  Case planned = from_json<Case>(root);
  if (to_json(planned) != json) root.fail("was not written by aqbench");
  return planned;
}

Json to_json(const Case& planned) { return JsonOf<Case>::write(planned); }

void add_options(Case& planned, std::string_view owner, const Parameters& parameters) {
  for (const auto& [name, value] : parameters.items())
    (parameters.is_default(name) ? planned.defaults : planned.options)
        .emplace_back(fmt::format("{}.{}", owner, name), value);
}

const ParameterValue* find_option(const Case& planned, std::string_view name) {
  const ParameterValue* const option = find_value(planned.options, name);
  return option != nullptr ? option : find_value(planned.defaults, name);
}

std::string override_text(const Override& given) {
  return fmt::format("{}.{}={}", given.owner, given.parameter, given.value);
}

}  // namespace aqbench
