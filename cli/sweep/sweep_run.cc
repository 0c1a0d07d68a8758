#include "cli/sweep/sweep_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/files.h"
#include "core/module.h"
#include "core/parallel.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/gating/gate.h"
#include "harness/measuring/environment.h"
#include "harness/planning/case_options.h"
#include "harness/project/project.h"
#include "harness/records/results.h"
#include "harness/running/progress.h"
#include "harness/running/run_case.h"
#include "harness/running/sweep.h"
#include "reports/bundle/bundle.h"
#include "reports/content/bundle_content.h"
#include "reports/content/commands.h"
#include "reports/text/tables.h"
#include "scenes/dataset/own_rig.h"

namespace aqbench::cli {
namespace {

const Flag<SweepRequest> kConclusionFlags[] = {
    {"baseline", "FILE", "compare with these accepted values: a file or the name of an installed baseline",
     into<&SweepRequest::baseline>},
    {"gate", nullptr,
     "let the comparison decide the exit code; default baseline: the project's gate of the suite",
     into<&SweepRequest::gate>},
    {"note", "TEXT", "a note for the bundle; may be repeated", into<&SweepRequest::notes>, repeated()},
    {"no-report", nullptr, "write no report.html; aqbench report BUNDLE makes it later",
     into<&SweepRequest::no_report>},
    {"json", nullptr, "print results.json to stdout instead of the table", into<&SweepRequest::json>},
};

// Prints what the run comes to, compared with its baseline if it has one, and returns the command to go on
// with. A gate that was asked for changes the exit code.
std::string conclude(const SweepRequest& request, const std::filesystem::path& bundle,
                     const BundleContent& content, ExitCode& code) {
  const Results& results = content.results;
  std::FILE* const stream = request.json ? stderr : stdout;
  if (!request.baseline) {
    fmt::print(stream, "\n{}", terminal_of(banner_of(content), screen_of(fileno(stream))));
    const auto failed = std::ranges::find_if(results.records, is_failure, &Record::status);
    return shell_join(
        failed == results.records.end()
            ? Arguments{"aqbench", "accept", bundle.string(), "--baseline",
                        baseline_to_accept(current_project(request.plan.project_file), results.run.suite)}
            : Arguments{"aqbench", "replay", bundle.string(), "--case", failed->case_name});
  }
  const Verdicts report = gate(results, read_baseline(bundle / kBaselineCopyName));
  fmt::print(stream, "\n");
  show_verdicts(report, results, request.gate_exports, stream);
  if (request.gate) code = combine(code, report.exit_code());
  return shell_join({"aqbench", "gate", bundle.string(), "--baseline", request.baseline->string(), "--all"});
}

// Adds requested extras to the bundle.
ExitCode add_evidence(const SweepRequest& request, const std::filesystem::path& bundle, bool interrupted) {
  add_notes(bundle, request.notes);
  if (!request.tests_of || interrupted) return ExitCode::pass;  // skip tests after Ctrl-C
  fmt::print(stderr, "running the tests of {}\n", printable(request.tests_of->string()));
  const TestRun tests = run_tests(bundle, *request.tests_of);
  if (tests.passed) return ExitCode::pass;
  fmt::print(stderr, "aqbench: error: tests: {}; see {}\n", printable(tests.problem),
             printable((bundle / kTestsLog).string()));
  return ExitCode::regression;
}

// Runs cases without a record. Results left by tasks of a shared sweep are taken first.
SweepOutcome run_cases(const SweepRequest& request, const SweepPlan& plan, Journal& journal) {
  const auto tasks = tasks_folder(journal.bundle());
  KeptFiles kept = request.kept;
  if (request.keeps_output) kept.output_dir = journal.bundle();
  const auto run = [&](const Case& planned, CaseBoard& board) {
    return run_case_keeping(planned, board, kept);
  };
  SweepDisplay display(SweepDisplay::options_for_stderr());
  SweepCallbacks callbacks = display.callbacks();
  if (request.keep_work != KeepWork::none)
    callbacks.ended = [&](const Case& planned, const Record& record, const std::filesystem::path& scratch) {
      keep_work(request.keep_work, planned, method_of(planned), record, scratch,
                request.bundle ? std::filesystem::path(request.bundle->string() + ".work")
                               : work_folder(journal.bundle()));
    };
  CasesOfHosts hosts;
  if (request.collected != nullptr)
    take_all_finished(plan, *request.collected, journal, hosts);
  else if (std::filesystem::is_directory(tasks))
    take_all_finished(plan, find_finished(plan, {finished_in_folder(tasks)}), journal, hosts);
  const SweepOutcome outcome =
      request.workers ? run_locally_shared(plan, journal, *request.workers, callbacks, run, hosts)
                      : run_sweep(plan, journal, callbacks, run);
  if (outcome.interrupted) return outcome;
  for (const auto& [host, cases] : hosts)
    add_notes(journal.bundle(), {fmt::format("{} ran {}", printable(host), counted(cases, "case"))});
  std::error_code ignored;  // its content is no longer needed
  if (request.collected == nullptr) std::filesystem::remove_all(tasks, ignored);
  return outcome;
}

// Names the cameras of rigs from files that see nothing of a scene.
void warn_of_blind_cameras(const std::vector<Case>& cases) {
  std::set<std::pair<std::string, std::string>> looked_at;
  for (const Case& planned : cases) {
    if (!planned.images || !is_rig_file(planned.images->rig) ||
        !looked_at.emplace(planned.images->rig, planned.scene).second)
      continue;
    const DatasetPlan dataset = plan_dataset(dataset_request(planned));
    for (const std::string& blind : tell_blind_cameras(dataset.rig, *dataset.scene.truth.surface))
      fmt::print(stderr, "aqbench: warning: {}: {}\n", printable(planned.scene), printable(blind));
  }
}

}  // namespace

std::vector<Flag<SweepRequest>> conclusion_flags() {
  std::vector<Flag<SweepRequest>> flags(std::begin(kConclusionFlags), std::end(kConclusionFlags));
  append_flags<SweepRequest, GateExports>(flags, gate_export_flags(), &SweepRequest::gate_exports);
  return flags;
}

std::vector<Flag<KeptFiles>> kept_files_flags() {
  return {
      {"keep-clouds", nullptr, "keep scored clouds as PLY in the bundle's clouds/", into<&KeptFiles::cloud>},
      {"no-pictures", nullptr, "omit pictures of depth maps, photographs, and the report's 3D views",
       turn_off<&KeptFiles::pictures>}};
}

SweepPlan read_plan(const std::filesystem::path& file,
                    const std::optional<std::filesystem::path>& project_file) {
  JournalHeader header = read_plan_file(file);
  place_datasets(header.request, project_file);
  SweepPlan plan = plan_again(header, file);
  place_project(plan, project_file);
  return plan;
}

void complete_gate(SweepRequest& request, const std::string& suite) {
  if (request.resume && !request.baseline && path_exists(*request.resume / kBaselineCopyName))
    request.baseline = *request.resume / kBaselineCopyName;  // it goes on with the one that it began with
  if (request.gate && !request.baseline) request.baseline = gate_baseline(suite, request.plan.project_file);
  if (!request.baseline && (request.gate_exports.junit || request.gate_exports.github))
    throw Error(ErrorKind::usage,
                std::string(request.gate_exports.junit ? "--junit" : "--github") + " needs --baseline FILE");
}

BundleRun open_bundle(const SweepRequest& request, const SweepPlan& plan, const Json& environment,
                      const Arguments& arguments) {
  return BundleRun({.command = request.command,
                    .arguments = arguments,
                    .out = request.out,
                    .resume = request.resume,
                    .commands = foreign_code(plan.cases),
                    .with_page = !request.no_report,
                    .bundle = request.bundle,
                    .resumed_by = "sweep"},
                   journal_header_of(plan, environment));
}

ExitCode run_planned(const SweepRequest& request, SweepPlan plan, const Arguments& arguments) {
  if (request.collected == nullptr && !request.resume) warn_of_blind_cameras(plan.cases);
  // Before a bundle is started and the environment recorded, which lists the loaded libraries.
  load_modules_of(plan.cases);
  // Read before anything runs: an unusable baseline should not cost a sweep.
  if (request.baseline) read_baseline(baseline_file(*request.baseline));
  const Json environment = environment_json(
      {plan.request.threads.value_or(available_processors()), devices_of(plan.request), plan.dtype});
  BundleRun run = open_bundle(request, plan, environment, arguments);
  // Copied unchanged, so that its hash is that of the reviewed file, and before the cases run: the copy
  // decides.
  if (request.baseline)
    write_file(run.bundle() / kBaselineCopyName, read_file(baseline_file(*request.baseline)));
  BundleContent content;
  std::string next;
  const ExitCode ended = run.guarded([&] {
    const SweepOutcome outcome = run_cases(request, plan, run.journal());
    Results& results = content.results = results_of_run(plan, run.journal(), run.environment());
    if (request.json)
      write_results_text(results, print_json);
    else if (!request.quiet)
      fmt::print("{}", render_sweep_table(results, screen_of(STDOUT_FILENO)));
    ExitCode code = combine(outcome.interrupted ? ExitCode::interrupted : ExitCode::pass,
                            outcome.failed > 0 ? ExitCode::case_failed : ExitCode::pass);
    next = conclude(request, run.bundle(), content, code);
    return combine(code, add_evidence(request, run.bundle(), outcome.interrupted));
  });
  plan = {};  // verification needs the memory
  return run.finish(std::move(content.results), ended, request.json || request.quiet ? stderr : stdout, next);
}

ExitCode sweep_plan(const SweepRequest& request, const Arguments& arguments) {
  SweepPlan plan = plan_sweep(request.plan);
  require_records_fit(plan);
  require_programs(plan.cases);
  return run_planned(request, std::move(plan), arguments);
}

}  // namespace aqbench::cli
