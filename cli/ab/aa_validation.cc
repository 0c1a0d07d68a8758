#include "cli/ab/aa_validation.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/ab/metric_runs.h"
#include "cli/ab/recording.h"
#include "cli/ab/sides.h"
#include "cli/json_output.h"
#include "core/error.h"
#include "core/json.h"
#include "core/signals/stop_signals.h"
#include "core/stopwatch.h"
#include "core/table.h"
#include "harness/ab/aa_validation.h"
#include "harness/ab/aa_validation_json.h"
#include "harness/ab/progress.h"
#include "harness/ab/unit.h"
#include "harness/records/case_name.h"
#include "harness/running/progress.h"
#include "harness/statistics/pair_plan.h"
#include "reports/bundle/ab_bundle.h"
#include "reports/bundle/bundle.h"
#include "reports/content/commands.h"
#include "reports/text/aa_validation_summary.h"

namespace aqbench::cli {
namespace {

// What --calibrate measures where no case is chosen: a few ms a run, of two stages that compute and touch
// little memory, so that the result tells of the rule and of the machine, not of the case.
constexpr const char* kUsualMethod = "roma_like";
constexpr const char* kUsualScene = "flat_plane";
constexpr const char* kUsualPoints = "40000";

// What --live measures where no case is chosen: three cheap cases, so that Holm's rule and the top-ups are
// used.
const std::vector<std::string>& live_scenes() {
  static const std::vector<std::string> scenes = {"flat_plane", "tilted_plane", "undulating"};
  return scenes;
}
constexpr const char* kLivePoints = "20000";
constexpr std::size_t kLivePairs = 20;

PlanRequest plan_of(const AbRequest& request, const std::vector<std::string>& scenes, const char* points) {
  PlanRequest plan = request.plan;
  if (plan.suite.empty() && !plan.own_suite && plan.scenes.empty() && plan.methods.empty() &&
      plan.workloads.empty()) {
    plan.scenes = scenes;
    plan.methods = {kUsualMethod};
    const bool given = std::ranges::any_of(plan.sets, [](const Override& set) {
      return set.owner == kUsualMethod && set.parameter == "points";
    });
    if (!given) plan.sets.push_back({kUsualMethod, "points", points});
  }
  if (!plan.threads) plan.threads = 1;  // it is about the clock and the rule, not the scheduler
  return plan;
}

SweepPlan plan_validated_case(const AbRequest& request) {
  SweepPlan plan = plan_sweep(plan_of(request, {kUsualScene}, kUsualPoints));
  keep_matching(plan, request.case_globs);
  if (plan.cases.size() != 1)
    throw Error(ErrorKind::usage,
                fmt::format("--calibrate: takes one case, {} are planned (first '{}'); choose with "
                            "--case, --scene, --method or --workload",
                            plan.cases.size(), plan.cases.front().name));
  return plan;
}

SweepPlan plan_live_suite(const AbRequest& request) {
  SweepPlan plan = plan_sweep(plan_of(request, live_scenes(), kLivePoints));
  keep_matching(plan, request.case_globs);
  return plan;
}

// A unit of a planned case, on side B of a delayed series with its fault.
struct AaUnit {
  PlanRequest request;
  Case planned;
};

class AaMeasurement {
 public:
  AaMeasurement(const AbRequest& request, AaValidationDocument& document)
      : request_(request), document_(document) {
    if (request.validate_aa) plan_ = plan_validated_case(request);
    if (request.live_runs > 0) live_plan_ = plan_live_suite(request);
    const UnitProgram program = describe_this_program(plan_ ? *plan_ : *live_plan_);
    document.program = ab_side_info(program, "this program");
    document.policy = request.settings.policy;
    document.outcomes = request.settings.outcomes;
    if (!document.outcomes.empty()) document.pairs_per_draw = kPairsPerMetricDraw;
    document.draws = request.draws;
    document.run.exec = request.exec;
    document.run.warm_runs = *request.plan.timing.repetitions;
    document.environment = ab_environment((plan_ ? *plan_ : *live_plan_).request);
    if (request.exec) binary_ = std::filesystem::read_symlink("/proc/self/exe").string();
  }

  // Returns what will be measured; runs one unit to learn its stages. Throws Error(method) if the case does
  // not run, Error(interrupted), Error(usage) for too few pairs.
  AaValidationPlan plan() {
    AaValidationPlan plan;
    plan.live_settings = request_.live_settings;
    if (plan_) {
      plan.pairs = *request_.pairs;
      if (document_.outcomes.empty()) {
        plan.delayed_pairs = request_.delayed_pairs;
        probe_stages(plan);
      } else {
        plan.case_settings = case_settings(plan_->cases.front(), document_.run.warm_runs);
      }
    }
    if (live_plan_) {
      const PairedPolicy& policy = plan.live_settings.policy;
      const std::size_t cases = live_plan_->cases.size();
      const std::size_t usual = std::max(measured_for(minimum_kept_pairs(policy, cases)), kLivePairs);
      plan.live_runs = request_.live_runs;
      plan.live_pairs_per_look = plan_ ? usual : request_.pairs.value_or(usual);
      plan_pairs(policy, cases, plan.live_pairs_per_look);
      if (const std::size_t most = max_pairs_per_look(policy.looks); plan.live_pairs_per_look > most)
        throw Error(ErrorKind::usage, fmt::format("--pairs {}: at most {} with {} looks",
                                                  plan.live_pairs_per_look, most, policy.looks));
    }
    return plan;
  }

  void describe_cases(PairJournalHeader& header) const {
    for (const auto* const planned : {&plan_, &live_plan_}) {
      if (!*planned) continue;
      for (const Case& one : (*planned)->cases) header.cases.push_back({one.name, std::nullopt});
      header.plans.push_back((*planned)->sha256);
    }
  }

  // Measures what document.plan says. Returns false if it was interrupted.
  bool run(AbRecording& recording, const AbProgressCallback& show) {
    const AaValidationPlan& plan = document_.plan;
    total_units_ = 2 * (plan.pairs + plan.stages.size() * plan.delayed_pairs);
    if (live_plan_) total_units_ += plan.live_runs * live_units();
    start_ = SteadyClock::now();
    bundle_ = recording.bundle();
    if (plan_) {
      if (!run_series("", plan.pairs, recording, show)) return false;
      for (const std::string& stage : plan.stages)
        if (!run_series(stage, plan.delayed_pairs, recording, show)) return false;
    }
    for (std::size_t i = 0; i < plan.live_runs; ++i)
      if (!run_live(i, recording, show)) return false;
    return true;
  }

 private:
  void probe_stages(AaValidationPlan& plan) {
    const Case& planned = plan_->cases.front();
    const auto answer = run_unit_of({plan_->request, planned}, false);
    if (!answer) throw Error(ErrorKind::interrupted, "interrupted before the first pair");
    if (answer->unit.status != Status::ok)
      throw Error(ErrorKind::method, fmt::format("{}: {}", planned.name, answer->unit.reason));
    plan.case_settings = case_settings(planned, document_.run.warm_runs);
    plan.stages = {"*"};
    for (const AbStageSamples& stage : answer->unit.stages) {
      if (stage.name.find('>') != std::string::npos) continue;
      const bool too_short = stage.self_ms.empty() || *std::ranges::min_element(stage.self_ms) < kMinStageMs;
      (too_short ? plan.too_short : plan.stages).push_back(stage.name);
    }
  }

  bool run_series(const std::string& stage, std::size_t pairs, AbRecording& recording,
                  const AbProgressCallback& show) {
    const AaUnit plain{plan_->request, plan_->cases.front()};
    AaUnit delayed = plain;
    if (!stage.empty()) {
      delayed.planned.faults.push_back({stage, kAaValidationDelay});
      delayed.request.injects.push_back({plain.planned.name, {stage, kAaValidationDelay}});
    }
    const std::size_t index = document_.series.size();
    AaValidationSeries series{stage, stage.empty() ? "" : kAaValidationDelay, {}};
    series.samples.order_seed = series_order_seed(request_.policy.order_seed, index);
    series.samples.cases.push_back({plain.planned.name, std::nullopt});
    const auto run = [&](const AbUnitTask& task) {
      return document_.outcomes.empty() ? run_unit_of(task.side == AbSide::a ? plain : delayed, false)
                                        : run_metric_unit(plain, task);
    };
    const auto report = [&](AbProgress progress) {
      progress.phase = stage.empty() ? "A/A" : stage == "*" ? "delay of the whole run" : "delay of " + stage;
      report_overall(std::move(progress), show);
    };
    const bool complete =
        run_ab_pairs(series.samples, pairs, run, show ? AbProgressCallback(report) : AbProgressCallback(),
                     recording.recall(index));
    done_units_ += series.samples.units.size();
    document_.series.push_back(std::move(series));
    return complete;
  }

  // Runs one comparison of the program with itself, from the first pair to the confirmation.
  bool run_live(std::size_t index, AbRecording& recording, const AbProgressCallback& show) {
    AbSamples samples;
    samples.order_seed = live_order_seed(request_.policy.order_seed, index);
    for (const Case& planned : live_plan_->cases) samples.cases.push_back({planned.name, std::nullopt});
    AbRunOptions options;
    options.settings = document_.plan.live_settings;
    options.pairs_per_look = document_.plan.live_pairs_per_look;
    const auto run = [&](const AbUnitTask& task) {
      return run_unit_of({live_plan_->request, live_plan_->cases[task.case_index]}, task.score);
    };
    const auto report = [&](AbProgress progress) {
      progress.phase = fmt::format("live {} of {}, {}", index + 1, document_.plan.live_runs, progress.phase);
      progress.done_units = std::min(progress.done_units, live_units());
      report_overall(std::move(progress), show);
    };
    const bool complete =
        run_ab(samples, options, run, show ? AbProgressCallback(report) : AbProgressCallback(),
               recording.recall(document_.series.size() + index));
    done_units_ += live_units();
    document_.live.push_back(std::move(samples));
    return complete;
  }

  // Each unit draws a seed of its own, also the two of a pair: methods that differ make other things of the
  // same seed.
  std::optional<AbUnitAnswer> run_metric_unit(const AaUnit& plain, const AbUnitTask& task) {
    AaUnit unit = plain;
    if (request_.metrics.paired_over == "seeds") {
      unit.request.seed = plain.planned.seed + 2 * task.draw + (task.side == AbSide::b ? 1 : 0);
      unit.request.repeat = 1;
      const auto same_but_for_seed = [&](const Case& one) {
        return name_without_seed(one.name) == name_without_seed(plain.planned.name);
      };
      const SweepPlan plan = plan_sweep(unit.request);
      const auto found = std::ranges::find_if(plan.cases, same_but_for_seed);
      if (found == plan.cases.end() || found->seed != *unit.request.seed)
        throw Error(ErrorKind::usage,
                    fmt::format("{}: takes no seed: --paired-over runs", plain.planned.name));
      unit.planned = *found;
    }
    auto answer = run_unit_of(unit, true);
    if (answer) take_metrics(document_.outcomes, *answer);
    return answer;
  }

  // The units of a live run's first look; whether it needs another one is not known before.
  std::size_t live_units() const { return 2 * document_.plan.live_pairs_per_look * live_plan_->cases.size(); }

  std::optional<AbUnitAnswer> run_unit_of(const AaUnit& unit, bool score) {
    UnitLimits limits = ab_limits(plan_ ? *plan_ : *live_plan_, signals_.descriptor());
    limits.hidden = bundle_;
    ++fresh_units_;
    if (binary_.empty()) return run_forked_unit(unit.planned, score, limits);
    return run_started_unit(binary_, unit.request, unit.planned.name, score, limits);
  }

  // Tells the time left of the whole measurement, not of this part.
  void report_overall(AbProgress progress, const AbProgressCallback& show) const {
    const std::size_t done = std::min(done_units_ + progress.done_units, total_units_);
    progress.elapsed_s = seconds_since(start_);
    progress.eta_s.reset();
    if (fresh_units_ > 1)
      progress.eta_s =
          progress.elapsed_s / static_cast<double>(fresh_units_) * static_cast<double>(total_units_ - done);
    progress.done_units = done;
    progress.planned_units = total_units_;
    show(progress);
  }

  const AbRequest& request_;
  AaValidationDocument& document_;
  std::optional<SweepPlan> plan_, live_plan_;
  std::string binary_;            // "": units are forks
  std::filesystem::path bundle_;  // empty: there is none yet
  StopSignals signals_;
  std::size_t done_units_ = 0, total_units_ = 0, fresh_units_ = 0;
  SteadyClock::time_point start_;
};

}  // namespace

CaseSettings case_settings(const Case& planned, int warm_runs) {
  CaseSettings settings;
  for (const auto& [name, value] : planned.options) settings.emplace_back(name, to_string(value));
  settings.emplace_back("threads", std::to_string(planned.threads));
  settings.emplace_back("device", planned.device);
  settings.emplace_back("warm_runs", std::to_string(warm_runs));
  return settings;
}

ExitCode validate_aa(const AbRequest& request, const Arguments& arguments) {
  AaValidationDocument document;
  AaMeasurement measurement(request, document);
  PairJournalHeader header{{},
                           utc_now(),
                           document.program.program_sha256,
                           document.program.program_sha256,
                           {},
                           {},
                           document.environment,
                           {}};
  measurement.describe_cases(header);
  if (!request.resume) header.plan = to_json(measurement.plan());
  AbRecording recording(request, arguments, std::move(header));
  document.plan = aa_validation_plan_from_json(*recording.header().plan, kPairJournalFile);
  document.run.id = recording.id();
  document.run.started_utc = recording.header().started_utc;
  document.run.resumed = recording.resumed();
  recording.guarded([&] {
    AbDisplay display(SweepDisplay::options_for_stderr());
    document.run.complete = measurement.run(recording, display.callback());
  });
  document.run.finished_utc = utc_now();
  document.environment = with_load_after(*recording.header().environment);
  const AaValidationReport report = judge_aa_validation(document);
  const std::string text = aa_validation_text(document, report);
  if (request.json)
    print_json(text);
  else
    fmt::print("{}", render_aa_validation_table(report, wants_colours(STDOUT_FILENO)));
  const ExitCode code =
      document.run.complete ? report.exit_code() : combine(ExitCode::interrupted, report.exit_code());
  return recording.finish({kAaValidationFile, text, render_aa_validation_summary(document, report),
                           document.environment, document.run.complete},
                          request, code);
}

}  // namespace aqbench::cli
