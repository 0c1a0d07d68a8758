#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/ab/sides.h"
#include "core/error.h"
#include "core/json.h"
#include "harness/ab/report.h"
#include "harness/ab/unit.h"
#include "harness/records/case_name.h"
#include "reports/bundle/verify.h"

namespace aqbench::cli {
namespace {

// The case where none is chosen: some ms a run, in two stages that compute and touch little memory, so that
// the result depends on the rule and on the machine, not on the case.
constexpr const char* kUsualMethod = "roma_like";
constexpr const char* kUsualScene = "flat_plane";
constexpr const char* kUsualPoints = "40000";

PlanRequest validated_request(const AbRequest& request) {
  PlanRequest plan = request.plan;
  if (plan.suite.empty() && !plan.own_suite && plan.scenes.empty() && plan.methods.empty() &&
      plan.workloads.empty()) {
    plan.scenes = {kUsualScene};
    plan.methods = {kUsualMethod};
    const bool given = std::ranges::any_of(plan.sets, [](const Override& set) {
      return set.owner == kUsualMethod && set.parameter == "points";
    });
    if (!given) plan.sets.push_back({kUsualMethod, "points", kUsualPoints});
  }
  if (!plan.threads) plan.threads = 1;  // it is about the clock and the rule, not the scheduler
  return plan;
}

std::vector<std::pair<std::string, std::string>> settings_of_case(const Case& planned, int warm_runs) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const NamedValues* values : {&planned.options, &planned.defaults})
    for (const auto& [name, value] : *values) settings.emplace_back(name, to_string(value));
  std::ranges::sort(settings);
  settings.emplace_back("threads", std::to_string(planned.threads));
  settings.emplace_back("device", planned.device);
  settings.emplace_back("warm_runs", std::to_string(warm_runs));
  return settings;
}

// One side of a comparison: the case, and how another process plans it.
struct ValidatedSide {
  PlanRequest request;
  Case planned;
};

// Gives the side a seed that no other unit has: methods that differ make other things of the same seed.
ValidatedSide with_own_seed(const ValidatedSide& side, std::size_t unit) {
  ValidatedSide seeded = side;
  seeded.request.seed = side.planned.seed + unit;
  seeded.request.repeat = 1;
  const SweepPlan plan = plan_sweep(seeded.request);
  const std::string name = name_with_seed(side.planned.name, std::to_string(*seeded.request.seed));
  const auto found = std::ranges::find(plan.cases, name, &Case::name);
  if (found == plan.cases.end()) throw usage_error("{}: has no seed: --paired-over runs", side.planned.name);
  seeded.planned = *found;
  return seeded;
}

// ---- What an earlier --calibrate says ----

// Throws Error(not_comparable) where the machine is another one. Threads and build are no part of the
// machine: the comparison chooses them.
void require_same_machine(const Json& calibrated, const Json& now, const std::string& bundle) {
  for (const char* key : {"architecture", "cpu_model", "cores", "cgroup_quota_cores", "memory", "gpu"}) {
    const Json then = calibrated.value("comparability", Json::object()).value(key, Json());
    const Json here = now.value("comparability", Json::object()).value(key, Json());
    if (then != here)
      throw not_comparable_error("--calibration {}: {} was {} there and is {} here", bundle, key, then.dump(),
                                 here.dump());
  }
}

// Returns "threads is 2, was 1; roma_like.points is 100000, was 40000", or "" where nothing differs.
std::string settings_difference(const AbValidation& validation, const Case& planned, int warm_runs) {
  std::string difference;
  for (const auto& [name, value] : settings_of_case(planned, warm_runs)) {
    const auto then =
        std::ranges::find(validation.case_settings, name, [](const auto& one) { return one.first; });
    const std::string was = then == validation.case_settings.end() ? "unknown" : then->second;
    if (was != value)
      difference += fmt::format("{}{} is {}, was {}", difference.empty() ? "" : "; ", name, value, was);
  }
  return difference;
}

}  // namespace

AbSides plan_validation(const AbRequest& request, int cancel_descriptor, AbDocument& document) {
  ValidatedSide plain{validated_request(request), {}};
  SweepPlan plan = plan_sweep(plain.request);
  keep_matching(plan, request.case_globs);
  if (plan.cases.size() != 1)
    throw usage_error(
        "--calibrate: takes one case, {} are planned (first '{}'); "
        "choose with --case, --scene, --method or --workload",
        plan.cases.size(), plan.cases.front().name);
  plain.planned = plan.cases.front();
  const std::string name = plain.planned.name;
  const bool metrics = !document.settings.outcomes.empty();
  ValidatedSide delayed = plain;
  delayed.planned.faults.push_back({"*", kValidationDelay});
  delayed.request.injects.push_back({name, {"*", kValidationDelay}});

  document.run.exec = request.exec;
  document.run.warm_runs = *request.plan.timing.repetitions;
  if (metrics) document.run.paired_over = request.metrics.paired_over;
  AbValidation validation{name, request.live > 0 ? request.live : kUsualComparisons,
                          request.calibrate && !metrics ? kValidationDelay : "",
                          settings_of_case(plain.planned, document.run.warm_runs)};
  for (std::size_t i = 0; i < validation.total(); ++i)
    document.samples.cases.push_back({validation.name_of(i), std::nullopt});
  const UnitProgram program = describe_this_program(plan);
  document.a = {.label = "this program", .program_sha256 = program.sha256, .build = program.build};
  document.b = document.a;

  const auto limits =
      std::make_shared<UnitLimits>(ab_limits(plan.timeout_s, plan.memory_limit_bytes, cancel_descriptor));
  const std::string binary =
      request.exec ? std::filesystem::read_symlink("/proc/self/exe").string() : std::string();
  const bool seeds = metrics && document.run.paired_over == "seeds";
  document.run.validation = validation;
  const auto run = [=, outcomes =
                           document.settings.outcomes](const AbUnitTask& task) -> std::optional<CaseResult> {
    ValidatedSide side = task.side == AbSide::b && validation.is_delayed(task.case_index) ? delayed : plain;
    if (seeds)
      side = with_own_seed(
          side, 2 * (task.draw * validation.total() + task.case_index) + (task.side == AbSide::b ? 1 : 0));
    const bool score = task.score || metrics;
    auto answer = binary.empty() ? run_forked_unit(side.planned, score, *limits)
                                 : run_started_unit(binary, side.request, side.planned.name, score, *limits);
    if (answer && metrics) take_metrics(outcomes, answer->record);
    if (answer) answer->artefacts.clear();
    return answer;
  };
  return {run, {plan.sha256}, limits};
}

void apply_validation(const std::filesystem::path& bundle, const PlanRequest& request, AbDocument& document) {
  require_verified(verify_bundle(bundle), bundle);
  Results results = read_any_results(bundle / "results.json");
  const AbDocument calibrated = results.is_comparison() ? document_of(std::move(results)) : AbDocument{};
  if (!calibrated.run.validation)
    throw input_error("--calibration {}: is not a bundle of --calibrate", bundle.string());
  require_same_machine(*calibrated.environment, *document.environment, bundle.string());
  const ValidationReport report = judge_ab(calibrated).validation.value();
  for (const std::string& line : validation_lines(report))
    document.notes.push_back(fmt::format("calibration {}: {}", calibrated.run.id, line));
  const std::string& name = report.validation.case_name;
  const auto compared = std::ranges::find(document.samples.cases, name, &AbCase::name);
  if (compared == document.samples.cases.end()) return;
  const SweepPlan plan = plan_sweep(request);
  const auto planned = std::ranges::find(plan.cases, name, &Case::name);
  const std::string difference =
      planned == plan.cases.end() ? "this program does not plan it"
                                  : settings_difference(report.validation, *planned, document.run.warm_runs);
  if (difference.empty())
    compared->tau = report.tau;
  else
    document.notes.push_back(fmt::format("the calibrated tau of {} is not taken: {}", name, difference));
}

}  // namespace aqbench::cli
