#include "tests/reports/synthetic.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/files.h"
#include "core/sha256.h"
#include "harness/gating/default_tolerances.h"
#include "harness/gating/gated_metrics.h"
#include "harness/planning/plan.h"
#include "harness/running/journal.h"
#include "reports/bundle/bundle.h"
#include "reports/content/commands.h"

namespace aqbench {

Record synthetic_record(const std::string& scene, const std::string& method, int seed,
                        double accuracy_mean_mm) {
  Record record;
  record.case_name = scene + "/" + method + "/seed=" + std::to_string(seed);
  record.scene = scene;
  record.method = method;
  record.simulated = true;
  record.axes = {{"seed", std::int64_t{seed}}, {"threads", std::int64_t{2}}, {"device", std::string("cpu")}};
  record.options = {{scene + ".x_max_m", 0.25}, {method + ".points", std::int64_t{3000}}};
  record.status = Status::ok;
  record.metrics = {
      {"accuracy_mean_mm", {accuracy_mean_mm, "mm", Better::lower, ""}},
      {"accuracy_median_mm", {accuracy_mean_mm * 0.85, "mm", Better::lower, ""}},
      {"accuracy_rmse_mm", {accuracy_mean_mm * 1.25, "mm", Better::lower, ""}},
      {"bias_mean_mm", {-0.012, "mm", Better::equal, ""}},
      {"precision_2mm_pct", {95.25, "%", Better::higher, ""}},
      {"completeness_2mm_pct", {21.5, "%", Better::higher, ""}},
      {"fscore_2mm_pct", {35.0, "%", Better::higher, ""}},
      {"points", {2850, "points", Better::equal, ""}},
      {"point_density_pct", {1.9, "%", Better::equal, ""}},
      {"normal_mean_deg", {{}, "deg", Better::lower, "the cloud has no normals"}},
  };
  record.stages = {{"simulate", "", 1, {12.5}, {12.5}, {}, {}}};
  record.timing.cold_ms = 12.75;
  record.peak_rss_bytes = 50'000'000;
  record.output_sha256 = std::string(64, 'a');
  return record;
}

namespace {

SweepPlan plan_of(const Results& results) {
  SweepPlan plan;
  plan.request.suite = results.run.suite;
  plan.suite = results.run.suite;
  for (const Record& record : results.records) {
    Case planned;
    planned.name = record.case_name;
    planned.scene = record.scene;
    planned.method = record.method;
    planned.simulated = record.simulated;
    planned.options = record.options;
    plan.cases.push_back(std::move(planned));
  }
  plan.cases_in_all_shards = plan.cases.size();
  plan.sha256 = sha256_hex(cases_json(plan.cases).dump());
  plan.all_shards_sha256 = plan.sha256;
  return plan;
}

}  // namespace

Results synthetic_results() {
  Results results;
  results.run.id = "20250520T101112Z";
  results.run.suite = "seed";
  results.run.started_utc = "2025-05-20T10:11:12Z";
  results.run.finished_utc = "2025-05-20T10:11:14Z";
  results.run.complete = true;
  results.records = {synthetic_record("flat_plane", "lightglue_like", 42, 1.53),
                     synthetic_record("flat_plane", "roma_like", 42, 0.793),
                     synthetic_record("undulating", "lightglue_like", 42, 1.6),
                     synthetic_record("undulating", "roma_like", 42, 0.8)};
  const SweepPlan plan = plan_of(results);
  results.run.planned_cases = plan.cases.size();
  results.run.plan_sha256 = plan.sha256;
  results.run.requested = requested_json(plan.request);
  results.run.effective = effective_json(plan);
  results.environment = Json::parse(
      R"({"cpu":{"model":"Test CPU","cores_usable":2},"kernel":"6.1","build":{"commit":null,"flags":["-O3"]}})");
  return results;
}

Metric& metric_of(Record& record, const std::string& name) {
  const auto found = std::ranges::find(record.metrics, name, [](const auto& item) { return item.first; });
  if (found == record.metrics.end()) throw std::out_of_range(name);
  return found->second;
}

std::filesystem::path synthetic_bundle(const std::filesystem::path& base, Results& results) {
  const SweepPlan plan = plan_of(results);
  results.run.planned_cases = plan.cases.size();
  results.run.plan_sha256 = plan.sha256;
  const std::filesystem::path bundle = base / results.run.id;
  std::filesystem::create_directories(bundle / "tiles");
  begin_command(bundle, results.run.started_utc, {"c0ffee", "main", "## main", ""}, {"aqbench", "sweep"});
  Journal journal = Journal::create(bundle, plan, results.run.id, results.run.started_utc);
  for (const Record& record : results.records) journal.append(record);
  write_file(bundle / "bench.log", "sweep of 4 cases\n");
  write_file(bundle / "tiles" / "flat_plane_roma_like_seed=42.csv", "column,row,points\n0,0,7\n");
  end_command(bundle, results.run.finished_utc, {"c0ffee", "main", "## main", ""}, 0, {1.5, 1.25, 0.25});
  finalise_bundle(bundle, results);
  return bundle;
}

Baseline synthetic_baseline(const Results& results) {
  Baseline baseline;
  baseline.suite = results.run.suite;
  baseline.accepted_bundle = "20250101T000000Z";
  baseline.accepted_results_sha256 = std::string(64, '0');
  for (const Record& record : results.records) {
    BaselineCase accepted{record.case_name, record.options, {}};
    for (const auto& [name, metric] : gated_metrics(record))
      if (metric.value)
        accepted.metrics.emplace_back(
            name, BaselineMetric{*metric.value, metric.better, default_tolerance(name, metric)});
    baseline.cases.push_back(std::move(accepted));
  }
  return baseline;
}

}  // namespace aqbench
