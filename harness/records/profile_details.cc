#include "harness/records/profile_details.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/json_members.h"
#include "core/quantiles.h"
#include "core/text.h"
#include "harness/records/case_result.h"

namespace aqbench {

double overhead_ratio(const ProfileDetails& details) {
  if (details.plain_ms.empty() || details.profiled_ms.empty()) return -1;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(details.plain_ms.size(), details.profiled_ms.size()); ++i)
    ratios.push_back(details.profiled_ms[i] / details.plain_ms[i]);
  return median_of(ratios);
}

std::size_t shown_run(const std::vector<double>& profiled_ms) {
  std::vector<std::size_t> order(profiled_ms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return profiled_ms[i]; });
  return order.at((order.size() - 1) / 2);
}

MetricSet profile_metrics(const ProfileDetails& details, const std::vector<StageRecord>& stages) {
  double attributed_ms = 0;
  for (const StageRecord& stage : stages)
    if (!stage.other_thread) attributed_ms += stage.self_ms.at(details.shown);
  const double total_ms = details.total_ms();
  Metric unattributed{std::nullopt, "%", Better::lower, "the run took no time"};
  if (total_ms > 0) unattributed = {100 * (1 - attributed_ms / total_ms), "%", Better::lower, ""};
  Metric overhead{std::nullopt, "1", Better::lower, "there were no unprofiled runs to compare with"};
  if (!details.plain_ms.empty()) overhead = {overhead_ratio(details), "1", Better::lower, ""};
  return {{"profile_overhead_ratio", overhead}, {"unattributed_pct", unattributed}};
}

std::string profile_file(const std::string& case_name, const char* file) {
  return fmt::format("{}/{}/{}", kProfileFolder, file_name_of(case_name), file);
}

Json to_json(const ProfileDetails& details) { return JsonOf<ProfileDetails>::write(details); }

ProfileDetails profile_details_from_json(const Json& json, const std::string& source) {
  const JsonPlace root(json, source);
  const auto details = from_json<ProfileDetails>(root);
  if (details.shown >= details.profiled_ms.size()) root.at("shown").fail("is not the index of a repetition");
  return details;
}

TensorMemoryText tensor_memory_text(const std::optional<std::int64_t>& net_bytes,
                                    const std::optional<std::int64_t>& peak_bytes) {
  if (net_bytes.value_or(0) == 0 && peak_bytes.value_or(0) == 0)
    return {mib_or_na(std::nullopt), mib_or_na(std::nullopt)};
  return {mib_or_na(net_bytes), mib_or_na(peak_bytes)};
}

}  // namespace aqbench
