#include "reports/history/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/table.h"
#include "core/text.h"
#include "harness/gating/gated_metrics.h"
#include "harness/measuring/timing.h"
#include "reports/content/case_groups.h"

namespace aqbench {
namespace {

std::string exact_text(const Metric* metric) {
  if (metric == nullptr) return "absent";
  if (!metric->value) return "undefined: " + metric->reason;
  return fmt::format("{}", *metric->value);  // shortest text that reads back as the same number
}

bool same_value(const Metric* a, const Metric* b) {
  if (a == nullptr || b == nullptr) return a == b;
  if (a->value.has_value() != b->value.has_value()) return false;
  return a->value ? std::bit_cast<std::uint64_t>(*a->value) == std::bit_cast<std::uint64_t>(*b->value)
                  : a->reason == b->reason;
}

std::string or_none(const std::string& text) { return text.empty() ? "none" : text; }

std::string status_text(const Record& record) {
  return record.reason.empty() ? to_string(record.status) : to_string(record.status) + ": " + record.reason;
}

void compare_metrics(const Record& recorded, const Record& now, ReplayReport& report) {
  const MetricSet before = gated_metrics(recorded), after = gated_metrics(now);
  const auto compare = [&](const std::string& name) {
    const Metric* const a = find_metric(before, name);
    const Metric* const b = find_metric(after, name);
    if (!same_value(a, b)) report.differences.push_back({name, exact_text(a), exact_text(b)});
  };
  for (const auto& [name, metric] : before) {
    ++report.metrics;
    compare(name);
  }
  for (const auto& [name, metric] : after)
    if (find_metric(before, name) == nullptr) report.added.push_back(name);
}

}  // namespace

ReplayReport compare_replay(const Record& recorded, const Record& now) {
  ReplayReport report;
  report.output_sha256 = now.output_sha256;
  if (recorded.status != now.status)
    report.differences.push_back({"status", status_text(recorded), status_text(now)});
  if (recorded.output_sha256 != now.output_sha256)
    report.differences.push_back(
        {"output_sha256", or_none(recorded.output_sha256), or_none(now.output_sha256)});
  compare_metrics(recorded, now, report);
  const auto before_ms = typical_ms(recorded.timing), now_ms = typical_ms(now.timing);
  if (before_ms && now_ms && *before_ms > 0)
    report.time_trend =
        fmt::format("time: {} ms recorded, {} ms now, {} x (a trend, no verdict)", table_number(*before_ms),
                    table_number(*now_ms), table_number(*now_ms / *before_ms));
  return report;
}

std::string render_replay(const ReplayReport& report, const std::string& case_name, bool colours) {
  const auto paint = [&](const char* escape, const std::string& text) {
    return colours ? escape + text + "\033[0m" : text;
  };
  std::string text;
  for (const ReplayDifference& difference : report.differences)
    text += wrap_text(printable(fmt::format("differs: {}: recorded {}, now {}", difference.what,
                                            difference.recorded, difference.now)),
                      kScreenColumns, 4);
  if (!report.added.empty())
    text += wrap_text(fmt::format("not recorded then: {}", fmt::join(report.added, ", ")), kScreenColumns, 4);
  if (!report.time_trend.empty()) text += report.time_trend + "\n";
  if (!report.reproduced())
    return text + paint("\033[31m", "NOT REPRODUCED: " + counted(report.differences.size(), "difference")) +
           wrap_text(": " + printable(case_name), kScreenColumns, 4);
  return text + paint("\033[32m", "reproduced") +
         fmt::format(": {}: {} bit for bit\n{}", printable(case_name), counted(report.metrics, "metric"),
                     report.output_sha256.empty() ? "" : "output " + report.output_sha256 + "\n");
}

}  // namespace aqbench
