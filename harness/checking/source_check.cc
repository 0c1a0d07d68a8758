#include "harness/checking/source_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/json.h"
#include "core/sandbox/sandbox.h"
#include "core/text.h"
#include "harness/checking/case_files.h"
#include "harness/measuring/build_info.h"
#include "harness/measuring/environment.h"
#include "harness/planning/case_images.h"
#include "harness/planning/case_method.h"
#include "harness/planning/case_scoring.h"
#include "harness/planning/scene_choice.h"
#include "metrics/metric_relations.h"
#include "metrics/registry.h"
#include "pipeline/workloads/workload.h"
#include "scenes/registry.h"

namespace aqbench {
namespace {

bool is_real(const Case& planned) { return planned.workload.empty() && !planned.simulated; }

bool looks_at_dataset(const Case& planned) {
  return is_real(planned) && (renders_images(planned) || looks_at_recording(planned));
}

std::string planned_option(const Case& planned, std::string_view name) {
  const auto found =
      std::ranges::find(planned.options, name, [](const auto& option) { return option.first.text(); });
  return found == planned.options.end() ? std::string() : to_string(found->second);
}

// Returns a text that two cases of one plan have in common exactly if they look at the same dataset; "" for a
// case that looks at none.
std::string dataset_of_case(const Case& planned) {
  if (!looks_at_dataset(planned)) return {};
  std::string text = fmt::format("{} seed={}", planned.scene, planned.seed);
  for (const auto& [name, value] : planned.options)
    if (!name.starts_with(planned.method + ".") && !name.starts_with("perturb."))
      text += fmt::format(" {}={}", name, to_string(value));
  return text;
}

class SourceChecker {
 public:
  SourceChecker(const Record& record, const Case& planned) : record_(record), planned_(planned) {}

  SourceProblems run(bool is_profile) {
    const bool ended_well = record_.status == Status::ok && !is_profile;
    check_isolation(ended_well);
    check_dataset(ended_well);
    if (!is_profile) check_faults();
    if (record_.program && !starts_program(planned_)) report("program: it runs none");
    if (!is_profile) check_timing();
    check_files();
    if (ended_well && !planned_.workload.empty()) check_identities();
    if (!ended_well || !planned_.workload.empty()) return std::move(problems_);
    if (record_.stages.empty()) report("stages: are missing beside status ok");
    if (!tells_own_stages(planned_)) check_stages();
    if (!looks_at_recording(planned_) && !says_how_to_score(planned_)) check_holes();
    check_families();
    check_names();
    return std::move(problems_);
  }

 private:
  void report(std::string what) { problems_.always.push_back(std::move(what)); }

  void check_files() {
    for (const CaseFile& file : record_.files.value_or(std::vector<CaseFile>{}))
      if (!can_have_file(planned_, record_, file.path))
        problems_.of_this_version.push_back(
            fmt::format("files: '{}', which such a case has not", printable(file.path)));
  }

  // Details of times are those of warm runs; rate, figures and verdict those of a workload.
  void check_timing() {
    const Timing& timing = record_.timing;
    constexpr std::string_view kReasons[] = {"",          "repetitions",     "min_time",
                                             "precision", "max_repetitions", "max_time"};
    if (std::ranges::find(kReasons, timing.stopped) == std::end(kReasons))
      report(fmt::format("timing.details.stopped: '{}' is no reason", printable(timing.stopped)));
    for (const auto& [name, value] : timing.figures)
      if (!(value >= 0)) report(fmt::format("timing.details.figures.{}: is {}", printable(name), value));
    check_roofline();
    if (planned_.workload.empty() &&
        (timing.throughput || !timing.figures.empty() || !timing.verdict.empty()))
      report("timing: has throughput, figures or a verdict, as a workload alone has");
    if (timing.warm_ms.empty() && (!timing.blocks.empty() || !timing.cpu_ms.empty() || !timing.note.empty() ||
                                   !timing.stopped.empty() || timing.precision))
      report("timing.details: stand beside no warm run");
    for (const StageRecord& stage : record_.stages)
      if (planned_.device == "cpu" && std::ranges::any_of(stage.device_ms, [](double ms) { return ms > 0; }))
        report(fmt::format("stages.{}.device_ms: a device was not asked for", printable(stage.name)));
    if (timing.dataset_ms && !looks_at_dataset(planned_) && !planned_.images)
      report("timing.dataset_ms: it looks at no dataset");
    if (!planned_.workload.empty() && timing.throughput) check_throughput_unit();
  }

  // What is known of the roofline is known whole.
  void check_roofline() {
    constexpr std::string_view kRoofline[] = {"gflop",         "gb",     "peak_gflops",
                                              "peak_gb_per_s", "gflops", "roofline_share"};
    std::size_t found = 0;
    for (const auto& [name, value] : record_.timing.figures)
      if (std::ranges::find(kRoofline, name) != std::end(kRoofline)) found += 1;
    if (found != 0 && found != std::size(kRoofline))
      report("timing.details.figures: hold a part of the roofline alone");
  }

  void check_throughput_unit() {
    try {
      const std::string& unit = find_workload(planned_.workload).throughput_unit;
      if (record_.timing.throughput_unit == unit) return;
      problems_.of_this_version.push_back(fmt::format("timing.throughput.unit: is '{}', {} gives {}",
                                                      printable(record_.timing.throughput_unit),
                                                      planned_.workload, unit));
    } catch (const Error& error) {
      problems_.of_this_version.push_back(error.what());
    }
  }

  // A workload is proved by identities, which are no metrics of a score.
  void check_identities() {
    for (const auto& [name, metric] : record_.metrics)
      if (is_metric_name(name) || metric.unit != "1" || metric.better != Better::equal || !metric.value)
        report(fmt::format("metrics: {} is no identity of a workload", printable(name)));
  }

  // Tolerances in names are the usual ones, unless options or a recording say how to score.
  void check_names() {
    const bool recording = looks_at_recording(planned_), own_way = recording || says_how_to_score(planned_);
    for (const auto& [name, metric] : record_.metrics)
      if (own_way ? !is_metric_name(name)
                  : std::ranges::find(metric_registry(), name, &MetricSpec::name) == metric_registry().end())
        problems_.of_this_version.push_back(fmt::format("metrics: {} is none", printable(name)));
    for (const auto& problem : recorded_problems(record_.metrics, planned_option(planned_, "dataset.truth")))
      problems_.of_this_version.push_back("metrics: " + problem);
    std::vector<MetricFamily> foreign;
    if (!recording) foreign = {MetricFamily::recorded};
    if (planned_.simulated) foreign.insert(foreign.end(), {MetricFamily::depths, MetricFamily::diagnosis});
    for (const MetricFamily family : foreign)
      for (const std::string& name : names_of_family(record_.metrics, family))
        report(fmt::format("metrics: {}, which such a case has not", printable(name)));
  }

  void check_isolation(bool ended_well) {
    const bool real = is_real(planned_);
    if (record_.isolation.empty() ? real && ended_well : !real || !is_isolation(record_.isolation))
      report(fmt::format("isolation '{}': {}", printable(record_.isolation),
                         real ? "is none of those that there are" : "a real method alone has one"));
  }

  void check_dataset(bool ended_well) {
    const bool looks = looks_at_dataset(planned_);
    const std::string& seen = record_.dataset_sha256;
    // Earlier versions rendered images also for a program that asks for none.
    if (seen.empty() ? looks && ended_well : !looks && !planned_.images)
      report(looks ? "dataset_sha256: is missing" : "dataset_sha256: it looks at no dataset");
    else if (!seen.empty() && looks_at_recording(planned_) &&
             seen != planned_option(planned_, "dataset.sha256"))
      report("dataset_sha256: is not that of the planned recording");
    if (looks && ended_well && !record_.timing.dataset_ms)
      problems_.of_this_version.push_back("timing.dataset_ms: is missing");
  }

  // A method opens the stages that it is registered with.
  void check_stages() {
    try {
      const std::vector<std::string> known = method_of(planned_).stages;
      for (const StageRecord& stage : record_.stages)
        if (std::ranges::find(known, stage.name) == known.end())
          problems_.of_this_version.push_back(
              fmt::format("stages: {} has no stage {}", planned_.method, printable(stage.name)));
    } catch (const Error& error) {
      problems_.of_this_version.push_back(error.what());
    }
  }

  void check_faults() {
    SourceProblems of_faults = fault_problems(record_, planned_);
    std::ranges::move(of_faults.always, std::back_inserter(problems_.always));
    std::ranges::move(of_faults.of_this_version, std::back_inserter(problems_.of_this_version));
  }

  // Holes are what completeness lacks; of a recording, or by an option, that may be sampled otherwise.
  void check_holes() {
    const Metric* const complete = find_metric(record_.metrics, "completeness_2mm_pct");
    if (complete == nullptr || !complete->value) return;
    double sum_pct = *complete->value;
    for (const char* const cause : {"holes_not_visible_pct", "holes_no_depth_pct", "holes_wrong_depth_pct",
                                    "holes_filtered_pct", "holes_fused_pct"}) {
      const Metric* const share = find_metric(record_.metrics, cause);
      if (share == nullptr || !share->value) return;
      sum_pct += *share->value;
    }
    constexpr double rounding_pct = 1e-6;
    if (std::abs(sum_pct - 100) > rounding_pct)
      report(fmt::format("metrics: holes and completeness_2mm_pct sum up to {} %", sum_pct));
  }

  // A method that gives depth maps gives all that follows from them, wherever images are rendered. Those of
  // somebody else's program may do so in one case and not in another.
  void check_families() {
    const bool rendered = looks_at_dataset(planned_) && !looks_at_recording(planned_);
    const bool dense = rendered && gives_depth_maps(planned_);
    if (dense) check_family(MetricFamily::normals, true);
    check_family(MetricFamily::mesh, false);
    if (!rendered) return;
    check_family(MetricFamily::depths, dense);
    check_family(MetricFamily::diagnosis, dense);
    if (!says_how_to_score(planned_)) check_family(MetricFamily::seen_by_two, true);
  }

  void check_family(MetricFamily family, bool expected) {
    for (const std::string& name : missing_of_family(record_.metrics, family, expected))
      problems_.of_this_version.push_back(fmt::format("metrics: {} is missing", name));
  }

  const Record& record_;
  const Case& planned_;
  SourceProblems problems_;
};

// Returns the area of the true surface of a case, which is the same for all cases with the same text.
double true_area_mm2(const Case& planned, std::map<std::string, double>& known) {
  std::vector<Override> of_scene;
  std::string text = planned.scene;
  for (const Override& given : planned.overrides)
    if (given.owner == planned.scene) {
      of_scene.push_back(given);
      text += fmt::format(" {}={}", given.parameter, given.value);
    }
  if (const auto found = known.find(text); found != known.end()) return found->second;
  const double area_mm2 = 1e6 * make_scene(planned.scene, of_scene).truth.surface->area_m2();
  return known[text] = area_mm2;
}

}  // namespace

SourceProblems source_problems(const Record& record, const Case& planned, bool is_profile) {
  return SourceChecker(record, planned).run(is_profile);
}

std::vector<std::string> dataset_problems(const Results& results, const JournalContents& journal) {
  const Json& key = results.environment->value("comparability", Json::object());
  if (key.is_object() && key.contains("mixed")) return {};
  std::map<std::string, std::string> dataset_of;  // by case
  for (const Json& json : parse_strict_json(journal.header.cases_text, "cases", kMessageJson)) {
    const Case planned = case_from_json(json, "cases");
    dataset_of[planned.name] = dataset_of_case(planned);
  }
  std::map<std::string, const Record*> first_of;
  std::vector<std::string> problems;
  for (const Record& record : results.records) {
    const auto dataset = dataset_of.find(record.case_name);
    if (record.dataset_sha256.empty() || dataset == dataset_of.end() || dataset->second.empty()) continue;
    const Record& first = *first_of.emplace(dataset->second, &record).first->second;
    if (first.dataset_sha256 != record.dataset_sha256)
      problems.push_back(
          fmt::format("case {}: dataset_sha256: case {} looks at the same dataset and has another",
                      printable(record.case_name), printable(first.case_name)));
  }
  return problems;
}

std::vector<std::string> density_problems(const Results& results,
                                          const std::map<std::string, Case>& planned) {
  constexpr double kRounding = 1e-9;
  std::map<std::string, double> areas;
  std::vector<std::string> problems;
  for (const Record& record : results.records) {
    const auto found = planned.find(record.case_name);
    const auto value = [&](const char* name) {
      const Metric* const metric = find_metric(record.metrics, name);
      return metric == nullptr ? std::nullopt : metric->value;
    };
    const auto density = value("point_density_pct"), points = value("points"),
               lost = value("points_non_finite");
    if (found == planned.end() || !density || !points || !lost || record.scene.find(':') != std::string::npos)
      continue;
    try {
      const double expected = 100 * (*points - *lost) / true_area_mm2(found->second, areas);
      if (std::abs(*density - expected) > kRounding * (1 + expected))
        problems.push_back(fmt::format("case {}: metrics: point_density_pct is {}, but its points give {}",
                                       printable(record.case_name), *density, expected));
    } catch (const Error& error) {
      problems.push_back(fmt::format("case {}: its scene: {}", printable(record.case_name), error.what()));
    }
  }
  return problems;
}

}  // namespace aqbench
