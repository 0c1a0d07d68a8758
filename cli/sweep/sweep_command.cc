#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/bundle_run.h"
#include "cli/gate_exports.h"
#include "cli/options.h"
#include "cli/programs.h"
#include "cli/sweep/sharing.h"
#include "cli/sweep/sweep_plan.h"
#include "core/error.h"
#include "core/files.h"
#include "core/module.h"
#include "core/parallel.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/gating/gate.h"
#include "harness/measuring/environment.h"
#include "harness/planning/case_options.h"
#include "harness/planning/plan.h"
#include "harness/project/project.h"
#include "harness/records/results.h"
#include "harness/running/progress.h"
#include "harness/running/run_case.h"
#include "harness/running/sweep.h"
#include "harness/sharing/shared_results.h"
#include "harness/sharing/shared_sweep.h"
#include "reports/bundle/bundle.h"
#include "reports/content/bundle_content.h"
#include "reports/content/commands.h"
#include "reports/text/tables.h"
#include "reports/text/verdict_table.h"

namespace aqbench::cli {
namespace {

struct SweepRequest {
  GivenValues given;  // flags of the command line
  PlanRequest plan;
  std::string command = "sweep";                // as it is recorded
  std::optional<std::filesystem::path> bundle;  // the folder of a new bundle, in place of one in `out`
  std::optional<std::filesystem::path> resume;  // a bundle; `plan` is then the one it was started with
  std::filesystem::path out;
  std::optional<std::filesystem::path> baseline;
  bool gate = false;
  GateExports gate_exports;  // given only with a baseline
  Strings notes;
  std::optional<std::filesystem::path> tests_of;  // a build folder whose tests are listed and run
  KeptFiles kept;
  bool keeps_output = false;
  KeepWork keep_work = KeepWork::none;  // beside the bundle
  CommandTrust trust;                   // given only with --resume
  ShareRequest share;
  bool no_report = false, dry_run = false;
  bool json = false;
};

enum : Modes { kNewSweep = 1, kResumedSweep = 2 };

constexpr ModeText kSweepModes[] = {{kNewSweep, "a new sweep"},
                                    {kResumedSweep, "--resume", "runs the bundle's plan"}};

Modes mode_of(const SweepRequest& request) { return request.resume ? kResumedSweep : kNewSweep; }

// Options of the plan; --resume takes all of it from the bundle.
std::vector<Flag<SweepRequest>> planned_flags() {
  std::vector<Flag<SweepRequest>> flags;
  for (const auto& table : {selection_flags(), case_flags(), timing_flags(), shard_flags()})
    append_plan_flags(flags, table, &SweepRequest::plan);
  for (Flag<SweepRequest>& flag : flags)
    if (std::string_view(flag.name) != "project") flag.modes = kNewSweep;
  return flags;
}

const Flag<SweepRequest> kGateFlags[] = {
    {"out", "DIR", "parent folder of bundles", into<&SweepRequest::out>, usually("out")},
    {"resume", "BUNDLE", "finish the sweep of this bundle", into<&SweepRequest::resume>},
    {"baseline", "FILE", "compare with these accepted values: a file or the name of an installed baseline",
     into<&SweepRequest::baseline>},
    {"gate", nullptr,
     "let the comparison decide the exit code; default baseline: the project's gate of the suite",
     into<&SweepRequest::gate>},
};

void read_test_folder(SweepRequest& request, const FlagValue& value) {
  request.tests_of = value.text.empty() ? own_build_dir() : std::filesystem::path(value.text);
}

const Flag<SweepRequest> kBundleFlags[] = {
    {"note", "TEXT", "a note for the bundle; may be repeated", into<&SweepRequest::notes>, repeated()},
    {{.name = "with-tests",
      .value_name = "[=DIR]",
      .help = "list and run the tests of a build folder (default: this program's) into tests.log; exit 1 if "
              "one fails",
      .value_optional = true},
     read_test_folder},
    {"keep-clouds", nullptr, "keep scored clouds as PLY in the bundle's clouds/",
     into<&SweepRequest::kept, &KeptFiles::cloud>},
    {kKeepWorkFlag, [](SweepRequest& r, const FlagValue& v) { r.keep_work = read_keep_work(v); }},
    {"no-pictures", nullptr, "omit pictures of depth maps, and the report's 3D views",
     turn_off<&SweepRequest::kept, &KeptFiles::pictures>},
    {"no-report", nullptr, "write no report.html; aqbench report BUNDLE makes it later",
     into<&SweepRequest::no_report>},
    {"dry-run", nullptr, "print the cases and exit", into<&SweepRequest::dry_run>},
    {"json", nullptr, "print results.json to stdout instead of the table", into<&SweepRequest::json>},
};

CommandLine<SweepRequest> sweep_command_line() {
  CommandLine<SweepRequest> line{
      "aqbench sweep [OPTION]...",
      "Runs every case (scene x method x seed x axes, or workload x seed x axes) in its own process, "
      "scores\nit against the exact surface or verifies and times it, and writes a bundle: results, "
      "environment,\njournal, hashes. Without options: suite `seed`.\n\n"
      "  aqbench sweep --suite seed --baseline baselines/seed.json --gate\n"
      "  aqbench sweep --scene 'und*' --method roma_like --repeat 10\n"
      "  aqbench sweep --scene undulating --axis undulating.amplitude_m=0.002:0.008:0.002\n"
      "  aqbench sweep --workload absorption --axis variant=loop,torch,fused --precision 2\n"
      "  aqbench sweep --resume out/20261120T101500Z\n\n"
      "Exit 0 pass, 1 the gate failed, 2 usage or input, 3 a case failed, 4 not comparable, 6 disk full or\n"
      "unreadable, 130 interrupted.",
      planned_flags(),
      {},
      kSweepModes,
      mode_of};
  line.flags.insert(line.flags.end(), std::begin(kGateFlags), std::end(kGateFlags));
  append_flags<SweepRequest, ShareRequest>(line.flags, share_flags(), &SweepRequest::share);
  append_flags<SweepRequest, GateExports>(line.flags, gate_export_flags(), &SweepRequest::gate_exports);
  line.flags.insert(line.flags.end(), std::begin(kBundleFlags), std::end(kBundleFlags));
  const std::size_t trust = line.flags.size();
  append_flags<SweepRequest, CommandTrust>(line.flags, command_trust_flags(), &SweepRequest::trust);
  for (std::size_t i = trust; i < line.flags.size(); ++i) line.flags[i].needs = "resume";
  return line;
}

// Checks combinations of flags. A resumed sweep gets the plan of its bundle.
void complete_sweep_request(SweepRequest& request) {
  if (request.resume) {
    require_plain_bundle(*request.resume);
    const auto project_file = request.plan.project_file;
    request.plan = read_journal(*request.resume, TornTail::accept, KeptRecords::ends).header.request;
    request.plan.project_file = project_file;
  } else {
    check(request.plan.timing);
    use_current_project(request.plan);
  }
  complete_share(request.share, request.plan, request.resume.has_value(), request.given);
  if (request.keep_work != KeepWork::none && request.share.slurm)
    throw usage_error("--keep-work: not with --slurm; sweep the case again without --slurm");
  if (request.tests_of) check_test_dir(*request.tests_of);
}

// After the plan, which knows whether the suite exists.
void complete_gate(SweepRequest& request, const std::string& suite) {
  if (request.resume && !request.baseline && path_exists(*request.resume / kBaselineCopyName))
    request.baseline = *request.resume / kBaselineCopyName;  // it goes on with the one that it began with
  if (request.gate && !request.baseline) request.baseline = gate_baseline(suite, request.plan.project_file);
  if (!request.baseline && (request.gate_exports.junit || request.gate_exports.github))
    throw Error(ErrorKind::usage,
                std::string(request.gate_exports.junit ? "--junit" : "--github") + " needs --baseline FILE");
}

ExitCode print_plan(const SweepPlan& plan, bool json) {
  Json cases = Json::array();
  for (const Case& planned : plan.cases)
    json ? cases.push_back(to_json(planned)) : fmt::print("{}\n", printable(planned.name));
  json ? print_json(cases.dump(2) + "\n") : fmt::print(stderr, "{}\n", counted(plan.cases.size(), "case"));
  return ExitCode::pass;
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

// Prints what the run comes to, compared with its baseline if it has one, and returns the command to go on
// with. A gate that was asked for changes the exit code.
std::string conclude(const SweepRequest& request, const std::filesystem::path& bundle,
                     const BundleContent& content, ExitCode& code) {
  const Results& results = content.results;
  std::FILE* const stream = request.json ? stderr : stdout;
  if (!request.baseline) {
    fmt::print(
        stream, "\n{}",
        render_banner(banner_of(content), wants_colours(fileno(stream)), screen_columns(fileno(stream))));
    const auto failed = std::ranges::find_if(results.records, is_failure, &Record::status);
    return shell_join(failed == results.records.end()
                          ? Arguments{"aqbench", "accept", bundle.string(), "--baseline", "baseline.json"}
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
  SweepOutcome outcome;
  if (request.share.local) {
    outcome = run_locally_shared(plan, journal, request.share.processes(), callbacks, run, hosts);
  } else {
    if (std::filesystem::is_directory(tasks)) collect(plan, tasks, journal, hosts);
    outcome = run_sweep(plan, journal, callbacks, run);
  }
  if (outcome.interrupted) return outcome;
  for (const auto& [host, cases] : hosts)
    add_notes(journal.bundle(), {fmt::format("{} ran {}", host, counted(cases, "case"))});
  std::error_code ignored;  // its content is no longer needed
  std::filesystem::remove_all(tasks, ignored);
  return outcome;
}

// Starts the bundle and leaves the rest to Slurm jobs.
ExitCode submit_planned(const SweepRequest& request, const SweepPlan& plan, const Arguments& arguments) {
  SlurmJobs jobs;
  std::optional<std::filesystem::path> baseline;
  if (request.baseline) read_baseline(*(baseline = baseline_file(*request.baseline)));  // as in run_planned()
  {
    const BundleRun run = open_bundle(
        request, plan, environment_json({*plan.request.threads, devices_of(plan.request)}), arguments);
    jobs = {run.bundle(),
            arguments_of_merge(baseline, request.gate, request.gate_exports.junit, request.notes),
            !foreign_code(plan.cases).empty(), plan.cases.size()};
  }
  make_tasks_folder(tasks_folder(jobs.bundle));
  end_command(jobs.bundle, utc_now(), read_git_state("."), 0, RunClock().elapsed());
  return submit(jobs, request.share);
}

ExitCode run_planned(const SweepRequest& request, SweepPlan plan, const Arguments& arguments) {
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
    else
      fmt::print("{}",
                 render_sweep_table(results, wants_colours(STDOUT_FILENO), screen_columns(STDOUT_FILENO)));
    ExitCode code = combine(outcome.interrupted ? ExitCode::interrupted : ExitCode::pass,
                            outcome.failed > 0 ? ExitCode::case_failed : ExitCode::pass);
    next = conclude(request, run.bundle(), content, code);
    return combine(code, add_evidence(request, run.bundle(), outcome.interrupted));
  });
  plan = {};  // verification needs the memory
  return run.finish(std::move(content.results), ended, request.json ? stderr : stdout, next);
}

}  // namespace

ExitCode sweep_plan(const PlanSweep& sweep, const Arguments& arguments) {
  SweepRequest request;
  request.command = sweep.command;
  request.plan = sweep.plan;
  request.out = "out";
  request.bundle = sweep.bundle;
  request.baseline = sweep.baseline;
  request.gate = sweep.gate;
  request.keeps_output = sweep.keeps_output;
  request.keep_work = sweep.keep_work;
  request.json = sweep.json;
  SweepPlan plan = plan_sweep(request.plan);
  require_records_fit(plan);
  require_programs(plan.cases);
  return run_planned(request, std::move(plan), arguments);
}

ExitCode sweep_command(const Arguments& arguments) {
  auto request = parse(sweep_command_line(), arguments);
  complete_sweep_request(request);
  SweepPlan plan = plan_sweep(request.plan);
  complete_gate(request, plan.suite);
  if (request.resume) place_project(plan, request.plan.project_file);
  require_shareable(plan, request.share, request.resume.has_value());
  if (request.dry_run) return print_plan(plan, request.json);
  if (request.resume) {
    require_programs_of_open(plan, *request.resume);
    require_trust(*request.resume, kJournalFile, foreign_code(plan.cases), request.trust);
  } else {
    require_records_fit(plan);
    if (!request.share.slurm) require_programs(plan.cases);  // tasks check for them on their own machines
  }
  const Arguments recorded = recorded_arguments(arguments, request.share, plan.request, request.given);
  if (request.share.slurm && !request.resume) return submit_planned(request, plan, recorded);
  return run_planned(request, std::move(plan), recorded);
}

}  // namespace aqbench::cli
