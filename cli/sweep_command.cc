#include "harness/running/sweep.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/resume_hint.h"
#include "cli/sweep_options.h"
#include "core/error.h"
#include "core/files.h"
#include "core/parallel.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/gating/gate_text.h"
#include "harness/measuring/environment.h"
#include "harness/records/results.h"
#include "harness/running/case_modules.h"
#include "harness/running/progress.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/signature.h"
#include "reports/bundle/verify.h"
#include "reports/content/bundle_content.h"
#include "reports/content/commands.h"
#include "reports/content/test_run.h"
#include "reports/text/summary.h"
#include "reports/text/sweep_table.h"

namespace aqbench::cli {
namespace {

ExitCode print_plan(const SweepPlan& plan, bool json) {
  if (json) {
    Json cases = Json::array();
    for (const Case& planned : plan.cases) cases.push_back(to_json(planned));
    fmt::print("{}\n", cases.dump(2));
    return ExitCode::pass;
  }
  for (const Case& planned : plan.cases) fmt::print("{}\n", planned.name);
  fmt::print(stderr, "{} cases\n", plan.cases.size());
  return ExitCode::pass;
}

Journal open_journal(const SweepRequest& request, const SweepPlan& plan) {
  if (request.resume) return Journal::resume(*request.resume, plan);
  const auto now = std::chrono::system_clock::now();
  const std::filesystem::path bundle = create_bundle_dir(request.out, now);
  return Journal::create(bundle, plan, bundle.filename().string(), utc_now());
}

Results assemble(const SweepPlan& plan, const Journal& journal, Json environment,
                 const std::optional<LoadAverage>& load_before) {
  add_load(environment, load_before, load_average());
  Results results;
  results.run.id = journal.header().run_id;
  results.run.suite = plan.suite;
  results.run.started_utc = journal.header().started_utc;
  results.run.finished_utc = utc_now();
  results.run.complete = journal.records().size() == plan.cases.size();
  results.run.planned_cases = plan.cases.size();
  results.run.plan_sha256 = plan.sha256;
  results.run.requested = requested_json(plan.request);
  results.run.effective = effective_json(plan);
  results.environment = std::move(environment);
  results.records = journal.records();
  return results;
}

ExitCode compare_with_baseline(const SweepRequest& request, const Baseline& baseline,
                               const Results& results) {
  const GateReport report = gate(results, baseline);
  std::FILE* const stream = request.json ? stderr : stdout;
  const GithubFence fence = github_fence(request.gate_exports);
  fmt::print(stream, "\n{}{}{}", fence.begin,
             render_gate(report, wants_colours(request.json ? STDERR_FILENO : STDOUT_FILENO)), fence.end);
  export_gate(report, results, request.gate_exports, stream);
  return request.gate ? static_cast<ExitCode>(report.exit_code()) : ExitCode::pass;
}

ExitCode outcome_code(const SweepOutcome& outcome) {
  return combine(outcome.interrupted ? ExitCode::interrupted : ExitCode::pass,
                 outcome.failed > 0 ? ExitCode::case_failed : ExitCode::pass);
}

// The bundle is only worth something if it verifies: checked at once, while the sweep can still be repeated.
ExitCode report_bundle(const std::filesystem::path& bundle, const SweepOutcome& outcome, bool json) {
  const VerifyReport verified = verify_bundle(bundle);
  std::FILE* const stream = json ? stderr : stdout;
  if (!verified.ok()) {
    fmt::print(stderr, "aqbench: error: the bundle does not verify\n{}", render_verify(verified));
    return ExitCode::regression;
  }
  fmt::print(stream, "\nbundle {} (verified, {} files)\nroot digest    {}\nmetrics digest {}\n",
             bundle.string(), verified.files, verified.root_digest, verified.metrics_digest);
  if (outcome.interrupted)
    fmt::print(stderr, "aqbench: interrupted; go on with: aqbench sweep --resume {}\n", bundle.string());
  return ExitCode::pass;
}

// What was asked for besides the results. The baseline is copied as it is, so that its hash is that of the
// reviewed file.
ExitCode add_evidence(const SweepRequest& request, const std::filesystem::path& bundle, bool interrupted) {
  add_notes(bundle, request.notes);
  if (request.baseline) write_file(bundle / kBaselineCopyName, read_file(*request.baseline));
  if (!request.tests_of || interrupted) return ExitCode::pass;  // who pressed Ctrl-C waits for no tests
  fmt::print(stderr, "running the tests of {}\n", request.tests_of->string());
  const TestRun tests = run_tests(bundle, *request.tests_of);
  if (tests.passed) return ExitCode::pass;
  fmt::print(stderr, "aqbench: error: tests: {}; see {}\n", tests.problem, (bundle / kTestsLog).string());
  return ExitCode::regression;
}

ExitCode run_planned(const SweepRequest& request, const SweepPlan& plan, const Arguments& arguments) {
  // Read before anything is run: a bad baseline should not cost a sweep.
  std::optional<Baseline> baseline;
  if (request.baseline) baseline = read_baseline(*request.baseline);
  std::optional<SigningKey> key;
  if (request.sign) key = read_signing_key(*request.sign);

  Journal journal = open_journal(request, plan);
  return with_resume_hint("sweep", journal.bundle(), [&] {
    const RunClock clock;
    Arguments command{"aqbench", "sweep"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    begin_command(journal.bundle(), utc_now(), read_git_state("."), command);
    load_modules_of(plan.cases);  // the environment names the libraries that are loaded
    const EnvironmentOptions environment_options{plan.request.threads.value_or(available_processors()),
                                                 plan.request.device.value_or("cpu")};
    Json environment = environment_json(environment_options);
    const auto load_before = load_average();
    SweepOutcome outcome;
    {
      SweepDisplay display(SweepDisplay::options_for_stderr());
      const KeptFiles kept{request.keep_clouds, request.pictures};
      outcome = run_sweep(plan, journal, display.callbacks(), [&](const Case& planned, CaseBoard& board) {
        return run_case_keeping(planned, board, kept);
      });
    }
    const Results results = assemble(plan, journal, std::move(environment), load_before);
    if (request.json)
      fmt::print("{}", results_text(results));
    else
      fmt::print("{}", render_sweep_table(results, wants_colours(STDOUT_FILENO)));
    ExitCode code = outcome_code(outcome);
    if (baseline) code = combine(code, compare_with_baseline(request, *baseline, results));
    code = combine(code, add_evidence(request, journal.bundle(), outcome.interrupted));
    end_command(journal.bundle(), utc_now(), read_git_state("."), static_cast<int>(code), clock.elapsed());
    finalise_bundle(journal.bundle(), results, key ? &*key : nullptr);
    return combine(code, report_bundle(journal.bundle(), outcome, request.json));
  });
}

}  // namespace

ExitCode run_sweep_command(const Arguments& arguments) {
  const auto values = parse(sweep_command_line(), arguments);
  if (!values) return ExitCode::pass;
  const SweepRequest request = read_sweep_request(*values);
  const SweepPlan plan = plan_sweep(request.plan);
  if (request.dry_run) return print_plan(plan, request.json);
  return run_planned(request, plan, arguments);
}

}  // namespace aqbench::cli
