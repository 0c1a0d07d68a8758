#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/ab_calibrate.h"
#include "cli/ab_options.h"
#include "cli/ab_recording.h"
#include "cli/ab_sides.h"
#include "core/error.h"
#include "core/json.h"
#include "core/parallel.h"
#include "core/stop_signals.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/ab/ab_report.h"
#include "harness/ab/progress.h"
#include "harness/ab/run.h"
#include "harness/ab/unit.h"
#include "harness/measuring/environment.h"
#include "harness/statistics/pair_plan.h"
#include "reports/bundle/ab_bundle.h"
#include "reports/bundle/bundle.h"
#include "reports/content/commands.h"

namespace aqbench::cli {
namespace {

// Never fewer than what the rule needs; 20 leave 10 kept, which sees 5 % on a quiet machine.
constexpr std::size_t kUsualPairs = 20;

void print_verdict(const AbRequest& request, const AbDocument& document, const AbReport& report) {
  if (request.json)
    fmt::print("{}", ab_text(document, report));
  else
    fmt::print("{}", render_ab_table(document, report, wants_colours(STDOUT_FILENO)));
}

ExitCode verdict_code(const AbRequest& request, const AbReport& report) {
  const ExitCode code = report.exit_code();
  return code == ExitCode::inconclusive && request.allow_inconclusive ? ExitCode::pass : code;
}

AbBundleText bundle_text(const AbDocument& document, const AbReport& report) {
  return {kAbFile, ab_text(document, report), render_ab_summary(document, report), document.environment_json,
          document.run.complete};
}

ExitCode judge_samples(const AbRequest& request, const Arguments& arguments) {
  const RunClock clock;
  AbDocument document;
  const std::string file = request.samples->string();
  document.samples = ab_samples_from_lists(read_strict_json(*request.samples), file);
  document.settings = request.settings;
  // A file without fresh pairs has none to be confirmed with.
  const bool has_fresh = std::ranges::any_of(
      document.samples.units, [](const AbUnit& unit) { return unit.phase == AbPhase::confirmation; });
  document.settings.confirm = request.settings.confirm && has_fresh;
  document.a.label = "a";
  document.b.label = "b";
  document.run.samples_file = file;
  document.run.started_utc = document.run.finished_utc = utc_now();
  std::filesystem::path bundle;
  if (request.out_given) {
    bundle = create_bundle_dir(request.out, std::chrono::system_clock::now());
    document.run.id = bundle.filename().string();
  }
  const AbReport report = judge_ab(document);
  print_verdict(request, document, report);
  const ExitCode code = verdict_code(request, report);
  if (!request.out_given) return code;
  return leave_samples_bundle(request, arguments, bundle, bundle_text(document, report), clock, code);
}

// Refuses too few pairs and more than can be judged, before anything is measured.
AbRunOptions run_options(const AbRequest& request, std::size_t cases) {
  const PairedPolicy& policy = request.settings.policy;
  const std::size_t minimum = measured_for(minimum_kept_pairs(policy, cases));
  AbRunOptions options;
  options.settings = request.settings;
  options.pairs_per_look = request.pairs.value_or(std::max(minimum, kUsualPairs));
  plan_pairs(policy, cases, options.pairs_per_look);
  if (const std::size_t most = most_pairs_per_look(policy.looks); options.pairs_per_look > most)
    throw Error(
        ErrorKind::usage,
        fmt::format("--pairs {}: at most {} with {} looks, so that the last one can be tested exactly",
                    options.pairs_per_look, most, policy.looks));
  return options;
}

ExitCode measure_sides(const AbRequest& request, const Arguments& arguments) {
  AbDocument document;
  document.settings = request.settings;
  document.samples.order_seed = request.order_seed;
  const StopSignals signals;
  const AbSides sides = plan_ab_sides(request, signals.descriptor(), document);
  const AbRunOptions options = run_options(request, document.samples.cases.size());
  document.environment_json = ab_environment(request.plan);
  if (request.calibration) apply_calibration(*request.calibration, request.plan, document);

  // A script and the program that it starts: either may be another one when it is gone on with.
  const auto subject = [](const AbSideInfo& side) {
    return side.file_sha256.empty() ? side.program_sha256 : side.file_sha256 + ":" + side.program_sha256;
  };
  AbRecording recording(request, arguments,
                        {{},
                         utc_now(),
                         subject(document.a),
                         subject(document.b),
                         document.samples.cases,
                         sides.plans,
                         document.environment_json,
                         "{}"});
  document.environment_json = recording.header().environment_json;
  document.run.id = recording.id();
  document.run.started_utc = recording.header().started_utc;
  document.run.resumed = recording.resumed();
  document.run.pairs_per_look = options.pairs_per_look;
  recording.guarded([&] {
    AbDisplay display(SweepDisplay::options_for_stderr());
    document.run.complete =
        run_ab(document.samples, options, sides.runner, display.callback(), recording.recall(0));
  });
  document.run.finished_utc = utc_now();
  document.environment_json = with_load_after(document.environment_json);
  const AbReport report = judge_ab(document);
  print_verdict(request, document, report);
  const ExitCode code = document.run.complete ? verdict_code(request, report)
                                              : combine(ExitCode::interrupted, report.exit_code());
  return recording.finish(bundle_text(document, report), request, code);
}

// What was asked for when the bundle was begun; what only concerns its end may be given anew.
AbRequest resumed_request(const po::variables_map& values) {
  const std::filesystem::path bundle = values["resume"].as<std::string>();
  for (const auto& [name, value] : values)
    if (!value.defaulted() && name != "resume" && name != "sign" && name != "json" &&
        name != "allow-inconclusive")
      throw Error(ErrorKind::usage,
                  fmt::format("--{} with --resume: a resumed comparison measures what was planned", name));
  const Arguments arguments = read_pair_journal(bundle).header.arguments;
  const auto first = parse(ab_command_line(), arguments);
  if (!first || first->count("resume") != 0)
    throw Error(ErrorKind::input, fmt::format("--resume {}: its arguments measure nothing", bundle.string()));
  AbRequest request = read_ab_request(*first);
  // Programs are started that the bundle names: say which.
  fmt::print(stderr, "aqbench: going on with: aqbench ab {}\n", printable(shell_join(arguments)));
  request.resume = bundle;
  if (values.count("sign") != 0) request.sign = values["sign"].as<std::string>();
  request.json = request.json || values.count("json") != 0;
  request.allow_inconclusive = request.allow_inconclusive || values.count("allow-inconclusive") != 0;
  return request;
}

}  // namespace

ExitCode run_ab_command(const Arguments& arguments) {
  const auto values = parse(ab_command_line(), arguments);
  if (!values) return ExitCode::pass;
  const AbRequest request =
      values->count("resume") != 0 ? resumed_request(*values) : read_ab_request(*values);
  // Before anything is measured: a bad key should not cost a comparison.
  if (request.sign) read_signing_key(*request.sign);
  if (request.samples) return judge_samples(request, arguments);
  if (request.calibrate || request.live_runs > 0) return calibrate(request, arguments);
  return measure_sides(request, arguments);
}

}  // namespace aqbench::cli
