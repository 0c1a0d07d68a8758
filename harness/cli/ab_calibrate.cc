#include "harness/cli/ab_calibrate.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "harness/ab/progress.h"
#include "harness/ab/unit.h"
#include "harness/cli/ab_sides.h"
#include "harness/progress.h"
#include "harness/stop_signals.h"
#include "harness/text.h"
#include "reports/ab_bundle.h"
#include "reports/bundle.h"
#include "reports/calibration_report.h"
#include "reports/commands.h"
#include "reports/strict_json.h"
#include "reports/table.h"
#include "reports/verify.h"
#include "scenes/core/error.h"

namespace aqbench::cli {
namespace {

constexpr const char* kDelay = "+5%";

// Some 15 ms a run that compute and touch little memory, so that what is seen is the rule and the machine.
constexpr const char* kUsualWorkload = "absorption";

std::vector<Override> usual_sets() {
  return {{kUsualWorkload, "variant", "loop"},
          {kUsualWorkload, "size", "128"},
          {kUsualWorkload, "layers", "150"}};
}

PlanRequest calibration_plan(const AbRequest& request) {
  PlanRequest plan = request.plan;
  if (plan.suite.empty() && !plan.own_suite && plan.scenes.empty() && plan.methods.empty() &&
      plan.workloads.empty()) {
    plan.workloads = {kUsualWorkload};
    for (const Override& usual : usual_sets()) {
      const bool given = std::ranges::any_of(plan.sets, [&](const Override& set) {
        return set.owner == usual.owner && set.parameter == usual.parameter;
      });
      if (!given) plan.sets.push_back(usual);
    }
  }
  if (!plan.threads) plan.threads = 1;  // what is calibrated is the clock and the rule, not the scheduler
  return plan;
}

SweepPlan plan_one_case(const AbRequest& request) {
  SweepPlan plan = plan_sweep(calibration_plan(request));
  keep_matching(plan, request.case_globs);
  if (plan.cases.size() != 1)
    throw Error(ErrorKind::usage,
                fmt::format("--calibrate: takes one case, {} are planned (first '{}'); choose with "
                            "--case, --scene, --method or --workload",
                            plan.cases.size(), plan.cases.front().name));
  return plan;
}

// A unit of the planned case, on side B with its fault.
struct DelayedCase {
  PlanRequest request;
  Case planned;
};

class Calibration {
 public:
  Calibration(const AbRequest& request, CalibrationDocument& document)
      : request_(request), document_(document), plan_(plan_one_case(request)) {
    const UnitProgram program = describe_this_program(plan_);
    document.program = ab_side_info(program, "this program");
    document.policy = request.settings.policy;
    document.suites = request.suites;
    document.run.exec = request.exec;
    document.run.warm_runs = *request.plan.timing.repetitions;
    if (request.exec) binary_ = std::filesystem::read_symlink("/proc/self/exe").string();
  }

  const std::string& case_name() const { return plan_.cases.front().name; }

  // False: interrupted. Throws Error(method) if the case does not even run once.
  bool run(const AbProgressCallback& show) {
    const auto stages = probe_stages();
    if (!stages) return false;
    total_units_ = 2 * (*request_.pairs + stages->size() * request_.delayed_pairs);
    if (!run_series("", *request_.pairs, show)) return false;
    return std::ranges::all_of(
        *stages, [&](const std::string& stage) { return run_series(stage, request_.delayed_pairs, show); });
  }

 private:
  // "*" and the stages that one unit recorded; nullopt: interrupted.
  std::optional<std::vector<std::string>> probe_stages() {
    const auto answer = run_unit_of({plan_.request, plan_.cases.front()});
    if (!answer) return std::nullopt;
    if (answer->unit.status != Status::ok)
      throw Error(ErrorKind::method, fmt::format("{}: {}", case_name(), answer->unit.reason));
    std::vector<std::string> stages = {"*"};
    for (const AbStageSamples& stage : answer->unit.stages)
      if (stage.name.find('>') == std::string::npos) stages.push_back(stage.name);
    return stages;
  }

  bool run_series(const std::string& stage, std::size_t pairs, const AbProgressCallback& show) {
    const DelayedCase plain{plan_.request, plan_.cases.front()};
    DelayedCase delayed = plain;
    if (!stage.empty()) {
      delayed.planned.faults.push_back({stage, kDelay});
      delayed.request.injects.push_back({case_name(), {stage, kDelay}});
    }
    CalibrationSeries series{stage, stage.empty() ? "" : kDelay, {}};
    series.samples.order_seed = request_.order_seed + document_.series.size();
    series.samples.cases.push_back({case_name(), std::nullopt});
    const auto run = [&](std::size_t, AbSide side, bool) {
      return run_unit_of(side == AbSide::a ? plain : delayed);
    };
    const auto report = [&](AbProgress progress) {
      progress.phase = stage.empty() ? "A/A" : stage == "*" ? "delay of the whole run" : "delay of " + stage;
      report_overall(std::move(progress), show);
    };
    const bool complete =
        run_ab_pairs(series.samples, pairs, run, show ? AbProgressCallback(report) : AbProgressCallback());
    done_units_ += series.samples.units.size();
    document_.series.push_back(std::move(series));
    return complete;
  }

  std::optional<AbUnitAnswer> run_unit_of(const DelayedCase& unit) {
    const UnitLimits limits = ab_limits(plan_, signals_.descriptor());
    if (binary_.empty()) return run_forked_unit(unit.planned, false, limits);
    return run_started_unit(binary_, unit.request, case_name(), false, limits);
  }

  // Time left of the whole calibration, not of this series.
  void report_overall(AbProgress progress, const AbProgressCallback& show) const {
    const std::size_t done = done_units_ + progress.done_units;
    progress.elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    progress.eta_s.reset();
    if (done > 0)
      progress.eta_s =
          progress.elapsed_s / static_cast<double>(done) * static_cast<double>(total_units_ - done);
    progress.done_units = done;
    progress.planned_units = total_units_;
    show(progress);
  }

  const AbRequest& request_;
  CalibrationDocument& document_;
  SweepPlan plan_;
  std::string binary_;  // "": units are forks
  StopSignals signals_;
  std::size_t done_units_ = 0, total_units_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// What a machine is, of the comparability key; threads and build are the comparison's own business.
void require_same_machine(const Json& calibrated, const Json& now, const std::string& bundle) {
  for (const char* key : {"architecture", "cpu_model", "cores", "cgroup_quota_cores", "memory", "gpu"}) {
    const Json then = calibrated.value("comparability", Json::object()).value(key, Json());
    const Json here = now.value("comparability", Json::object()).value(key, Json());
    if (then != here)
      throw Error(ErrorKind::not_comparable, fmt::format("--calibration {}: {} was {} there and is {} here",
                                                         bundle, key, then.dump(), here.dump()));
  }
}

}  // namespace

void apply_calibration(const std::filesystem::path& bundle, AbDocument& document) {
  const VerifyReport verified = verify_bundle(bundle);
  if (!verified.ok())
    throw Error(ErrorKind::verification,
                fmt::format("--calibration {}: {}: {}", bundle.string(), verified.findings.front().file,
                            verified.findings.front().what));
  const std::string file = (bundle / kCalibrationFile).string();
  const CalibrationDocument calibration = calibration_from_json(read_strict_json(file), file);
  require_same_machine(Json::parse(calibration.environment_json), Json::parse(document.environment_json),
                       bundle.string());
  const CalibrationReport report = judge_calibration(calibration);
  if (!report.aa)
    throw Error(ErrorKind::input, fmt::format("--calibration {}: has no A/A rate", bundle.string()));
  document.notes.push_back(fmt::format(
      "calibration {}: {} of {} A/A comparisons were called slower; tau of {} {:.2f} %", calibration.run.id,
      report.aa->regressed, report.aa->suites, report.case_name, 100 * report.tau));
  for (AbCase& one : document.samples.cases)
    if (one.name == report.case_name) one.tau = report.tau;
}

ExitCode calibrate(const AbRequest& request, const Arguments& arguments) {
  const RunClock clock;
  CalibrationDocument document;
  Calibration calibration(request, document);
  const std::filesystem::path bundle = create_bundle_dir(request.out, std::chrono::system_clock::now());
  document.run.id = bundle.filename().string();
  document.run.started_utc = utc_now();
  Arguments command{"aqbench", "ab"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  begin_command(bundle, utc_now(), read_git_state("."), command);
  document.environment_json = ab_environment(request);
  {
    AbDisplay display(SweepDisplay::options_for_stderr());
    document.run.complete = calibration.run(display.callback());
  }
  if (document.series.empty()) throw Error(ErrorKind::interrupted, "interrupted before the first pair");
  document.run.finished_utc = utc_now();
  const CalibrationReport report = judge_calibration(document);
  if (request.json)
    fmt::print("{}", calibration_text(document, report));
  else
    fmt::print("{}", render_calibration_table(report, wants_colours(STDOUT_FILENO)));
  const ExitCode code =
      document.run.complete ? report.exit_code() : combine(ExitCode::interrupted, report.exit_code());
  end_command(bundle, utc_now(), read_git_state("."), static_cast<int>(code), clock.elapsed());
  finalise_ab_bundle(bundle, kCalibrationFile, calibration_text(document, report),
                     render_calibration_summary(document, report), document.environment_json);
  return report_ab_bundle(bundle, request.json ? stderr : stdout, code);
}

}  // namespace aqbench::cli
