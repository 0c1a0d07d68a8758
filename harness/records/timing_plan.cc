#include "harness/records/timing_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace aqbench {
namespace {

constexpr int kMaxRepetitions = 1000000;
constexpr int kMinForInterval = 6;  // a 95 % interval of the median needs this many
constexpr double kMaxSeconds = 1e6;

[[noreturn]] void refuse_timing(const std::string& why) { throw Error(ErrorKind::usage, why); }

void check_count(const char* flag, const std::optional<int>& value, int least, int most) {
  if (value && (*value < least || *value > most))
    refuse_timing(fmt::format("--{} {}: must be from {} to {}", flag, *value, least, most));
}

void check_seconds(const char* flag, const std::optional<double>& value) {
  if (value && !(std::isfinite(*value) && *value > 0 && *value <= kMaxSeconds))
    refuse_timing(fmt::format("--{} {}: must be above 0 and at most {} seconds", flag, *value, kMaxSeconds));
}

}  // namespace

void check(const TimingRequest& request) {
  check_count("repetitions", request.repetitions, 0, kMaxRepetitions);
  check_count("warmup", request.warmup, 0, kMaxRepetitions);
  check_count("max-repetitions", request.max_repetitions, 1, kMaxRepetitions);
  check_count("blocks", request.blocks, 1, 1000);
  check_seconds("min-time", request.min_time_s);
  check_seconds("max-time", request.max_time_s);
  if (request.precision && !(*request.precision > 0 && *request.precision < 1))
    refuse_timing(fmt::format("--precision {}: must be above 0 and below 100 %", 100 * *request.precision));
  if (request.repetitions && request.max_repetitions && *request.repetitions > *request.max_repetitions)
    refuse_timing(fmt::format("--max-repetitions {}: is below --repetitions {}", *request.max_repetitions,
                              *request.repetitions));
  if (request.min_time_s && request.max_time_s && *request.min_time_s > *request.max_time_s)
    refuse_timing(
        fmt::format("--max-time {}: is below --min-time {}", *request.max_time_s, *request.min_time_s));
  const bool warm = request.repetitions.value_or(0) > 0 || request.min_time_s || request.precision;
  if (request.repetitions == 0 && (request.warmup.value_or(0) > 0 || request.min_time_s || request.precision))
    refuse_timing("--repetitions 0: only the cold call runs, so other timing options are not allowed");
  if (request.blocks.value_or(1) > 1 && request.repetitions == 0 && !warm)
    refuse_timing("--blocks: needs warm repetitions");
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

}  // namespace aqbench
