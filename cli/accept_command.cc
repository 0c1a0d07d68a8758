#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <cmath>

#include "cli/options.h"
#include "core/processes/process.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/planning/plan.h"
#include "reports/bundle/verify.h"

namespace aqbench::cli {

namespace {

struct AcceptRequest {
  std::string bundle;
  std::optional<std::string> baseline_file;
  bool dry_run = false;
  std::vector<std::pair<std::string, Tolerance>> tolerances;
  bool tolerances_from_seeds = false;
  std::optional<std::string> seeds_bundle;
  bool stored_times = false, measured_here = false, old_plan = false;
  std::optional<std::string> by;
  AcceptExceptions allowed;
};

const Flag<AcceptExceptions> kExceptionFlags[] = {
    {"from-shard", nullptr, "accept a shard of a sweep (better: aqbench merge)",
     into<&AcceptExceptions::from_shard>},
    {"part-of-suite", nullptr, "accept a run that lacks cases of its suite",
     into<&AcceptExceptions::part_of_suite>},
    {"remove-cases", nullptr, "remove cases from the baseline that the run lacks",
     into<&AcceptExceptions::remove_cases>},
    {"remove-metrics", nullptr, "remove metrics from the baseline that the run lacks",
     into<&AcceptExceptions::remove_metrics>},
    {"new-options", nullptr, "accept cases whose options differ from the baseline or suite",
     into<&AcceptExceptions::new_options>},
    {"injected-faults", nullptr, "accept cases that ran with injected faults",
     into<&AcceptExceptions::injected_faults>},
    {"leave-out-undefined", nullptr, "accept a run with null values, which are then not gated",
     into<&AcceptExceptions::leave_out_undefined>},
};

// Reads "accuracy_rmse_mm=5%" or "bias_mean_mm=0.1".
void read_tolerance(AcceptRequest& request, const FlagValue& value) {
  const std::size_t equals = value.text.rfind('=');
  if (equals == std::string::npos || equals == 0) value.refuse_text("expected METRIC=5% or METRIC=0.1");
  std::string_view number = std::string_view(value.text).substr(equals + 1);
  const bool share = number.ends_with('%');
  if (share) number.remove_suffix(1);
  const auto parsed = parse_double(number);
  if (!parsed || !std::isfinite(*parsed) || *parsed < 0)
    value.refuse_text("expected METRIC=5% or METRIC=0.1");
  request.tolerances.emplace_back(value.text.substr(0, equals),
                                  Tolerance{share ? Tolerance::Kind::relative : Tolerance::Kind::absolute,
                                            share ? *parsed / 100 : *parsed});
}

CommandLine<AcceptRequest> accept_command_line() {
  CommandLine<AcceptRequest> line{
      "aqbench accept BUNDLE --baseline FILE [--dry-run] [OPTION]...",
      "Makes a verified, complete bundle without failed cases the new baseline, and shows what changes.\n"
      "Nothing else writes baselines. Tolerances in FILE are kept; edit them there, or give --tolerance.\n"
      "Whatever weakens the gate needs its own flag: a shard, a part of a suite, removed cases or\n"
      "metrics, changed options, injected faults, undefined values.",
      {{"baseline", "FILE", "the file to write, e.g. baselines/seed.json",
        into<&AcceptRequest::baseline_file>},
       {"dry-run", nullptr, "show what would change, write nothing", into<&AcceptRequest::dry_run>},
       {"tolerance", "METRIC=X[%]",
        "tolerance of this metric in every case, as a share or in its unit; may be repeated", read_tolerance,
        repeated()},
       {"tolerances-from-seeds", nullptr,
        "learn tolerances from the spread over at least 5 seeds (sweep --repeat)",
        into<&AcceptRequest::tolerances_from_seeds>},
       {"tolerances-from", "BUNDLE",
        "learn tolerances from another run of some of the cases with at least 5 seeds each; others stay",
        into<&AcceptRequest::seeds_bundle>},
       {"stored-times", nullptr, "store median times and throughputs too (aqbench gate --stored-times)",
        into<&AcceptRequest::stored_times>},
       {"measured-here", nullptr,
        "BUNDLE of hyperfine or Criterion, which name no machine, were measured on this one",
        into<&AcceptRequest::measured_here>},
       {"old-plan", nullptr, "accept a bundle whose plan only the version that made it can compute again",
        into<&AcceptRequest::old_plan>},
       {"by", "NAME",
        "who accepts it, written into FILE with the time (default: git config user.name, else the login)",
        into<&AcceptRequest::by>}},
      {{{.name = "BUNDLE"}, into<&AcceptRequest::bundle>}}};
  append_flags<AcceptRequest, AcceptExceptions>(line.flags, kExceptionFlags, &AcceptRequest::allowed);
  return line;
}

// Returns the cases that the bundle's suite plans, to find cases that are missing or have other options.
std::vector<BaselineCase> cases_of_suite(const std::filesystem::path& bundle) {
  const JournalHeader header = read_journal(bundle, TornTail::refuse, KeptRecords::ends).header;
  if (header.suite.empty()) return {};
  PlanRequest suite_alone;
  suite_alone.own_suite = header.request.own_suite;
  if (!suite_alone.own_suite) suite_alone.suite = header.suite;
  suite_alone.project = header.request.project;
  std::vector<BaselineCase> cases;
  for (const Case& planned : plan_sweep(suite_alone).cases)
    cases.push_back({planned.name, planned.options, {}});
  return cases;
}

// Returns the user's name from git or the system; "" if unknown.
std::string own_name() {
  const ProgramAnswer git = ask_git(".", {"config", "user.name"});
  if (git.ok && git.output.find_first_not_of(" \n") != std::string::npos)
    return git.output.substr(0, git.output.find('\n'));
  const passwd* const account = ::getpwuid(::geteuid());
  return account == nullptr ? "" : account->pw_name;
}

}  // namespace

ExitCode accept_command(const Arguments& arguments) {
  const auto request = parse(accept_command_line(), arguments);
  if (!request.baseline_file) throw usage_error("--baseline FILE is missing");
  if (request.by && one_line(*request.by).find_first_not_of(' ') == std::string::npos)
    throw usage_error("--by: must not be empty");
  const std::string& file = *request.baseline_file;
  AcceptedRun run = read_accepted_run(request.bundle, request.measured_here, request.old_plan);
  if (!run.times_alone) run.suite_cases = cases_of_suite(request.bundle);
  run.stored_times = request.stored_times;
  run.by = one_line(request.by ? *request.by : own_name(), kMaxAcceptedBytes);
  run.utc = utc_now();
  run.tolerances = request.tolerances;
  run.tolerances_from_seeds = request.tolerances_from_seeds;
  if (request.seeds_bundle)
    run.seeds = read_accepted_run(*request.seeds_bundle, false, request.old_plan).results;
  const Acceptance acceptance = request.dry_run ? plan_acceptance(run, file, request.allowed)
                                                : accept_baseline(run, file, request.allowed);
  fmt::print("{}{}\n",
             render_acceptance(acceptance, wants_colours(STDOUT_FILENO), page_columns(STDOUT_FILENO)),
             request.dry_run ? "dry run: nothing written" : "wrote " + printable(file));
  return acceptance.refusals.empty() ? ExitCode::pass : ExitCode::usage;
}

}  // namespace aqbench::cli
