#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "harness/ab/progress.h"
#include "harness/ab/run.h"
#include "harness/ab/unit.h"
#include "harness/cli/ab_calibrate.h"
#include "harness/cli/ab_options.h"
#include "harness/cli/ab_sides.h"
#include "harness/environment.h"
#include "harness/statistics/pair_plan.h"
#include "harness/stop_signals.h"
#include "harness/text.h"
#include "reports/ab_bundle.h"
#include "reports/ab_report.h"
#include "reports/bundle.h"
#include "reports/commands.h"
#include "reports/strict_json.h"
#include "reports/table.h"
#include "scenes/core/error.h"
#include "scenes/core/parallel.h"

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

// Writes the bundle and checks it at once, while the run can still be repeated.
ExitCode leave_bundle(const AbRequest& request, const std::filesystem::path& bundle,
                      const AbDocument& document, const AbReport& report, const RunClock& clock,
                      ExitCode code) {
  end_command(bundle, utc_now(), read_git_state("."), static_cast<int>(code), clock.elapsed());
  finalise_ab_bundle(bundle, kAbFile, ab_text(document, report), render_ab_summary(document, report),
                     document.environment_json);
  return report_ab_bundle(bundle, request.json ? stderr : stdout, code);
}

void begin_bundle(const std::filesystem::path& bundle, const Arguments& arguments) {
  Arguments command{"aqbench", "ab"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  begin_command(bundle, utc_now(), read_git_state("."), command);
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
    begin_bundle(bundle, arguments);
  }
  const AbReport report = judge_ab(document);
  print_verdict(request, document, report);
  const ExitCode code = verdict_code(request, report);
  return request.out_given ? leave_bundle(request, bundle, document, report, clock, code) : code;
}

ExitCode measure_sides(const AbRequest& request, const Arguments& arguments) {
  const RunClock clock;
  AbDocument document;
  document.settings = request.settings;
  document.samples.order_seed = request.order_seed;
  const StopSignals signals;
  const AbSides sides = plan_ab_sides(request, signals.descriptor(), document);
  const std::size_t minimum =
      measured_for(minimum_kept_pairs(request.settings.policy, document.samples.cases.size()));
  document.environment_json = ab_environment(request);
  if (request.calibration) apply_calibration(*request.calibration, document);
  AbRunOptions options;
  options.settings = request.settings;
  options.pairs_per_look = request.pairs.value_or(std::max(minimum, kUsualPairs));
  plan_pairs(request.settings.policy, document.samples.cases.size(),
             options.pairs_per_look);  // refuses too few

  const std::filesystem::path bundle = create_bundle_dir(request.out, std::chrono::system_clock::now());
  document.run.id = bundle.filename().string();
  document.run.started_utc = utc_now();
  begin_bundle(bundle, arguments);
  {
    AbDisplay display(SweepDisplay::options_for_stderr());
    document.run.complete = run_ab(document.samples, options, sides.runner, display.callback());
  }
  document.run.finished_utc = utc_now();
  const AbReport report = judge_ab(document);
  print_verdict(request, document, report);
  const ExitCode code = document.run.complete ? verdict_code(request, report)
                                              : combine(ExitCode::interrupted, report.exit_code());
  return leave_bundle(request, bundle, document, report, clock, code);
}

}  // namespace

ExitCode run_ab_command(const Arguments& arguments) {
  const auto values = parse(ab_command_line(), arguments);
  if (!values) return ExitCode::pass;
  const AbRequest request = read_ab_request(*values);
  if (request.samples) return judge_samples(request, arguments);
  if (request.calibrate) return calibrate(request, arguments);
  return measure_sides(request, arguments);
}

}  // namespace aqbench::cli
