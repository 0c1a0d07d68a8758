#include "harness/planning/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/parameters.h"
#include "core/resources.h"
#include "core/sha256.h"
#include "core/text.h"
#include "harness/measuring/environment.h"
#include "harness/planning/case_options.h"
#include "harness/planning/plan_basis.h"
#include "harness/planning/scene_choice.h"
#include "harness/records/case_name.h"
#include "harness/records/json_parts.h"
#include "harness/records/results.h"
#include "metrics/registry.h"

namespace aqbench {
namespace {

// Returns the number types of the cases, sorted, each once.
std::string dtype_of(const Selection& selection) {
  std::set<std::string> dtypes;
  for (const MethodChoice& choice : selection.methods) dtypes.insert(choice.spec->dtype);
  for (const WorkloadSpec* workload : selection.workloads) dtypes.insert(workload->dtype);
  return fmt::format("{}", fmt::join(dtypes, ", "));
}

std::vector<std::string> stages_of(const Case& planned, const Selection& selection) {
  for (const WorkloadSpec* workload : selection.workloads)
    if (workload->name == planned.workload) return workload->stages;
  for (const MethodChoice& method : selection.methods)
    if (method.spec->name == planned.method) return method.spec->stages;
  return {};
}

void plan_fault(std::vector<Case>& cases, const Inject& inject, const Selection& selection) {
  bool matched = false, reached = false;
  std::vector<std::string> stages;
  for (Case& planned : cases) {
    if (!means_case(inject.case_glob, planned.name)) continue;
    matched = true;
    const std::vector<std::string> known = stages_of(planned, selection);
    stages.insert(stages.end(), known.begin(), known.end());
    const bool has = inject.fault.stage == "*" ? !known.empty()
                                               : std::ranges::find(known, inject.fault.stage) != known.end();
    if (!has) continue;
    reached = true;
    if (planned.faults.size() == kMaxFaultsPerCase)
      refuse_plan("--inject: more than {} faults for case '{}'", kMaxFaultsPerCase, planned.name);
    planned.faults.push_back(inject.fault);
  }
  if (!matched)
    refuse_plan("--inject '{}': no planned case matches '{}' (the first one is '{}')", to_string(inject),
                inject.case_glob, cases.empty() ? "" : cases.front().name);
  std::ranges::sort(stages);
  stages.erase(std::unique(stages.begin(), stages.end()), stages.end());
  if (!reached)
    refuse_plan("--inject '{}': {}", to_string(inject),
                unknown_name_message("stage", inject.fault.stage, stages));
}

std::vector<const Case*> sorted_by_name(const std::vector<Case>& cases) {
  std::vector<const Case*> sorted;
  for (const Case& planned : cases) sorted.push_back(&planned);
  std::ranges::sort(sorted, {}, [](const Case* planned) { return planned->name; });
  return sorted;
}

std::vector<Case> cases_of_shard(const std::vector<Case>& cases, const Shard& shard) {
  std::set<std::string> mine;
  const auto sorted = sorted_by_name(cases);
  for (std::size_t i = shard.index - 1; i < sorted.size(); i += shard.count) mine.insert(sorted[i]->name);
  std::vector<Case> kept;
  for (const Case& planned : cases)
    if (mine.contains(planned.name)) kept.push_back(planned);
  return kept;
}

// Returns the available methods: the catalogue's and those declared in the request's project.
std::vector<MethodSpec> methods_of(const PlanRequest& request, const Catalogue& catalogue) {
  std::vector<MethodSpec> methods(catalogue.methods.begin(), catalogue.methods.end());
  for (const MethodDeclaration& declaration : request.project.methods) {
    if (std::ranges::find(methods, declaration.name, &MethodSpec::name) != methods.end())
      refuse_plan("method {}: declared, but a built-in method has this name", declaration.name);
    methods.push_back(declared_method(declaration));
  }
  return methods;
}

bool names_method(const Suite& suite, const std::string& name) {
  return std::ranges::any_of(all_methods(suite), [&](const std::string& pattern) {
    return glob_matches(pattern.substr(0, pattern.find(':')), name);
  });
}

bool names_scene(const Suite& suite, const std::string& scene) {
  return std::ranges::any_of(all_scenes(suite), [&](const std::string& pattern) {
    return pattern == scene || glob_matches(pattern, scene);
  });
}

// Removes parts of the project that no case needs, so that a run's evidence contains only what it used.
void keep_what_is_used(PlanRequest& request, const std::vector<Case>& cases) {
  const bool has_its_suite = request.own_suite && !request.suite.empty();
  std::erase_if(request.project.methods, [&](const MethodDeclaration& method) {
    // The whole suite can be planned again, also if only a part of it is run.
    return !(has_its_suite && names_method(*request.own_suite, method.name)) &&
           std::ranges::find(cases, method.name, &Case::method) == cases.end();
  });
  std::erase_if(request.project.datasets, [&](const ProjectDataset& dataset) {
    const std::string scene = std::string(kDatasetPrefix) + dataset.name;
    return !(has_its_suite && names_scene(*request.own_suite, scene)) &&
           std::ranges::find(cases, scene, &Case::scene) == cases.end();
  });
  std::erase_if(request.project.rigs, [&](const NamedRig& rig) {
    return !has_its_suite && std::ranges::none_of(cases, [&](const Case& planned) {
      return planned.images && planned.images->rig == rig.name;
    });
  });
  if (request.project.methods.empty() && request.project.datasets.empty() && request.project.rigs.empty() &&
      !has_its_suite)
    request.project = {};
}

// The values in order, each once: 3 and 3.0 are equal.
struct DifferentValues {
  Json list = Json::array();
  std::set<Json> known;

  void add(const Json& value) {
    if (known.insert(value).second) list.push_back(value);
  }
};

// Passes on the text of the cases as JSON, case by case.
template <class Take>
void each_part_of_cases(const std::vector<Case>& cases, const Take& take) {
  std::string lead = "[";
  for (const Case* planned : sorted_by_name(cases)) {
    take(lead + to_json(*planned).dump());
    lead = ",";
  }
  take(cases.empty() ? std::string("[]") : std::string("]"));
}

std::string cases_sha256(const std::vector<Case>& cases) {
  Sha256 hash;
  each_part_of_cases(cases, [&](const std::string& part) { hash.add(part); });
  return hash.hex();
}

// Measured on the bundles of docs/bundles/ (tests/harness/planning/plan_test.cc), indented as in
// results.json, and rounded up.
constexpr std::uint64_t kFileBytes = 12500;         // run, metric definitions, and environment
constexpr std::uint64_t kRecordBytes = 1100;        // without names, options, metrics, stages and samples
constexpr std::uint64_t kMetricsBytes = 4400;       // of a cloud without images
constexpr std::uint64_t kImageMetricsBytes = 7600;  // with depth maps and a diagnosis
constexpr std::uint64_t kWorkloadMetricsBytes = 700;
constexpr std::uint64_t kStageBytes = 200;
constexpr std::uint64_t kSampleBytes = 24;   // a number on a line of its own
constexpr std::uint64_t kTimingBytes = 600;  // without samples and blocks
constexpr std::uint64_t kBlockBytes = 300;   // a process of its own, and its cold call
constexpr std::uint64_t kOptionBytes = 32;   // value and indentation

std::size_t declared_stages(const Case& planned, const Catalogue& catalogue) {
  for (const WorkloadSpec& workload : catalogue.workloads)
    if (workload.name == planned.workload) return workload.stages.size();
  for (const MethodSpec& method : catalogue.methods)
    if (method.name == planned.method) return method.stages.size();
  return 0;
}

std::uint64_t timed_repetitions(const TimingPlan& timing) {
  if (!timing.times_warm()) return 1;
  const bool adaptive = timing.min_time_s > 0 || timing.precision > 0;
  const int each = adaptive ? std::max(timing.repetitions, timing.max_repetitions) : timing.repetitions;
  return static_cast<std::uint64_t>(each) * static_cast<std::uint64_t>(std::max(1, timing.blocks));
}

std::uint64_t estimate_record_bytes(const Case& planned, const Catalogue& catalogue) {
  std::uint64_t bytes = kRecordBytes + 2 * planned.name.size();
  for (const NamedValues* values : {&planned.options, &planned.defaults})
    for (const auto& [name, value] : *values) bytes += name.text().size() + kOptionBytes;
  bytes += !planned.workload.empty()                       ? kWorkloadMetricsBytes
           : planned.images || looks_at_recording(planned) ? kImageMetricsBytes
                                                           : kMetricsBytes;
  const std::uint64_t stages = declared_stages(planned, catalogue),
                      samples = timed_repetitions(planned.timing);
  bytes += stages * (kStageBytes + 2 * samples * kSampleBytes);  // wall and self time
  if (planned.timing.times_warm())
    bytes += kTimingBytes + static_cast<std::uint64_t>(std::max(1, planned.timing.blocks)) * kBlockBytes +
             2 * samples * kSampleBytes;  // wall and CPU time
  return bytes;
}

}  // namespace

std::string cases_text(const std::vector<Case>& cases) {
  std::string text;
  each_part_of_cases(cases, [&](const std::string& part) { text += part; });
  return text;
}

std::uint64_t default_memory_limit_bytes() {
  const std::uint64_t machine = memory_total_bytes().value_or(std::uint64_t{4} << 30);
  return memory_limit_bytes(machine, cgroup_memory_limit_bytes());
}

std::uint64_t memory_limit_bytes(std::uint64_t total_bytes,
                                 const std::optional<std::uint64_t>& of_control_group) {
  return std::min(total_bytes, of_control_group.value_or(total_bytes)) / 4 * 3;
}

SweepPlan plan_sweep(const PlanRequest& request, const Catalogue& catalogue) {
  if (!request.project.rigs.empty()) name_rigs(request.project.rigs);
  check_request(request);
  const std::vector<MethodSpec> methods = methods_of(request, catalogue);
  Catalogue with_declared = catalogue;
  with_declared.methods = methods;
  const PlanBasis basis = make_basis(request, with_declared);
  std::vector<Case> cases = planned_cases(basis, request);
  for (const Inject& inject : request.injects) plan_fault(cases, inject, basis.selection);

  SweepPlan plan;
  plan.request = request;
  keep_what_is_used(plan.request, cases);
  if (basis.selection.suite != nullptr) plan.suite = basis.selection.suite->name;
  plan.cases_in_all_shards = cases.size();
  plan.dtype = dtype_of(basis.selection);
  plan.all_shards_sha256 = cases_sha256(cases);
  if (request.shard.count > 1) {
    plan.cases = cases_of_shard(cases, request.shard);
    plan.sha256 = cases_sha256(plan.cases);
  } else {
    plan.cases = std::move(cases);
    plan.sha256 = plan.all_shards_sha256;
  }
  plan.timeout_s = request.timeout_s.value_or(kDefaultTimeoutS);
  plan.memory_limit_bytes = request.memory_limit_bytes.value_or(default_memory_limit_bytes());
  return plan;
}

Json effective_json(const SweepPlan& plan) {
  DifferentValues scenes, methods, workloads, devices, seeds, threads;
  nlohmann::ordered_map<std::string, DifferentValues> axes;
  for (const Case& planned : plan.cases) {
    if (!planned.workload.empty()) {
      workloads.add(planned.workload);
    } else {
      scenes.add(planned.scene);
      methods.add(planned.preset.empty() ? planned.method : planned.method + ":" + planned.preset);
    }
    devices.add(planned.device);
    seeds.add(planned.seed);
    threads.add(planned.threads);
    for (const auto& [name, value] : planned.axes) axes[name.text()].add(parameter_json(value));
  }
  Json values_of_axes = Json::object();
  for (auto& [name, values] : axes) values_of_axes[name] = std::move(values.list);
  Json definitions = Json::object();
  std::set<std::string> defined;  // protocols of files
  if (!scenes.list.empty())
    for (const MetricSpec& metric : metric_registry()) definitions[metric.name] = metric.definition;
  for (const Case& planned : plan.cases)
    for (const AskedProtocol& asked : case_protocols(planned))
      for (const ProtocolMetric& metric : metrics_of(asked)) definitions[metric.name] = metric.definition;
  for (const Case& planned : plan.cases)
    for (const AskedFileProtocol& asked : case_file_protocols(planned))
      if (gives_files(planned, asked.family->kind) && defined.insert(asked.protocol->name).second)
        for (const ProtocolMetric& metric : metrics_of(asked)) definitions[metric.name] = metric.definition;
  return {{"suite", text_json(plan.suite)},
          {"scenes", scenes.list},
          {"methods", methods.list},
          {"workloads", workloads.list},
          {"seeds", seeds.list},
          {"threads", threads.list},
          {"devices", devices.list},
          {"axes", values_of_axes},
          {"definitions", std::move(definitions)},
          {"timeout_s", plan.timeout_s},
          {"memory_limit_bytes", plan.memory_limit_bytes},
          {"shard", to_string(plan.request.shard)},
          {"cases", plan.cases.size()},
          {"cases_in_all_shards", plan.cases_in_all_shards},
          {"plan_sha256", plan.sha256},
          {"all_shards_sha256", plan.all_shards_sha256}};
}

std::uint64_t estimate_results_bytes(const SweepPlan& plan, const Catalogue& catalogue) {
  std::uint64_t bytes = kFileBytes;
  for (const Case& planned : plan.cases) bytes += estimate_record_bytes(planned, catalogue);
  return bytes;
}

void require_records_fit(const SweepPlan& plan, const Catalogue& catalogue) {
  const std::uint64_t bytes = estimate_results_bytes(plan, catalogue);
  if (bytes <= kMaxPlannedResultsBytes) return;
  refuse_plan(
      "the records of these {} cases would take about {} MiB, but results.json is limited to {}; "
      "plan fewer cases or repetitions, or split them into several bundles",
      plan.cases.size(), bytes >> 20, kMaxPlannedResultsBytes >> 20);
}

}  // namespace aqbench
