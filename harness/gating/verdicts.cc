#include "harness/gating/verdicts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "metrics/registry.h"
#include "metrics/value_change.h"

namespace aqbench {
namespace {

void add_bytes(MetricSet& metrics, const std::string& name, const std::optional<std::int64_t>& bytes) {
  if (!bytes) return;
  metrics.emplace_back(name, Metric{static_cast<double>(*bytes), "bytes", Better::lower, ""});
}

bool is_count(std::string_view name, std::string_view unit) {
  return unit == "points" || name == "mesh_components" || name == "mesh_nonmanifold_edges";
}

Tolerance tolerance_by_kind(std::string_view name, std::string_view unit, double value) {
  constexpr auto kRelative = Tolerance::Kind::relative, kAbsolute = Tolerance::Kind::absolute;
  if (is_count(name, unit)) return {kAbsolute, 0};
  if (name.starts_with(kTensorMemoryPrefix) && name.ends_with(".net_bytes")) return {kRelative, 0.01};
  if (name.starts_with("bias_")) return {kAbsolute, 0.1};
  if (name == "point_density_pct" || name == "points_per_mm2" || name == "depth_abs_rel_pct")
    return {kRelative, 0.05};
  // Workload plane_sweep: depths in metres, and a share that may differ by half a percent by chance.
  if (name == "depth_median_error_m") return {kRelative, 0.05};
  if (name == "unlike_reference_share") return {kAbsolute, 0.005};
  if (unit == "%" && value >= 20) return {kAbsolute, 1};
  if (unit == "1") return {kAbsolute, 0.02};
  return {kRelative, 0.05};
}

// Reading order: headlines by their place, then other metrics, counts and memory last.
std::size_t reading_rank(const VerdictRow& row) {
  const auto& headlines = headline_metrics();
  const auto found = std::ranges::find(headlines, row.metric, &HeadlineMetric::name);
  if (row.metric.empty()) return 0;
  if (found != headlines.end()) return 1 + static_cast<std::size_t>(found - headlines.begin());
  const bool last = is_information(row.metric, row.unit) || row.metric.starts_with(kTensorMemoryPrefix);
  return headlines.size() + (last ? 2 : 1);
}

// A value that is undefined now is as grave as one that is worse: a mean error that grew says more of a case
// than a share at 0.5 mm that it lost.
Verdict gravity(Verdict verdict) { return verdict == Verdict::undefined ? Verdict::regressed : verdict; }

bool comes_before(const VerdictRow& a, const VerdictRow& b) {
  if (gravity(a.verdict) != gravity(b.verdict)) return gravity(a.verdict) < gravity(b.verdict);
  // Without the last bits, by which equal changes differ.
  const auto size_a = static_cast<float>(change_size(a)), size_b = static_cast<float>(change_size(b));
  return size_a != size_b ? size_a > size_b : reading_rank(a) < reading_rank(b);
}

// What a row with two values may get worse by, in the metric's unit; by default where nothing is gated.
double allowed_change(const VerdictRow& row) {
  const Tolerance allowed =
      row.tolerance.value_or(default_tolerance(row.metric, {*row.baseline, row.unit, row.better, ""}));
  return allowed.kind == Tolerance::Kind::relative ? allowed.value * std::abs(*row.baseline) : allowed.value;
}

double shown_excess(const VerdictRow& row) {
  const double worse = worse_by(row.metric, row.better, *row.baseline, *row.current).value_or(0);
  return worse == 0 ? 0 : worse / allowed_change(row);
}

}  // namespace

double change_size(const VerdictRow& row) {
  const bool in_points = row.unit == "%" && row.baseline && row.current && row.excess != 0;
  if (!in_points) return std::abs(row.excess);
  const double points = *row.current - *row.baseline;
  return std::abs(worse_by(row.metric, row.better, *row.baseline, *row.current).value_or(points)) /
         std::max(allowed_change(row), 1.0);
}

MetricSet gated_metrics(const Record& record) {
  MetricSet metrics = record.metrics;
  for (const StageRecord& stage : record.stages) {
    const bool alone = std::ranges::count(record.stages, stage.name, &StageRecord::name) == 1;
    const std::string name =
        std::string(kTensorMemoryPrefix) + (alone ? stage.name : stage.parent + ">" + stage.name);
    add_bytes(metrics, name + ".net_bytes", stage.net_bytes);
    add_bytes(metrics, name + ".peak_bytes", stage.peak_bytes);
  }
  return metrics;
}

MetricSet acceptable_metrics(const Record& record) {
  MetricSet metrics = gated_metrics(record);
  const bool uses_tensors = std::ranges::any_of(record.stages, [](const StageRecord& stage) {
    return stage.net_bytes.value_or(0) != 0 || stage.peak_bytes.value_or(0) != 0;
  });
  if (!uses_tensors)
    std::erase_if(metrics, [](const auto& metric) { return metric.first.starts_with(kTensorMemoryPrefix); });
  return metrics;
}

bool is_information(const std::string& name, const std::string& unit) {
  return name != "points_non_finite" && (is_count(name, unit) || name.find("_max_") != std::string::npos);
}

bool is_judged(std::string_view case_name, std::string_view metric, bool has_accuracy) {
  if (metric.starts_with("plane_fit_"))
    return case_name.starts_with("flat_plane/") || case_name.starts_with("tilted_plane/");
  return !has_accuracy || !metric.starts_with("photometric_");
}

Tolerance default_tolerance(const std::string& name, const Metric& metric) {
  const Tolerance tolerance = tolerance_by_kind(name, metric.unit, metric.value.value_or(0));
  if (tolerance.kind == Tolerance::Kind::absolute || metric.value != 0.0) return tolerance;
  const double absolute = metric.unit == "mm"    ? 0.01
                          : metric.unit == "deg" ? 0.1
                          : metric.unit == "%"   ? 0.1
                                                 : 0.0;
  return {Tolerance::Kind::absolute, absolute};
}

std::string to_string(Verdict verdict) {
  constexpr std::array kNames = {"failed case", "not comparable", "missing", "undefined", "regressed",
                                 "open",        "improved",       "new",     "pass"};  // in their order
  return kNames.at(static_cast<std::size_t>(verdict));
}

VerdictRow shown_verdict(const std::string& case_name, const std::string& metric, const std::string& unit,
                         Better better, std::optional<double> before, std::optional<double> after) {
  VerdictRow row{.case_name = case_name,
                 .metric = metric,
                 .unit = unit,
                 .baseline = before,
                 .current = after,
                 .better = better};
  if (before) row.excess = after ? shown_excess(row) : HUGE_VAL;
  row.verdict = row.excess > 0 ? Verdict::regressed : row.excess < 0 ? Verdict::improved : Verdict::pass;
  row.label = change_word(row.excess > 0 ? 1 : row.excess < 0 ? -1 : 0);
  return row;
}

std::size_t Verdicts::count(Verdict verdict) const {
  const auto listed = std::ranges::count_if(
      rows, [&](const VerdictRow& row) { return row.verdict == verdict && !row.only_shown; });
  return static_cast<std::size_t>(listed) + (verdict == Verdict::pass ? unlisted_passes : 0);
}

ExitCode Verdicts::exit_code() const {
  if (!refusal.empty()) return ExitCode::not_comparable;
  if (count(Verdict::failed_case) > 0) return ExitCode::case_failed;
  if (count(Verdict::not_comparable) > 0) return ExitCode::not_comparable;
  const std::size_t worse = count(Verdict::missing) + count(Verdict::undefined) + count(Verdict::regressed);
  if (worse > 0) return ExitCode::regression;
  return count(Verdict::open) > 0 ? ExitCode::inconclusive : ExitCode::pass;
}

// A value that was nearly nothing may have changed by more than any headline, and says less: the headline
// leads.
void sort_worst_first(std::vector<VerdictRow>& rows) {
  std::ranges::stable_sort(rows, comes_before);
  struct Lead {
    std::size_t first = 0, row = 0;
    bool is_headline = false;
  };
  std::unordered_map<std::string_view, Lead> leads;  // of cases, by the places of their rows
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].verdict == Verdict::added || rows[i].verdict == Verdict::pass) break;
    order.push_back(i);
    Lead& lead = leads.try_emplace(rows[i].case_name, Lead{i, i}).first->second;
    const std::size_t rank = reading_rank(rows[i]);
    if (lead.is_headline || rank == 0 || rank > headline_metrics().size() ||
        gravity(rows[i].verdict) != gravity(rows[lead.first].verdict))
      continue;
    lead.row = i;
    lead.is_headline = true;
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    const Lead& lead = leads.at(rows[i].case_name);
    return std::pair(lead.row, i != lead.row);
  });
  std::vector<VerdictRow> sorted;
  for (const std::size_t i : order) sorted.push_back(rows[i]);
  std::ranges::move(sorted, rows.begin());
}

std::vector<CaseVerdicts> by_case(const Verdicts& verdicts) {
  std::vector<CaseVerdicts> cases;
  std::unordered_map<std::string_view, std::size_t> places;
  for (const VerdictRow& row : verdicts.rows) {
    const auto [place, is_new] = places.try_emplace(row.case_name, cases.size());
    if (is_new) cases.push_back({&row, {}, 0});
    CaseVerdicts& one = cases[place->second];
    one.rows.push_back(&row);
    const bool is_like_worst =
        is_refused(one.worst->verdict) ? is_refused(row.verdict) : row.verdict == one.worst->verdict;
    if (&row != one.worst && is_like_worst && !row.only_shown) ++one.others;
  }
  return cases;
}

}  // namespace aqbench
