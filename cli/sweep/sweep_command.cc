#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/bundle_run.h"
#include "cli/options.h"
#include "cli/programs.h"
#include "cli/sweep/sharing.h"
#include "cli/sweep/sweep_run.h"
#include "core/error.h"
#include "core/files.h"
#include "core/module.h"
#include "core/text.h"
#include "harness/measuring/environment.h"
#include "harness/planning/case_options.h"
#include "harness/planning/plan.h"
#include "harness/project/project.h"
#include "harness/running/journal.h"
#include "harness/sharing/finished_cases.h"
#include "harness/sharing/shared_sweep.h"
#include "reports/bundle/bundle.h"
#include "reports/content/bundle_content.h"
#include "reports/content/commands.h"

namespace aqbench::cli {
namespace {

enum : Modes { kNewSweep = 1, kResumedSweep = 2, kPlannedSweep = 4 };

constexpr ModeText kSweepModes[] = {{kNewSweep, "a new sweep"},
                                    {kResumedSweep, "--resume", "runs the bundle's plan"},
                                    {kPlannedSweep, "--plan", "writes a plan and runs nothing"}};

Modes mode_of(const SweepRequest& request) {
  return request.plan_file ? kPlannedSweep : request.resume ? kResumedSweep : kNewSweep;
}

// Options of the plan; --resume takes all of it from the bundle.
std::vector<Flag<SweepRequest>> planned_flags() {
  std::vector<Flag<SweepRequest>> flags;
  for (const auto& table : {selection_flags(), case_flags(), timing_flags(), shard_flags()})
    append_plan_flags(flags, table, &SweepRequest::plan);
  for (Flag<SweepRequest>& flag : flags)
    if (std::string_view(flag.name) != "project") flag.modes = kNewSweep | kPlannedSweep;
  return flags;
}

const Flag<SweepRequest> kBundleFolderFlags[] = {
    {"plan", "FILE", kPlannedSweep, "write the plan into this file and run nothing: for aqbench run-case",
     into<&SweepRequest::plan_file>},
    {"out", "DIR", "parent folder of bundles", into<&SweepRequest::out>, usually("out")},
    {"resume", "BUNDLE", "finish the sweep of this bundle", into<&SweepRequest::resume>},
};

void read_test_folder(SweepRequest& request, const FlagValue& value) {
  request.tests_of = value.text.empty() ? own_build_dir() : std::filesystem::path(value.text);
}

const Flag<SweepRequest> kBundleFlags[] = {
    {{.name = "with-tests",
      .value_name = "[=DIR]",
      .help = "list and run the tests of a build folder (default: this program's) into tests.log; exit 1 if "
              "one fails",
      .value_optional = true},
     read_test_folder},
    {kKeepWorkFlag, [](SweepRequest& r, const FlagValue& v) { r.keep_work = read_keep_work(v); }},
    {"dry-run", nullptr, "print the cases and exit", into<&SweepRequest::dry_run>},
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
      "  aqbench sweep --workload absorption --axis variant=torch,fused --precision 2\n"
      "  aqbench sweep --resume out/20261120T101500Z\n"
      "  aqbench sweep --suite pipeline --plan plan.json\n\n"
      "Exit 0 pass, 1 the gate failed, 2 usage or input, 3 a case failed, 4 not comparable, 6 disk full or\n"
      "unreadable, 130 interrupted.",
      planned_flags(),
      {},
      kSweepModes,
      mode_of};
  const auto concluding = conclusion_flags();
  line.flags.insert(line.flags.end(), std::begin(kBundleFolderFlags), std::end(kBundleFolderFlags));
  line.flags.insert(line.flags.end(), concluding.begin(), concluding.end());
  append_flags<SweepRequest, ShareRequest>(line.flags, share_flags(), &SweepRequest::share);
  append_flags<SweepRequest, KeptFiles>(line.flags, kept_files_flags(), &SweepRequest::kept);
  line.flags.insert(line.flags.end(), std::begin(kBundleFlags), std::end(kBundleFlags));
  const std::size_t trust = line.flags.size();
  append_flags<SweepRequest, CommandTrust>(line.flags, command_trust_flags(), &SweepRequest::trust);
  for (std::size_t i = trust; i < line.flags.size(); ++i) line.flags[i].needs = "resume";
  for (Flag<SweepRequest>& flag : line.flags)
    if (flag.modes == kEveryMode && std::string_view(flag.name) != "project" &&
        std::string_view(flag.name) != "dry-run")
      flag.modes = kNewSweep | kResumedSweep;
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
  if (request.plan_file && !request.plan.threads) request.plan.threads = 1;  // machines differ
  if (request.keep_work != KeepWork::none && request.share.slurm)
    throw usage_error("--keep-work: not with --slurm; sweep the case again without --slurm");
  if (request.tests_of) check_test_dir(*request.tests_of);
}

// Returns the arguments of the sweep that the array's tasks need, too.
Arguments arguments_of_task(const SweepRequest& request) {
  Arguments words;
  if (request.kept.cloud) words.emplace_back("--keep-clouds");
  if (!request.kept.pictures) words.emplace_back("--no-pictures");
  return words;
}

// Returns those that the job needs which collects.
Arguments arguments_of_collect(const SweepRequest& request,
                               const std::optional<std::filesystem::path>& baseline) {
  Arguments words;
  const auto add_file = [&](const char* flag, const std::optional<std::filesystem::path>& file) {
    if (file) words.insert(words.end(), {flag, std::filesystem::absolute(*file).string()});
  };
  add_file("--baseline", baseline);
  if (request.gate) words.emplace_back("--gate");
  if (request.no_report) words.emplace_back("--no-report");
  add_file("--junit", request.gate_exports.junit);
  for (const std::string& note : request.notes) words.insert(words.end(), {"--note", note});
  return words;
}

ExitCode print_plan(const SweepPlan& plan, bool json) {
  Json cases = Json::array();
  for (const Case& planned : plan.cases)
    json ? cases.push_back(to_json(planned)) : fmt::print("{}\n", printable(planned.name));
  json ? print_json(cases.dump(2) + "\n") : fmt::print(stderr, "{}\n", counted(plan.cases.size(), "case"));
  return ExitCode::pass;
}

ExitCode write_plan(const SweepPlan& plan, const std::filesystem::path& file) {
  write_plan_file(file, plan);
  remember_commands(file, foreign_code(plan.cases));
  fmt::print("{}: {}, {} each\nnext: aqbench run-case {} 1-{}\n", printable(file.string()),
             counted(plan.cases.size(), "case"),
             counted(static_cast<std::size_t>(*plan.request.threads), "thread"),
             printable(shell_quote(file.string())), plan.cases.size());
  return ExitCode::pass;
}

DeclaredResources declared_resources(const SweepRequest& request) {
  const auto project = current_project(request.plan.project_file);
  return project ? project->resources : DeclaredResources{};
}

// Leaves everything to Slurm jobs. An empty folder holds the name of the bundle.
ExitCode submit_planned(const SweepRequest& request, const SweepPlan& plan) {
  std::optional<std::filesystem::path> baseline;
  if (request.baseline) read_baseline(*(baseline = baseline_file(*request.baseline)));  // as in run_planned()
  const SlurmJobs jobs{create_bundle_dir(request.out, std::chrono::system_clock::now()),
                       arguments_of_collect(request, baseline),
                       arguments_of_task(request),
                       !foreign_code(plan.cases).empty(),
                       plan.cases.size(),
                       needs_of(plan, declared_resources(request))};
  const std::filesystem::path tasks = tasks_folder(jobs.bundle);
  make_folders(tasks);
  write_plan_file(tasks / kPlanFile, plan);
  return submit(jobs, request.share);
}

}  // namespace

ExitCode sweep_command(const Arguments& arguments) {
  auto request = parse(sweep_command_line(), arguments);
  complete_sweep_request(request);
  SweepPlan plan = plan_sweep(request.plan);
  complete_gate(request, plan.suite);
  if (request.resume) place_project(plan, request.plan.project_file);
  if (request.share.any())
    require_shareable(plan, request.share.own_nodes ? OwnMachine::yes : OwnMachine::no);
  if (request.dry_run) return print_plan(plan, request.json);
  if (request.resume) {
    require_programs_of_open(plan, *request.resume);
    require_trust(*request.resume, kJournalFile, foreign_code(plan.cases), request.trust);
  } else {
    require_records_fit(plan);
    if (!request.share.slurm && !request.plan_file)
      require_programs(plan.cases);  // tasks check for them on their own machines
  }
  if (request.plan_file) return write_plan(plan, *request.plan_file);
  if (request.share.slurm && !request.resume) return submit_planned(request, plan);
  if (request.share.local) request.workers = local_workers(request.share, plan, declared_resources(request));
  return run_planned(request, std::move(plan), arguments);
}

}  // namespace aqbench::cli
