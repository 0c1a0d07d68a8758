#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/ab/case_trial.h"
#include "cli/ab/command_sides.h"
#include "cli/ab/metric_runs.h"
#include "cli/ab/options.h"
#include "cli/ab/recording.h"
#include "cli/ab/sides.h"
#include "cli/ab/validation.h"
#include "cli/options.h"
#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/parallel.h"
#include "core/signals/stop_signals.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/ab/outcome_decision.h"
#include "harness/ab/progress.h"
#include "harness/ab/report_json.h"
#include "harness/ab/run.h"
#include "harness/ab/tiles.h"
#include "harness/ab/unit.h"
#include "harness/measuring/environment.h"
#include "harness/statistics/pair_plan.h"
#include "reports/bundle/ab_bundle.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/verify.h"
#include "reports/content/bundle_files.h"
#include "reports/content/commands.h"
#include "reports/history/ab_page.h"
#include "reports/text/ab_summary.h"

namespace aqbench::cli {
namespace {

// Pairs per look where --pairs is not given and the rule needs no more: without a slow run 23 show that a
// slow mode has less than 20 % of B's runs (harness/statistics/slow_runs.h).
constexpr std::size_t kUsualPairs = 24;

// Also writes the page of --html; `bundle` may hold tiles, "" for none.
void print_verdict(const AbRequest& request, const AbDocument& document, const AbReport& report,
                   const std::filesystem::path& bundle) {
  if (request.html)
    write_file(*request.html, ab_page(document, report, read_ab_tiles(bundle, document.samples)));
  if (request.json)
    print_json(ab_text(document, report));
  else
    fmt::print("{}", render_ab_table(document, report, wants_colours(STDOUT_FILENO)));
}

ExitCode verdict_code(const AbRequest& request, const AbReport& report) {
  const ExitCode code = report.exit_code();
  const bool allowed = request.allow_inconclusive && !report.has_trade();
  return code == ExitCode::inconclusive && allowed ? ExitCode::pass : code;
}

AbBundleText bundle_text(const AbDocument& document, const AbReport& report) {
  return {ab_text(document, report), render_ab_summary(document, report), document.environment,
          document.run.complete};
}

AbDocument document_of_samples(const AbRequest& request) {
  AbDocument document;
  const std::string file = request.samples->string();
  document.samples = ab_samples_from_lists(read_strict_json(*request.samples), file);
  document.settings = request.settings;
  // Without fresh pairs in the file there is nothing that could confirm a flag.
  const bool has_fresh = std::ranges::any_of(
      document.samples.units, [](const AbUnit& unit) { return unit.phase == AbPhase::confirmation; });
  document.settings.confirm = request.settings.confirm && has_fresh;
  document.a.label = "a";
  document.b.label = "b";
  document.run.samples_file = file;
  return document;
}

// Judges what was measured before.
ExitCode judge_samples(const AbRequest& request, const Arguments& arguments) {
  const RunClock clock;
  AbDocument document = request.samples ? document_of_samples(request) : document_of_bundles(request);
  document.run.started_utc = document.run.finished_utc = utc_now();
  std::filesystem::path bundle;
  if (request.given.contains("out")) {
    bundle = create_bundle_dir(request.out, std::chrono::system_clock::now());
    document.run.id = bundle.filename().string();
  }
  const AbReport report = judge_ab(document);
  print_verdict(request, document, report, bundle);
  const ExitCode code = verdict_code(request, report);
  if (!request.given.contains("out")) return code;
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
  if (const std::size_t most = max_pairs_per_look(policy.looks); options.pairs_per_look > most)
    throw Error(
        ErrorKind::usage,
        fmt::format("--pairs {}: at most {} with {} looks, so that the last one can be tested exactly",
                    options.pairs_per_look, most, policy.looks));
  return options;
}

// ---- Running ----

ExitCode measure_sides(const AbRequest& request, const Arguments& arguments) {
  AbDocument document;
  document.settings = request.settings;
  document.samples.order_seed = request.policy.order_seed;
  const StopSignals signals;
  const bool commands = request.commands.given();
  const AbSides sides = commands              ? plan_command_sides(request, signals.descriptor(), document)
                        : request.validates() ? plan_validation(request, signals.descriptor(), document)
                                              : plan_ab_sides(request, signals.descriptor(), document);
  const bool quick_methods = !commands && request.commands.quick;
  if (quick_methods && request.resume) {
    document.run.quick = true;
    take_journal_plan(*read_pair_journal(*request.resume).header.plan, kPairJournalFile, document);
  } else if (!commands) {
    document.run.pairs_per_look =
        run_options(request, (document.settings.separately ? 1 : document.samples.cases.size()) *
                                 judged_outcomes(document.settings))
            .pairs_per_look;
    if (!request.metrics.methods[0].empty() && !request.resume)
      plan_by_case_trial(request, sides.runner, document);
  }
  const AbRunOptions options = run_options_of(document);
  document.environment = ab_environment(request.plan);
  if (request.validation) apply_validation(*request.validation, request.plan, document);

  AbRecording recording(request, arguments,
                        {{},
                         utc_now(),
                         subject_of(document.a),
                         subject_of(document.b),
                         document.samples.cases,
                         sides.plans,
                         document.environment,
                         journal_plan_of(document)});
  document.environment = recording.header().environment;
  if (sides.limits) sides.limits->hidden = recording.bundle();
  document.run.id = recording.id();
  document.run.started_utc = recording.header().started_utc;
  document.run.resumed = recording.resumed();
  recording.guarded([&] {
    AbDisplay display(SweepDisplay::options_for_stderr());
    document.run.complete =
        run_ab(document.samples, options, sides.runner, display.callback(), recording.recall());
  });
  document.run.finished_utc = utc_now();
  if (commands && document.run.commands->quick) note_quick_times(document);
  if (quick_methods) note_quick_pairs(document);
  document.environment = with_load_after(*document.environment);
  const AbReport report = judge_ab(document);
  print_verdict(request, document, report, recording.bundle());
  const ExitCode code = document.run.complete ? verdict_code(request, report)
                                              : combine(ExitCode::interrupted, report.exit_code());
  return recording.finish(bundle_text(document, report), request, code);
}

// Returns what was asked for when the bundle was begun; what only concerns its end may be given anew.
AbRequest resumed_request(const AbRequest& now) {
  const std::filesystem::path bundle = *now.resume;
  require_plain_files(bundle);
  const Arguments arguments = read_pair_journal(bundle).header.arguments;
  auto request = parse(ab_command_line(), arguments);
  if (!request || request->resume)
    throw Error(ErrorKind::input, fmt::format("--resume {}: its arguments measure nothing", bundle.string()));
  complete_ab_request(*request);
  // The bundle says which programs are started and which key signs: nothing of that happens before its user
  // is known, or has seen it and agreed.
  if (now.sign) request->sign.reset();
  require_trust(bundle, kPairJournalFile, commands_of(*request), now.trust);
  fmt::print(stderr, "aqbench: going on with: aqbench ab {}\n", printable(shell_join(arguments)));
  request->resume = bundle;
  if (now.sign) request->sign = now.sign;
  request->json = request->json || now.json;
  request->html = now.html;  // a bundle does not say which of its user's files is written
  request->allow_inconclusive = request->allow_inconclusive || now.allow_inconclusive;
  return *request;
}

}  // namespace

ExitCode ab_command(const Arguments& arguments) {
  auto given = parse(ab_command_line(), arguments);
  if (!given) return ExitCode::pass;
  if (!given->resume) complete_ab_request(*given);
  const AbRequest request = given->resume ? resumed_request(*given) : *given;
  // Read before anything is measured: a key that cannot be used should not cost a comparison.
  if (request.sign) read_signing_key(*request.sign);
  if (request.samples || request.metrics.of_bundles()) return judge_samples(request, arguments);
  return measure_sides(request, arguments);
}

}  // namespace aqbench::cli
