#include "reports/history/replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/command_trust.h"
#include "cli/options.h"
#include "cli/program_check.h"
#include "core/error.h"
#include "core/files.h"
#include "core/parameters.h"
#include "core/scratch_folder.h"
#include "core/sha256.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/gating/gate.h"
#include "harness/measuring/build_info.h"
#include "harness/planning/foreign_code.h"
#include "harness/planning/plan.h"
#include "harness/project/project_use.h"
#include "harness/records/results.h"
#include "harness/running/journal.h"
#include "harness/running/sweep.h"
#include "reports/bundle/countersignature.h"
#include "reports/bundle/gate_input.h"
#include "reports/bundle/signature.h"
#include "reports/content/bundle_files.h"

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

// Returns the plan of this case only, with the recorded number of threads.
SweepPlan plan_of_case(PlanRequest request, const Record& record) {
  for (const auto& [name, value] : record.axes)
    if (name == "threads")
      if (const auto* const threads = std::get_if<std::int64_t>(&value);
          threads != nullptr && !request.threads)
        request.threads = static_cast<int>(*threads);
  SweepPlan plan = plan_sweep(request);
  std::erase_if(plan.cases, [&](const Case& planned) { return planned.name != record.case_name; });
  if (plan.cases.size() != 1)
    throw Error(
        ErrorKind::not_comparable,
        fmt::format("{}: this build does not plan this case for the bundle's request", record.case_name));
  const auto differences = option_differences(record.options, plan.cases[0].options);
  if (!differences.empty())
    throw Error(
        ErrorKind::not_comparable,
        fmt::format("{}: this build would run it with different options: {}{}", record.case_name,
                    differences.front(),
                    differences.size() > 1 ? fmt::format(" (and {} more)", differences.size() - 1) : ""));
  return plan;
}

ExitCode code_of_replay(const Record& recorded, const Record& now, const ReplayReport& report) {
  const bool failed = now.status != Status::ok && to_string(now.status) != to_string(recorded.status);
  if (failed) return ExitCode::case_failed;
  return report.reproduced() ? ExitCode::pass : ExitCode::regression;
}

struct ReplayRequest {
  fs::path bundle;
  Strings case_names;
  bool all = false;
  std::optional<fs::path> sign, project_file;
  CommandTrust trust;
};

CommandLine<ReplayRequest> replay_command_line() {
  CommandLine<ReplayRequest> line{
      "aqbench replay BUNDLE (--case CASE... | --all) [--sign KEY.pem]",
      "Runs cases of a bundle again as recorded (the bundle is verified first) and compares status,\noutput "
      "hash and every metric bit for bit; time as a trend. Writes nothing, except a\ncountersignature with "
      "--sign. Programs named by the bundle run only if you started it here, a key\nyou trust has signed it, "
      "or --run-its-commands is given.\nExit 0 reproduced, 1 it differs or the bundle does not verify, 2 "
      "unknown case, or no successful\none, 3 it fails now, 4 this build would run a different case under "
      "that name.",
      {{{.name = "case",
         .value_name = "CASE",
         .help = "the case's name as in results.json, e.g. flat_plane/roma_like/seed=42; may be repeated",
         .repeatable = true},
        [](ReplayRequest& r, const FlagValue& v) { r.case_names.push_back(v.text); }},
       {{.name = "all", .help = "every successful case"}, into<&ReplayRequest::all>},
       {{.name = "sign",
         .value_name = "KEY.pem",
         .help = "if all are reproduced, add them to the countersignature of this Ed25519 private key"},
        into<&ReplayRequest::sign>},
       {{.name = "project",
         .value_name = "FILE",
         .help = "run the bundle's declared methods in the folder of this project file (default: the folder "
                 "named by the bundle)"},
        into<&ReplayRequest::project_file>}},
      {{{.name = "BUNDLE"}, into<&ReplayRequest::bundle>}}};
  append_flags<ReplayRequest, CommandTrust>(line.flags, command_trust_flags(), &ReplayRequest::trust);
  return line;
}

// Returns the records of the requested cases. Throws Error(usage) for an unknown name.
std::vector<const Record*> chosen_records(const ReplayRequest& request, const Results& results) {
  std::vector<const Record*> records;
  for (const std::string& name : request.case_names) records.push_back(&recorded_case(results, name));
  for (const Record& record : results.records)
    if (request.all && record.status == Status::ok) records.push_back(&record);
  return records;
}

// Runs one case and prints the comparison. Returns nullopt if it was interrupted.
std::optional<ExitCode> replay_case(const SweepPlan& plan, const Record& recorded, const fs::path& scratch) {
  Journal journal = Journal::create(scratch, plan, "replay", utc_now());
  if (run_sweep(plan, journal, {}).interrupted) return std::nullopt;
  const Record now = journal.records().front();
  const ReplayReport report = compare_replay(recorded, now);
  fmt::print("{}", render_replay(report, recorded.case_name, wants_colours(STDOUT_FILENO)));
  return code_of_replay(recorded, now, report);
}

// Throws Error(usage) for a case that cannot be countersigned.
void require_signable(const std::vector<const Record*>& records) {
  for (const Record* const record : records)
    if (record->status != Status::ok)
      throw Error(ErrorKind::usage,
                  fmt::format("--sign: case {} is {} in the bundle; only successful cases can be signed",
                              record->case_name, to_string(record->status)));
}

void countersign(const ReplayRequest& request, const Results& results, const SigningKey& key,
                 const std::vector<const Record*>& records) {
  std::vector<std::string> names;
  for (const Record* const record : records) names.push_back(record->case_name);
  const CountersignedBundle bundle =
      countersigned_bundle(results, read_text_file(request.bundle / kHashListName));
  add_countersignature(request.bundle, bundle, key, names, program_sha256(), utc_now());
  fmt::print("countersigned by key {}\n", key_fingerprint(key.public_key));
}

}  // namespace

ExitCode replay_command(const Arguments& arguments) {
  const auto request = parse(replay_command_line(), arguments);
  if (!request) return ExitCode::pass;
  if (request->case_names.empty() && !request->all)
    throw Error(ErrorKind::usage, "--case CASE is missing (or --all)");
  const fs::path& bundle = request->bundle;
  if (!fs::is_directory(bundle))
    throw Error(ErrorKind::input, bundle.string() + ": not a bundle (no such folder)");
  require_plain_files(bundle);
  std::optional<SigningKey> key;
  if (request->sign) key = read_signing_key(*request->sign);

  const Results results = read_gate_input(bundle).results;
  const std::vector<const Record*> records = chosen_records(*request, results);
  if (records.empty()) throw Error(ErrorKind::input, bundle.string() + ": no successful case to reproduce");
  if (key) require_signable(records);
  JournalHeader header = read_journal(bundle, TornTail::refuse, KeptRecords::ends).header;
  place_datasets(header.request, request->project_file);
  std::vector<SweepPlan> plans;
  std::vector<Case> cases;
  for (const Record* const record : records) {
    plans.push_back(plan_of_case(header.request, *record));
    place_project(plans.back(), request->project_file);
    plans.back().sha256 = sha256_hex(cases_text(plans.back().cases));  // of the only case that is left
    cases.push_back(plans.back().cases.front());
  }
  require_trust(bundle, kJournalFile, foreign_code(cases), request->trust);
  require_programs(cases);
  if (program_sha256() != header.program_sha256)
    fmt::print(stderr, "aqbench: note: the bundle was made by another build (commit {})\n",
               header.program_commit.empty() ? "unknown" : printable(header.program_commit));
  ExitCode code = ExitCode::pass;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const ScratchFolder scratch;
    const auto replayed = replay_case(plans[i], *records[i], scratch.path());
    if (!replayed) return ExitCode::interrupted;
    code = combine(code, *replayed);
  }
  if (key && code == ExitCode::pass) countersign(*request, results, *key, records);
  if (key && code != ExitCode::pass)
    fmt::print(stderr, "aqbench: not countersigned: not all was reproduced\n");
  return code;
}

}  // namespace aqbench::cli
