#include <fmt/format.h>

#include <filesystem>

#include "cli/options.h"
#include "cli/programs.h"
#include "cli/sweep/sharing.h"
#include "core/error.h"
#include "core/text.h"
#include "harness/measuring/build_info.h"
#include "harness/planning/case_options.h"
#include "harness/planning/plan.h"
#include "harness/running/journal.h"
#include "harness/sharing/shared_results.h"
#include "harness/sharing/shared_sweep.h"

namespace aqbench::cli {
namespace {

struct WorkRequest {
  std::filesystem::path bundle;
  double lease_s = kDefaultLeaseS;
  bool unlike_nodes = false;
  CommandTrust trust;
};

CommandLine<WorkRequest> work_command_line() {
  CommandLine<WorkRequest> line{
      "aqbench work BUNDLE [--lease S] [--unlike-nodes]",
      "Runs cases of a shared sweep (aqbench sweep --slurm) until all have a result, on any machine "
      "that\nsees the bundle's folder. Results are in BUNDLE.tasks; `aqbench sweep --resume BUNDLE --local "
      "1`\nmerges them into the bundle. A killed task loses only the time of its case.",
      {{"lease", "S", "seconds after which a silent process loses its case (default 60)",
        [](WorkRequest& r, const FlagValue& v) { r.lease_s = v.positive(); }},
       {"unlike-nodes", nullptr,
        "allow nodes of different kinds for timed cases; times are then not comparable with other runs",
        into<&WorkRequest::unlike_nodes>}},
      {{{.name = "BUNDLE"}, into<&WorkRequest::bundle>}}};
  append_flags<WorkRequest, CommandTrust>(line.flags, command_trust_flags(), &WorkRequest::trust);
  return line;
}

}  // namespace

ExitCode work_command(const Arguments& arguments) {
  const auto request = parse(work_command_line(), arguments);
  const std::filesystem::path tasks = tasks_folder(request.bundle);
  require_plain_bundle(request.bundle);
  const JournalHeader header = read_journal(request.bundle, TornTail::accept, KeptRecords::ends).header;
  if (!std::filesystem::is_directory(tasks)) {
    fmt::print("{}: nothing is shared, or everything is merged\n", printable(tasks.string()));
    return ExitCode::pass;
  }
  const SweepPlan plan = plan_sweep(header.request);
  if (plan.sha256 != header.plan_sha256 || header.program_sha256 != program_sha256())
    throw not_comparable_error(
        "{}: started by another build of aqbench, or this machine gives a different plan",
        request.bundle.string());
  require_trust(request.bundle, kJournalFile, foreign_code(plan.cases), request.trust);
  require_programs_of_open(plan, request.bundle);
  std::optional<FileLock> machine;  // while the cases run
  if (has_timed_cases(plan))
    machine =
        take_machine(plan, tasks, request.unlike_nodes ? UnlikeMachines::accept : UnlikeMachines::refuse);
  const TaskOutcome outcome = run_task(plan, request.bundle, tasks, request.lease_s, run_case);
  fmt::print("ran {}{}\n", counted(outcome.ran, "case"),
             outcome.too_late == 0 ? "" : fmt::format(", {} too late", outcome.too_late));
  return outcome.interrupted ? ExitCode::interrupted : ExitCode::pass;
}

}  // namespace aqbench::cli
