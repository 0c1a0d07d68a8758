#include "tests/reports/synthetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/files.h"
#include "core/json_members.h"
#include "core/sha256.h"
#include "harness/gating/verdicts.h"
#include "harness/measuring/build_info.h"
#include "harness/planning/plan_flags.h"
#include "harness/records/case_result.h"
#include "pipeline/method/method.h"
#include "reports/bundle/bundle.h"
#include "reports/content/commands.h"
#include "reports/content/run_sections.h"

namespace aqbench {

namespace {

const SweepPlan& seed_plan() {
  static const SweepPlan plan = [] {
    PlanRequest request;
    request.suite = "seed";
    request.threads = 2;
    return plan_sweep(request);
  }();
  return plan;
}

const Case* planned_case(const SweepPlan& plan, const std::string& name) {
  const auto found = std::ranges::find(plan.cases, name, &Case::name);
  return found == plan.cases.end() ? nullptr : &*found;
}

// All metrics that a cloud's score has.
MetricSet whole_metrics(double mean_mm) {
  const auto mm = [](double value, Better better = Better::lower) { return Metric{value, "mm", better, ""}; };
  MetricSet metrics = {
      {"accuracy_mean_mm", mm(mean_mm)},
      {"accuracy_median_mm", mm(0.8 * mean_mm)},
      {"accuracy_rmse_mm", mm(1.25 * mean_mm)},
      {"accuracy_p90_mm", mm(2 * mean_mm)},
      {"accuracy_p95_mm", mm(2.5 * mean_mm)},
      {"accuracy_max_mm", mm(5 * mean_mm)},
      {"bias_mean_mm", mm(-0.02 * mean_mm, Better::equal)},
      {"bias_median_mm", mm(-0.01 * mean_mm, Better::equal)},
      {"nmad_mm", mm(1.2 * mean_mm)},
      {"outlier_ratio_pct", {0, "%", Better::lower, ""}},
      {"completeness_mean_mm", mm(5)},
      {"completeness_median_mm", mm(4)},
      {"chamfer_l1_mm", mm(0.5 * (mean_mm + 5))},
      {"hausdorff_p95_mm", mm(10)},
      {"points", {2850, "points", Better::equal, ""}},
      {"points_outside_patch", {50, "points", Better::equal, ""}},
      {"points_non_finite", {0, "points", Better::equal, ""}},
      {"point_density_pct", {1.9, "%", Better::equal, ""}},
      {"points_per_mm2", {0.0187, "1/mm2", Better::equal, ""}},
      {"plane_fit_rmse_mm", mm(1.25 * mean_mm)},
      {"plane_fit_max_mm", mm(5 * mean_mm)},
      {"tile_worst_abs_bias_mm", mm(0.1 * mean_mm)},
      {"tile_empty_pct", {0, "%", Better::lower, ""}},
      {"normal_mean_deg", {{}, "deg", Better::lower, "the cloud has no normals"}},
  };
  constexpr struct {
    const char* text;
    double tolerance_mm, completeness;
  } kShares[] = {{"0.5", 0.5, 2}, {"1", 1, 8}, {"2", 2, 21.5}, {"5", 5, 60}, {"10", 10, 95}};
  for (const auto& [text, tolerance_mm, complete] : kShares) {
    const double precise = 100 * (1 - std::exp(-tolerance_mm / mean_mm));
    const auto add = [&](const std::string& family, double value) {
      metrics.emplace_back(family + text + "mm_pct", Metric{value, "%", Better::higher, ""});
    };
    add("precision_", precise);
    add("completeness_", complete);
    add("completeness_inset_", complete);
    add("fscore_", 2 * precise * complete / (precise + complete));
  }
  return metrics;
}

}  // namespace

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
  for (const auto& [name, metric] : whole_metrics(accuracy_mean_mm))
    for (const char* const kept :
         {"accuracy_mean_mm", "accuracy_median_mm", "accuracy_rmse_mm", "bias_mean_mm", "precision_2mm_pct",
          "completeness_2mm_pct", "fscore_2mm_pct", "points", "point_density_pct", "normal_mean_deg"})
      if (name == kept) record.metrics.emplace_back(name, metric);
  record.stages = {{find_method(method).stages.front(), "", 1, {12.5}, {12.5}, {}, {}}};
  record.timing.cold_ms = 12.75;
  record.peak_rss_bytes = 50'000'000;
  record.output_sha256 = std::string(64, 'a');
  return record;
}

namespace {

// The plan that these records follow from: suite `seed`, with the options and faults that they name.
SweepPlan plan_of(const Results& results) {
  PlanRequest request = seed_request();
  for (const Record& record : results.records) {
    if (record.status == Status::skipped) request.device = "cuda";
    for (const InjectedFault& fault : record.injected)
      request.injects.push_back({record.case_name, {fault.stage, fault.effect}});
    const Case* const usual = planned_case(seed_plan(), record.case_name);
    if (usual == nullptr) continue;
    for (const auto& [option, value] : record.options) {
      const std::string& name = option;
      const std::size_t dot = name.find('.');
      const ParameterValue* const known = find_option(*usual, name);
      if (known != nullptr && *known != value)
        request.sets.push_back({name.substr(0, dot), name.substr(dot + 1), to_string(value)});
    }
  }
  return plan_sweep(request);
}

double mean_of(const Record& record) {
  const Metric* const mean = find_metric(record.metrics, "accuracy_mean_mm");
  return mean == nullptr ? 1 : mean->value.value_or(1);
}

// Gives a record the options of its case and all metrics that go with its mean.
void complete(Record& record, const SweepPlan& plan) {
  if (const Case* const planned = planned_case(plan, record.case_name)) {
    record.options = planned->options;
    record.defaults = planned->defaults;
  }
  if (record.status == Status::ok)
    record.metrics = whole_metrics(mean_of(record));
  else
    record.metrics.clear();
}

// What a case that was skipped on purpose leaves.
void skip(Record& record) {
  record.axes[2].second = std::string("cuda");
  record.reason = record.method + " is simulated and runs on the CPU alone";
  record.metrics.clear();
  record.stages.clear();
  record.timing = {};
  record.output_sha256.clear();
}

// Three tiles, the last one without points.
std::string tiles_of(const Record& record) {
  const double mean_mm = mean_of(record);
  return fmt::format(
      "column,row,x_min_mm,y_min_mm,points,signed_mean_mm,nmad_mm,completeness_2mm_pct,x_max_mm,y_max_mm\n"
      "0,0,-250,-150,400,{},0,21.5,-240,-140\n1,0,-240,-150,400,{},0,20,-230,-140\n"
      "2,0,-230,-150,0,,,,-220,-140\n",
      -0.1 * mean_mm, 0.08 * mean_mm);
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
  results.run.requested = parse_strict_json(requested_json(plan.request).dump(), "requested", kMessageJson);
  results.run.effective = effective_json(plan);
  results.environment = Json::parse(
      R"({"cpu":{"model":"Test CPU","cores_usable":2},"kernel":"6.1","build":{"commit":null,"flags":["-O3"]}})");
  return results;
}

void set_day(Results& results, const std::string& day) {
  results.run.id = "202505" + day + "T101112Z";
  results.run.started_utc = results.run.finished_utc = "2025-05-" + day + "T10:11:12Z";
}

Metric& metric_of(Record& record, const std::string& name) {
  const auto found = std::ranges::find(record.metrics, name, [](const auto& item) { return item.first; });
  if (found == record.metrics.end()) throw std::out_of_range(name);
  return found->second;
}

PlanRequest seed_request() {
  PlanRequest request;
  request.suite = "seed";
  request.threads = 2;
  return request;
}

std::filesystem::path synthetic_bundle(const std::filesystem::path& base, Results& results) {
  return synthetic_bundle(base, results, plan_of(results));
}

std::filesystem::path synthetic_bundle(const std::filesystem::path& base, Results& results,
                                       const SweepPlan& plan, const std::vector<std::string>& flags) {
  results.run.suite = plan.suite;
  results.run.complete = results.records.size() == plan.cases.size();
  results.run.planned_cases = plan.cases.size();
  results.run.plan_sha256 = plan.sha256;
  results.run.requested = parse_strict_json(requested_json(plan.request).dump(), "requested", kMessageJson);
  results.run.effective = effective_json(plan);
  Json environment = *results.environment;
  environment["build"].update(JsonOf<BuildInfo>::write(build_info()));
  if (build_info().commit.empty()) environment["build"]["commit"] = environment["build"]["dirty"] = nullptr;
  environment["build"]["program_sha256"] = program_sha256();
  if (!environment.contains("comparability"))
    for (const char* const key : {"compiler", "flags", "build_type", "sanitizers"})
      environment["comparability"][key] = environment["build"][key];
  environment["comparability"]["cpu_model"] = environment["cpu"].value("model", Json());
  results.environment = environment;
  const std::filesystem::path bundle = base / results.run.id;
  std::filesystem::create_directories(bundle / "tiles");
  std::string log = "sweep of 4 cases\n";
  std::vector<std::string> words = plan_words(plan.request);
  words.insert(words.begin(), {"aqbench", "sweep"});
  words.insert(words.end(), flags.begin(), flags.end());
  begin_command(bundle, results.run.started_utc, {"c0ffee", "main", "## main", ""}, words);
  Journal journal =
      Journal::create(bundle, plan, results.run.id, results.run.started_utc, results.environment);
  bool failed = false;
  for (Record& record : results.records) {
    complete(record, plan);
    if (record.status == Status::skipped) skip(record);
    record.files.clear();  // of an earlier run
    failed = failed || (record.status != Status::ok && record.status != Status::skipped);
    if (record.status == Status::ok) {
      const std::string tiles = "tiles/" + file_name_of(record.case_name) + ".csv";
      write_file(bundle / tiles, tiles_of(record));
      record.files = {{tiles, sha256_hex(tiles_of(record))}};
    }
    log += fmt::format("== {} {}\n-- {}{}{}\n", results.run.started_utc, record.case_name,
                       to_string(record.status), record.reason.empty() ? "" : ": ", record.reason);
    write_file(bundle / "bench.log", log);
    journal.append(record);
  }
  end_command(bundle, results.run.finished_utc, {"c0ffee", "main", "## main", ""},
              !results.run.complete ? 130
              : failed              ? 3
                                    : 0,
              {1.5, 1.25, 0.25});
  finalise_bundle(bundle, results);
  return bundle;
}

void two_bundles(const std::filesystem::path& base) {
  Results run = synthetic_results();
  synthetic_bundle(base, run);
  set_day(run, "21");
  metric_of(run.records[1], "accuracy_mean_mm").value = 0.95;
  run.records[2].status = Status::crashed;
  run.records[2].reason = "<b>died</b>";
  run.records[2].metrics.clear();
  synthetic_bundle(base, run);
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

void rehash(const std::filesystem::path& bundle) {
  std::vector<HashLine> lines;
  for (const std::string& file : list_bundle_files(bundle).files)
    if (file != kHashListName) lines.push_back({sha256_file_hex(bundle / file), file});
  std::filesystem::remove(bundle / kHashListName);
  std::ofstream(bundle / kHashListName, std::ios::binary) << hash_list_text(lines);
}

}  // namespace aqbench
