#include "reports/history/trend.h"

#include <algorithm>
#include <cmath>

#include "core/quantiles.h"
#include "harness/gating/gate.h"
#include "harness/gating/verdicts.h"
#include "harness/measuring/timing.h"
#include "harness/statistics/summary.h"

namespace aqbench {
namespace {

struct SeriesKey {
  std::string case_name, metric, options, machine;
  auto operator<=>(const SeriesKey&) const = default;
};

std::string options_text(const Record& record) {
  std::string text;
  for (const auto& [name, value] : record.options) text += name + "=" + to_string(value) + "\n";
  return text;
}

using SeriesByKey = std::map<SeriesKey, TrendSeries>;

constexpr const char* kTimeMetric = "time_ms";

// In how many runs CPU time tells more of a case than wall time, by the key of its CPU times.
using LoadedRuns = std::map<SeriesKey, std::ptrdiff_t>;

// Whether CPU time stands in for wall time in a history of a case that has both, the wall time in `wall_runs`
// and the CPU time in `cpu_runs`, of which `loaded` were measured under load.
bool cpu_time_decides(DecideBy wanted, std::ptrdiff_t loaded, std::ptrdiff_t cpu_runs,
                      std::ptrdiff_t wall_runs) {
  if (wanted != DecideBy::automatic) return wanted == DecideBy::cpu;
  return 2 * loaded > cpu_runs && cpu_runs == wall_runs;
}

// Leaves of wall time and CPU time of a case the one that decides.
void choose_times(DecideBy wanted, const LoadedRuns& loaded, SeriesByKey& all) {
  for (auto cpu = all.begin(); cpu != all.end();) {
    SeriesKey key = cpu->first;
    const auto wall = key.metric == kCpuOutcome ? (key.metric = kTimeMetric, all.find(key)) : all.end();
    if (wall == all.end() || wanted == DecideBy::both) {
      ++cpu;
      continue;
    }
    const auto found = loaded.find(cpu->first);
    if (cpu_time_decides(wanted, found == loaded.end() ? 0 : found->second, std::ssize(cpu->second.runs),
                         std::ssize(wall->second.runs))) {
      all.erase(wall);
      ++cpu;
    } else {
      cpu = all.erase(cpu);
    }
  }
}

// Adds the values of a record to their series: of one metric, or of all where it is "".
void add_record(const Record& record, const TrendRun& of, std::size_t run, const std::string& wanted,
                SeriesByKey& all, LoadedRuns& loaded) {
  const std::string& machine = of.machine;
  const auto add = [&](const SeriesKey& key, const std::string& unit, Better better, double value) {
    if (!wanted.empty() && wanted != key.metric) return;
    const auto [place, is_new] = all.try_emplace(
        key, TrendSeries{key.case_name, key.metric, unit, better, !key.machine.empty(), {}, {}, {}, {}});
    TrendSeries& series = place->second;
    if (!is_new && series.runs.back() == run) return;  // a stage under two parents: the first
    series.unit = unit;
    series.better = better;
    series.runs.push_back(run);
    series.values.push_back(value);
  };
  if (record.status != Status::ok) return;
  const std::string options = options_text(record);
  const bool has_accuracy = find_metric(record.metrics, kAccuracyMetric) != nullptr;
  for (const auto& [name, metric] : gated_metrics(record))
    if (metric.value && std::isfinite(*metric.value))
      add({record.case_name, name, options, ""}, metric.unit,
          is_judged(record.case_name, name.text(), has_accuracy) ? metric.better : Better::equal,
          *metric.value);
  // Times of a machine that was not recorded cannot be compared.
  if (machine.empty()) return;
  if (const auto ms = typical_ms(record.timing))
    add({record.case_name, kTimeMetric, options, machine}, "ms", Better::lower, *ms);
  if (!record.timing.cpu_ms.empty()) {
    const SeriesKey key{record.case_name, kCpuOutcome, options, machine};
    add(key, "ms", Better::lower, median_of(record.timing.cpu_ms));
    loaded[key] += is_better_by_cpu(record, *of.results.environment) ? 1 : 0;
  }
  for (const StageRecord& stage : record.stages)
    if (const auto ms = summarize(stage.self_ms).median)
      add({record.case_name, "stage:" + stage.name, options, machine}, "ms", Better::lower, *ms);
}

// Returns whether a gate with the default tolerance would pass the change.
bool gate_passes(const std::string& metric, const std::string& unit, Better better, double before,
                 double after) {
  const Tolerance tolerance = default_tolerance(metric, {before, unit, better, ""});
  double excess = 0;
  return judge_value(metric, {before, better, tolerance}, after, excess) == Verdict::pass;
}

// Whether so few values, which are not bit-equal, say nothing of how they vary by themselves.
bool is_too_short(std::span<const double> values) {
  return values.size() < 2 * kMinLevelValues && !is_bit_equal(values);
}

// The steps of a metric over runs of the same options, as detect_steps() finds them. Fewer than four runs do
// not tell whether the value varies by itself: then a step is what a gate with the default tolerance does not
// pass (harness/gating/), with p = 1.
std::vector<ChangePoint> metric_steps(const std::string& metric, const std::string& unit, Better better,
                                      std::span<const double> values) {
  if (!is_too_short(values)) return detect_steps(values);
  std::vector<std::size_t> starts = {0};
  for (std::size_t i = 1; i < values.size(); ++i)
    if (!gate_passes(metric, unit, better, values[i - 1], values[i])) starts.push_back(i);
  starts.push_back(values.size());
  std::vector<ChangePoint> steps;
  for (std::size_t k = 1; k + 1 < starts.size(); ++k) {
    steps.push_back({starts[k], compare_levels(values.subspan(starts[k - 1], starts[k] - starts[k - 1]),
                                               values.subspan(starts[k], starts[k + 1] - starts[k]))});
    steps.back().level.p = 1;
  }
  return steps;
}

// Compares the newest level of the series with that of the pinned run; nullopt where the run is not in it.
std::optional<PinnedComparison> pinned_level(const TrendSeries& series, std::optional<std::size_t> pinned) {
  const auto at = pinned ? std::ranges::find(series.runs, *pinned) : series.runs.end();
  if (at == series.runs.end()) return std::nullopt;
  PinnedComparison found =
      compare_with_pinned(series.values, series.changes, static_cast<std::size_t>(at - series.runs.begin()));
  if (!series.is_time && is_too_short(series.values))
    found.changed = !gate_passes(series.metric, series.unit, series.better, found.level.mean_before,
                                 found.level.mean_after);
  return found;
}

std::optional<std::size_t> pinned_run(const TrendHistory& history, const std::string& pinned) {
  if (pinned.empty()) return std::nullopt;
  for (std::size_t i = history.runs.size(); i-- > 0;) {
    const TrendRun& run = history.runs[i];
    if (run.id == pinned || run.id.starts_with(pinned) ||
        (pinned.size() >= 4 && (run.commit.starts_with(pinned) || run.folder_commit.starts_with(pinned))))
      return i;
  }
  throw usage_error("--pin '{}': no run of that id or commit in the history", pinned);
}

}  // namespace

std::vector<TrendSeries> detect_trends(const TrendHistory& history, const TrendOptions& options) {
  const auto pinned = pinned_run(history, options.pinned);
  SeriesByKey all;
  LoadedRuns loaded;
  for (std::size_t run = 0; run < history.runs.size(); ++run)
    for (const Record& record : history.runs[run].results.records)
      add_record(record, history.runs[run], run, options.metric, all, loaded);
  choose_times(options.decide_by, loaded, all);
  if (!options.metric.empty() && all.empty())
    throw usage_error("--metric '{}': no run has it", options.metric);
  std::vector<TrendSeries> found;
  for (auto& [key, series] : all) {
    if (series.values.size() < 2) continue;
    series.changes = series.is_time ? detect_steps(series.values)
                                    : metric_steps(series.metric, series.unit, series.better, series.values);
    series.pinned = pinned_level(series, pinned);
    found.push_back(std::move(series));
  }
  std::stable_partition(found.begin(), found.end(),
                        [](const TrendSeries& series) { return !series.changes.empty(); });
  return found;
}

}  // namespace aqbench
