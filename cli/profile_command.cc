#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/bundle_run.h"
#include "cli/programs.h"
#include "core/files.h"
#include "core/parallel.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/planning/case_options.h"
#include "harness/planning/plan_request.h"
#include "harness/profiling/profile.h"
#include "harness/project/project.h"
#include "harness/running/progress.h"
#include "harness/running/run_case.h"
#include "harness/running/sweep.h"
#include "reports/bundle/bundle.h"
#include "reports/text/profile_text.h"

namespace aqbench::cli {
namespace {

struct ProfileRequest {
  Strings targets;
  PlanRequest plan;
  ProfileOptions options;
  bool json = false;
  std::filesystem::path out;
};

void read_sampler(ProfileRequest& request, const FlagValue& value) {
  request.options.sampler = value.text == "perf"         ? SamplerChoice::perf
                            : value.text == "in-process" ? SamplerChoice::in_process
                            : value.text == "none"       ? SamplerChoice::none
                                                         : SamplerChoice::automatic;
}

const Flag<ProfileRequest> kProfileFlags[] = {
    {"repetitions", "N", "profiled runs; the table shows the one with the median time",
     into<&ProfileRequest::options, &ProfileOptions::repetitions>, usually("3")},
    {"no-plain", nullptr, "skip the unprofiled runs in between, which measure the cost of profiling",
     turn_off<&ProfileRequest::options, &ProfileOptions::plain_runs>},
    {"trace", nullptr, "write trace.json (for ui.perfetto.dev)",
     into<&ProfileRequest::options, &ProfileOptions::trace>},
    {"sampler", "auto|perf|in-process|none",
     "sampler of CPU time; auto: perf if permitted and the build has frame pointers", read_sampler,
     usually("auto")},
    {"samples", "N", "samples per second of CPU time",
     into<&ProfileRequest::options, &ProfileOptions::samples_per_s>, usually("500")},
    {"out", "DIR", "parent folder of bundles", into<&ProfileRequest::out>, usually("profiles")},
    {"json", nullptr, "print results.json to stdout instead of tables", into<&ProfileRequest::json>},
};

CommandLine<ProfileRequest> profile_command_line() {
  CommandLine<ProfileRequest> line{
      "aqbench profile CASE|METHOD|WORKLOAD... [OPTION]...",
      "Shows where time and memory go: a table of stages (inclusive and self time, CPU time, tensor and\n"
      "resident memory, share of the true total), the top bottlenecks, hot functions, warnings. Writes "
      "a\nverified bundle with the figures, a page with the flamegraph and, on request, a trace.\n"
      "docs/profiling.md explains the numbers.\n\n"
      "  aqbench profile roma_like --scene undulating\n"
      "  aqbench profile undulating/roma_like/seed=43 --trace\n"
      "  aqbench profile synthetic_profile --json\n"
      "  aqbench compare profiles/20261120T101500Z profiles/20261120T103000Z",
      {},
      {{{.name = "TARGET", .repeatable = true}, into<&ProfileRequest::targets>}}};
  append_plan_flag(line.flags, "scene", "scene for METHOD (default flat_plane); may be repeated",
                   &ProfileRequest::plan);
  append_plan_flag(line.flags, "dataset", "the same for a dataset of the project or a folder",
                   &ProfileRequest::plan);
  append_plan_flag(line.flags, "seed", "seed (default 42)", &ProfileRequest::plan);
  line.flags.insert(line.flags.end(), std::begin(kProfileFlags), std::end(kProfileFlags));
  append_plan_flags(line.flags, case_flags(), &ProfileRequest::plan);
  return line;
}

// Checks combinations of flags and plans the targets.
void complete_profile_request(ProfileRequest& request) {
  check(request.options);
  read_profile_targets(request.targets, request.plan);
}

// Throws Error(usage) if the in-process sampler was requested and an external program does the work.
void check_sampler(const ProfileRequest& request, const SweepPlan& plan) {
  if (request.options.sampler != SamplerChoice::in_process) return;
  const auto program = std::ranges::find_if(plan.cases, starts_program);
  if (program != plan.cases.end())
    throw usage_error("--sampler in-process: cannot see the program of method {}; use --sampler perf",
                      program->method);
}

// ---- Running ----

Results profile_results(const SweepPlan& plan, const Journal& journal, const Json& environment,
                        const std::vector<ProfiledCase>& profiles) {
  Results results = results_of_run(plan, journal, environment);
  Json effective = effective_json(plan);
  effective["profile"] = Json::array();
  for (const ProfiledCase& profile : profiles) effective["profile"].push_back(to_json(profile));
  results.run.effective = std::move(effective);
  return results;
}

std::vector<ProfiledCase> read_profiles(const std::filesystem::path& bundle,
                                        const std::vector<Record>& records) {
  std::vector<ProfiledCase> profiles;
  for (const Record& record : records)
    if (record.status == Status::ok) profiles.push_back(read_profiled_case(bundle, record));
  return profiles;
}

void print_profiles(const Results& results, const std::vector<ProfiledCase>& profiles) {
  for (const ProfiledCase& profile : profiles)
    fmt::print("{}\n", terminal_of(profile_section(profile), screen_of(STDOUT_FILENO)));
  for (const Record& record : results.records)
    if (record.status != Status::ok)
      fmt::print("{}: {}: {}\n", printable(record.case_name), to_string(record.status),
                 printable(record.reason));
}

ExitCode run_profiles(const ProfileRequest& request, const SweepPlan& plan, const Arguments& arguments) {
  // Before a bundle is started; the environment lists the loaded libraries.
  load_modules_of(plan.cases);
  BundleRun run(
      {.command = "profile",
       .arguments = arguments,
       .out = request.out,
       .commands = foreign_code(plan.cases),
       .resumable = false},
      journal_header_of(plan, environment_json({plan.request.threads.value_or(available_processors()),
                                                devices_of(plan.request), plan.dtype})));
  SweepOutcome outcome;
  {
    SweepDisplay display(SweepDisplay::options_for_stderr());
    outcome = run_sweep(plan, run.journal(), display.callbacks(), [&](const Case& planned, CaseBoard& board) {
      return run_profile(planned, request.options, board);
    });
  }
  const std::vector<ProfiledCase> profiles = read_profiles(run.bundle(), run.journal().records());
  Results results = profile_results(plan, run.journal(), run.environment(), profiles);
  if (request.json)
    print_json(results_text(results));
  else
    print_profiles(results, profiles);
  const ExitCode code = combine(outcome.interrupted ? ExitCode::interrupted : ExitCode::pass,
                                outcome.failed > 0 ? ExitCode::case_failed : ExitCode::pass);
  return run.finish(std::move(results), code, request.json ? stderr : stdout);
}

}  // namespace

ExitCode profile_command(const Arguments& arguments) {
  auto request = parse(profile_command_line(), arguments);
  complete_profile_request(request);
  use_current_project(request.plan);
  const SweepPlan plan = plan_sweep(request.plan);
  require_programs(plan.cases);
  check_sampler(request, plan);
  return run_profiles(request, plan, arguments);
}

}  // namespace aqbench::cli
