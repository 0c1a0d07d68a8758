#include "reports/history/replay.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "cli/programs.h"
#include "core/files.h"
#include "core/parameters.h"
#include "core/scratch_folder.h"
#include "core/sha256.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/measuring/build_info.h"
#include "harness/measuring/environment.h"
#include "harness/planning/case_options.h"
#include "harness/project/project.h"
#include "harness/records/numbers.h"
#include "harness/running/method_run.h"
#include "harness/running/run_case.h"
#include "harness/running/sweep.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/verify.h"
#include "reports/content/case_groups.h"

namespace aqbench::cli {
namespace {

namespace fs = std::filesystem;

const Record& recorded_case(const Results& results, const std::string& name) {
  std::vector<std::string> names;
  for (const Record& record : results.records) names.push_back(record.case_name);
  return *std::ranges::find(results.records, case_meant(names, name), &Record::case_name);
}

// A plan with its cases by name, and the plans of one request by the number of threads.
struct WholePlan {
  SweepPlan without_cases;
  std::unordered_map<std::string, Case> cases;
};
using Plans = std::map<std::optional<int>, WholePlan>;

WholePlan whole_plan(const PlanRequest& request) {
  WholePlan whole{plan_sweep(request), {}};
  for (Case& planned : whole.without_cases.cases) whole.cases.emplace(planned.name, std::move(planned));
  whole.without_cases.cases.clear();
  return whole;
}

// Returns the plan of this case only, with the recorded number of threads.
SweepPlan plan_of_case(PlanRequest request, const Record& record, Plans& plans) {
  const ParameterValue* const threads = find_value(record.axes, "threads");
  if (threads != nullptr && std::holds_alternative<std::int64_t>(*threads) && !request.threads)
    request.threads = static_cast<int>(std::get<std::int64_t>(*threads));
  auto whole = plans.find(request.threads);
  if (whole == plans.end()) whole = plans.emplace(request.threads, whole_plan(request)).first;
  const auto found = whole->second.cases.find(record.case_name);
  if (found == whole->second.cases.end())
    throw not_comparable_error("{}: this build does not plan this case for the bundle's request",
                               record.case_name);
  SweepPlan plan = whole->second.without_cases;
  plan.cases = {found->second};
  const Case& now = plan.cases[0];
  const auto differences = option_differences({record.options, record.defaults}, {now.options, now.defaults});
  if (!differences.empty())
    throw not_comparable_error(
        "{}: this build would run it with different options: {}{}", record.case_name, differences.front(),
        differences.size() > 1 ? fmt::format(" (and {} more)", differences.size() - 1) : "");
  return plan;
}

ExitCode code_of_replay(const Record& recorded, const Record& now, const ReplayReport& report) {
  const bool failed = now.status != Status::ok && to_string(now.status) != to_string(recorded.status);
  if (failed) return ExitCode::case_failed;
  if (report.reproduced()) return ExitCode::pass;
  return report.platform.empty() ? ExitCode::regression : ExitCode::not_comparable;
}

struct ReplayRequest {
  fs::path bundle;
  Strings case_names;
  bool all = false, any = false;
  std::optional<std::size_t> sample;
  std::optional<fs::path> project_file;
  CommandTrust trust;
};

CommandLine<ReplayRequest> replay_command_line() {
  CommandLine<ReplayRequest> line{
      "aqbench replay BUNDLE (--case CASE... | --all | --sample N)",
      "Runs cases of a bundle again as recorded (the bundle is verified first) and compares status,\noutput "
      "hash, files and every metric bit for bit; time as a trend. Writes nothing. Programs named by\nthe "
      "bundle run only if you started it here, or --run-its-commands is given.\nExit 0 "
      "reproduced, 1 it differs or the bundle does not verify, 2 unknown case, or no case at all,\n3 it "
      "fails now, 4 it differs on another processor model, system or library, or this build\nwould run a "
      "different case under that name, or another program of yours.",
      {{{.name = "case",
         .value_name = "CASE",
         .help = "the case's name as in results.json, e.g. flat_plane/roma_like/seed=42, or as tables "
                 "shorten it; may be repeated",
         .repeatable = true},
        [](ReplayRequest& r, const FlagValue& v) { r.case_names.push_back(v.text); }},
       {"all", nullptr, "every case, also those that failed or were skipped", into<&ReplayRequest::all>},
       {"sample", "N", "N random cases of simulated methods; prints the probability of missing altered cases",
        [](ReplayRequest& r, const FlagValue& v) {
          r.sample = static_cast<std::size_t>(v.at_least<std::int64_t>(1));
        }},
       {"any", nullptr, "with --sample: draw from all cases", into<&ReplayRequest::any>},
       {"project", "FILE",
        "run the bundle's declared methods in the folder of this project file (default: the folder named by "
        "the bundle)",
        into<&ReplayRequest::project_file>}},
      {{{.name = "BUNDLE"}, into<&ReplayRequest::bundle>}}};
  append_flags<ReplayRequest, CommandTrust>(line.flags, command_trust_flags(), &ReplayRequest::trust);
  return line;
}

// The cases to run and, for a sample, the number of candidates.
struct ChosenCases {
  std::vector<const Record*> records;
  std::size_t drawn_from = 0;
};

// Chooses the requested cases. Throws Error(usage) for an unknown name and for a sample larger than the
// number of candidates, Error(input) if there is none. Cases that failed or were skipped are candidates, too:
// a good one may be recorded as a bad one.
ChosenCases choose_cases(const ReplayRequest& request, const Results& results) {
  ChosenCases chosen;
  for (const std::string& name : request.case_names) chosen.records.push_back(&recorded_case(results, name));
  std::vector<const Record*> candidates;
  for (const Record& record : results.records)
    if (!request.sample || request.any || record.simulated) candidates.push_back(&record);
  const char* const kind = request.sample && !request.any ? " of simulated methods (--any: of all)" : "";
  if (candidates.empty() && request.case_names.empty())
    throw input_error("{}: no case{} to reproduce", request.bundle.string(), kind);
  if (request.all) chosen.records = candidates;
  if (!request.sample) return chosen;
  if (*request.sample > candidates.size())
    throw usage_error("--sample {}: has only {}{}", *request.sample, counted(candidates.size(), "case"),
                      kind);
  chosen.drawn_from = candidates.size();
  std::mt19937_64 random = system_random();
  for (const std::size_t i : draw_sample(candidates.size(), *request.sample, random))
    chosen.records.push_back(candidates[i]);
  return chosen;
}

// Returns the environment of this machine in the form of a bundle's.
Json environment_here(const Json& recorded) {
  EnvironmentOptions options;
  const Json device = recorded.is_object() ? recorded.value("device", Json()) : Json();
  if (device.is_string()) options.device = device.get<std::string>();
  return environment_json(options);
}

// Throws Error(not_comparable) naming the files of the user's program that are not those that were recorded.
void require_same_guest(const Record& recorded, const Case& planned) {
  const std::optional<Guest> now = guest_of(planned);
  if (!now || !recorded.guest) {
    if (now)
      fmt::print(stderr, "aqbench: note: {}: the bundle does not say which files ran as its program\n",
                 printable(recorded.case_name));
    return;
  }
  const std::vector<std::string> differences = guest_differences(*recorded.guest, *now);
  if (!differences.empty())
    throw not_comparable_error("{}: another program would run: {}", recorded.case_name,
                               fmt::join(differences, "; "));
  if (const std::string before = commit_text(*recorded.guest), here = commit_text(*now); before != here)
    fmt::print(stderr, "aqbench: note: {}: the program's repository is at commit {}, was at {}\n",
               printable(recorded.case_name), here.empty() ? "none" : printable(here),
               before.empty() ? "none" : printable(before));
}

// Runs one case and prints the comparison. Returns nullopt if it was interrupted.
std::optional<ExitCode> replay_case(const SweepPlan& plan, const Record& recorded, const Json& environment,
                                    const JournalHeader& header) {
  const ScratchFolder scratch;
  Journal journal = Journal::create(scratch.path(), plan, "replay", utc_now());
  const auto run = [kept = kept_files_of(recorded)](const Case& planned, CaseBoard& board) {
    return run_case_keeping(planned, board, kept);
  };
  if (run_sweep(plan, journal, {}, run).interrupted) return std::nullopt;
  const Record now = journal.records().front();
  ReplayReport report = compare_replay(recorded, now);
  if (!report.reproduced())
    report.platform = platform_differences(environment, environment_here(environment));
  if (program_sha256() != header.program_sha256 &&
      std::ranges::all_of(report.differences, &ReplayDifference::of_builds))
    report.platform.push_back(
        fmt::format("another build (commit {}) may have given other files and fewer metrics",
                    header.program_commit.empty() ? "unknown" : header.program_commit));
  fmt::print("{}", render_replay(report, recorded.case_name, screen_of(STDOUT_FILENO)));
  return code_of_replay(recorded, now, report);
}

}  // namespace

ExitCode replay_command(const Arguments& arguments) {
  const auto request = parse(replay_command_line(), arguments);
  if (!request.case_names.empty() + request.all + request.sample.has_value() != 1)
    throw usage_error("expected one of --case CASE, --all and --sample N");
  if (request.any && !request.sample) throw usage_error("--any needs --sample N");
  const fs::path& bundle = request.bundle;
  require_bundle_folder(bundle);
  require_plain_files(bundle);

  const Results results = read_gate_input(bundle).results;
  const auto [records, drawn_from] = choose_cases(request, results);
  JournalHeader header = read_journal(bundle, TornTail::refuse, KeptRecords::ends).header;
  if (const std::string numbers = numbers_source(*results.run.requested); !numbers.empty())
    throw not_comparable_error("{}: {}: nothing to run", bundle.string(), numbers);
  place_datasets(header.request, request.project_file);
  std::vector<SweepPlan> plans;
  Plans whole;
  std::vector<Case> cases;
  for (const Record* const record : records) {
    plans.push_back(plan_of_case(header.request, *record, whole));
    place_project(plans.back(), request.project_file);
    plans.back().sha256 = sha256_hex(cases_text(plans.back().cases));  // of the only case that is left
    cases.push_back(plans.back().cases.front());
  }
  require_trust(bundle, kJournalFile, foreign_code(cases), request.trust);
  require_programs(cases);
  for (std::size_t i = 0; i < cases.size(); ++i) require_same_guest(*records[i], cases[i]);
  if (program_sha256() != header.program_sha256)
    fmt::print(stderr, "aqbench: note: the bundle was made by another build (commit {})\n",
               header.program_commit.empty() ? "unknown" : printable(header.program_commit));
  whole.clear();
  std::vector<ExitCode> codes;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto replayed = replay_case(plans[i], *records[i], *results.environment, header);
    if (!replayed) return ExitCode::interrupted;
    codes.push_back(*replayed);
  }
  const auto count = [&](ExitCode code) { return static_cast<std::size_t>(std::ranges::count(codes, code)); };
  if (request.sample)
    fmt::print("{}", render_sample(drawn_from, records.size(), count(ExitCode::pass),
                                   count(ExitCode::not_comparable)));
  return combine(codes);
}

}  // namespace aqbench::cli
