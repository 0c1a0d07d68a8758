#include "reports/history/replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/options.h"
#include "core/error.h"
#include "core/files.h"
#include "core/parameters.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/gating/gate.h"
#include "harness/planning/plan.h"
#include "harness/records/results.h"
#include "harness/running/journal.h"
#include "harness/running/sweep.h"
#include "reports/bundle/gate_input.h"

namespace aqbench::cli {
namespace {

namespace fs = std::filesystem;

const Record& recorded_case(const Results& results, const std::string& name) {
  const auto found = std::ranges::find(results.records, name, &Record::case_name);
  if (found != results.records.end()) return *found;
  std::vector<std::string> names;
  for (const Record& record : results.records) names.push_back(record.case_name);
  throw Error(ErrorKind::usage, unknown_name_message("case", name, names));
}

// Returns the plan of this case alone, with the number of threads that was recorded.
SweepPlan plan_of_case(PlanRequest request, const Record& record) {
  for (const auto& [name, value] : record.axes)
    if (name == "threads")
      if (const auto* const threads = std::get_if<std::int64_t>(&value);
          threads != nullptr && !request.threads)
        request.threads = static_cast<int>(*threads);
  SweepPlan plan = plan_sweep(request);
  std::erase_if(plan.cases, [&](const Case& planned) { return planned.name != record.case_name; });
  if (plan.cases.size() != 1)
    throw Error(ErrorKind::not_comparable,
                fmt::format("{}: this build plans no such case for the bundle's request", record.case_name));
  const auto differences = option_differences(record.options, plan.cases[0].options);
  if (!differences.empty())
    throw Error(
        ErrorKind::not_comparable,
        fmt::format("{}: this build would run it with other options: {}{}", record.case_name,
                    differences.front(),
                    differences.size() > 1 ? fmt::format(" (and {} more)", differences.size() - 1) : ""));
  return plan;
}

ExitCode replay_code(const Record& recorded, const Record& now, const ReplayReport& report) {
  const bool failed = now.status != Status::ok && to_string(now.status) != to_string(recorded.status);
  if (failed) return ExitCode::case_failed;
  return report.reproduced() ? ExitCode::pass : ExitCode::regression;
}

struct ReplayRequest {
  fs::path bundle;
  std::optional<std::string> case_name;
};

CommandLine<ReplayRequest> replay_command_line() {
  return {"aqbench replay BUNDLE --case CASE",
          "Runs one case of a bundle again as it was recorded (the bundle is verified first) and compares\n"
          "status, output hash and every metric bit for bit; time as a trend. Nothing is written.\n"
          "Exit 0 reproduced, 1 it differs or the bundle does not verify, 2 no such case, 3 it fails now,\n"
          "4 this build would run another case under that name.",
          {{{.name = "case",
             .value_name = "CASE",
             .help = "the case's name as in results.json, e.g. flat_plane/roma_like/seed=42"},
            into<&ReplayRequest::case_name>}},
          {{{.name = "BUNDLE"}, into<&ReplayRequest::bundle>}}};
}

}  // namespace

ExitCode replay_command(const Arguments& arguments) {
  const auto request = parse(replay_command_line(), arguments);
  if (!request) return ExitCode::pass;
  if (!request->case_name) throw Error(ErrorKind::usage, "--case CASE is missing");
  const fs::path& bundle = request->bundle;
  if (!fs::is_directory(bundle)) throw Error(ErrorKind::input, bundle.string() + ": no bundle: not a folder");

  const Results results = read_gate_input(bundle).results;
  const Record& recorded = recorded_case(results, *request->case_name);
  const JournalHeader header = read_journal(bundle, TornTail::refuse).header;
  const SweepPlan plan = plan_of_case(header.request, recorded);
  const ScratchFolder scratch;
  Journal journal = Journal::create(scratch.path(), plan, "replay", utc_now());
  if (journal.header().program_sha256 != header.program_sha256)
    fmt::print(stderr, "aqbench: note: the bundle was made by another build (commit {})\n",
               header.program_commit.empty() ? "unknown" : header.program_commit);
  const SweepOutcome outcome = run_sweep(plan, journal, {});
  if (outcome.interrupted) return ExitCode::interrupted;
  const Record& now = journal.records().front();
  const ReplayReport report = compare_replay(recorded, now);
  fmt::print("{}", render_replay(report, recorded.case_name, wants_colours(STDOUT_FILENO)));
  return replay_code(recorded, now, report);
}

}  // namespace aqbench::cli
