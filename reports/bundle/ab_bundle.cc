#include "reports/bundle/ab_bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/text.h"
#include "harness/ab/aa_validation_json.h"
#include "harness/ab/layout.h"
#include "harness/ab/pair_journal.h"
#include "harness/ab/report_json.h"
#include "harness/ab/samples_check.h"
#include "harness/ab/tiles.h"
#include "harness/records/case_result.h"
#include "reports/bundle/ab_command_check.h"
#include "reports/bundle/ab_tiles_check.h"
#include "reports/bundle/added_evidence.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/run_check.h"
#include "reports/bundle/signature.h"
#include "reports/content/commands.h"
#include "reports/content/utc.h"
#include "reports/text/aa_validation_summary.h"
#include "reports/text/ab_summary.h"

namespace aqbench {
namespace {

constexpr std::uintmax_t kMaxSummaryBytes = std::uintmax_t{64} << 20;

// Holds the files that follow from raw samples, and what is wrong with how these were measured.
struct Recomputed {
  std::string text, summary;
  JsonBox environment;
  std::vector<std::string> problems;    // of the samples
  std::vector<const AbSamples*> parts;  // in the order of pairs.jsonl
  const AbRunInfo* run = nullptr;
  PairJournalHeader journal;  // what pairs.jsonl must say at its beginning
  bool has_journal = false;   // units were run, and since version 3
  bool old_version = false;
  std::optional<ExitCode> decided;         // by the decision
  const AbDocument* comparison = nullptr;  // null: an A/A validation
  std::string other_texts;  // what differs in texts of an older version that has the pairs: not forged for it
};

// The beginning of pairs.jsonl: the environment is that before the run.
PairJournalHeader journal_header_of(const AbRunInfo& run, const AbSideInfo& a, const AbSideInfo& b,
                                    const JsonBox& environment) {
  PairJournalHeader header;
  header.started_utc = run.started_utc;
  header.program_a = subject_of(a);
  header.program_b = subject_of(b);
  header.environment = environment;
  return header;
}

std::string protocol_problem_of(const AbDocument& document) {
  if (document.run.pairs_per_look == 0) return {};  // --samples
  const AbProtocol protocol = follow_ab(document.samples, run_options_of(document));
  if (!protocol.problem.empty()) return "samples." + protocol.problem;
  if (protocol.finished == document.run.complete) return {};
  return document.run.complete ? "samples: pairs are missing at the end, though run.complete is true"
                               : "run.complete is false, though nothing is missing";
}

bool same_build(const BuildInfo& a, const BuildInfo& b) {
  const auto fields = [](const BuildInfo& build) {
    return std::tie(build.version, build.commit, build.dirty, build.compiler, build.flags, build.build_type,
                    build.sanitizers);
  };
  return fields(a) == fields(b);
}

// A command has no build of aqbench, and one program has one build.
std::string side_problem_of(const AbDocument& document) {
  for (const auto& [name, side] : {std::pair{"a", &document.a}, {"b", &document.b}})
    if (side->command && (!side->variant.empty() || !same_build(side->build, {})))
      return fmt::format("{}: a command has no variant and no build of aqbench", name);
  if (document.run.commands && !document.run.exec) return "run.exec is false, though commands are started";
  const std::string& program = document.a.program_sha256;
  const bool one = !program.empty() && program == document.b.program_sha256;
  return one && !same_build(document.a.build, document.b.build) ? "a, b: one program of two builds" : "";
}

Recomputed recompute(const AbDocument& document) {
  const AbReport report = judge_ab(document);
  Recomputed again{ab_text(document, report),
                   render_ab_summary(document, report),
                   document.environment,
                   {},
                   {&document.samples},
                   &document.run,
                   {},
                   false,
                   false,
                   {},
                   nullptr,
                   {}};
  const bool run_here = document.run.samples_file.empty();
  if (const std::string problem = protocol_problem_of(document); !problem.empty())
    again.problems.push_back(problem);
  if (const std::string problem = side_problem_of(document); !problem.empty())
    again.problems.push_back(problem);
  if (run_here)
    for (const std::string& problem :
         sample_problems(document.samples, document.run.warm_runs, !document.run.commands))
      again.problems.push_back("samples." + problem);
  const std::uint64_t layouts = document.run.commands ? document.run.commands->layouts : 0;
  const auto look_pairs =
      static_cast<std::size_t>(document.settings.policy.looks) * document.run.pairs_per_look;
  if (const std::string problem = layout_problem(document.samples, layouts, look_pairs); !problem.empty())
    again.problems.push_back("samples." + problem);
  again.journal = journal_header_of(document.run, document.a, document.b, document.environment);
  again.journal.cases = document.samples.cases;
  again.journal.plan = journal_plan_of(document);
  again.old_version = document.schema_version < kAbSchemaVersionWithPairs;
  if (document.schema_version < kAbSchemaVersion)
    again.other_texts = fmt::format("is of version {}, this program writes version {}",
                                    document.schema_version, kAbSchemaVersion);
  again.has_journal = run_here && !again.old_version;
  again.comparison = &document;
  if (again.other_texts.empty()) again.decided = report.exit_code();
  return again;
}

Recomputed recompute(const AaValidationDocument& document) {
  const AaValidationReport report = judge_aa_validation(document);
  Recomputed again{aa_validation_text(document, report),
                   render_aa_validation_summary(document, report),
                   document.environment,
                   {},
                   {},
                   &document.run,
                   {},
                   false,
                   false,
                   {},
                   nullptr,
                   {}};
  if (const std::string problem = aa_validation_problem(document); !problem.empty())
    again.problems.push_back(problem);
  for (const AaValidationSeries& series : document.series) again.parts.push_back(&series.samples);
  for (const AbSamples& run : document.live) again.parts.push_back(&run);
  for (const AbSamples* part : again.parts)
    for (const std::string& problem : sample_problems(*part, document.run.warm_runs))
      again.problems.push_back(problem);
  again.journal = journal_header_of(document.run, document.program, document.program, document.environment);
  again.journal.plan = to_json(document.plan);
  if (!document.series.empty()) again.journal.cases = document.series.front().samples.cases;
  if (!document.live.empty())
    for (const AbCase& one : document.live.front().cases) again.journal.cases.push_back(one);
  again.old_version = document.schema_version < kAaValidationSchemaVersion;
  again.has_journal = !again.old_version;
  if (!again.old_version) again.decided = report.exit_code();
  return again;
}

std::string ab_environment_text(const Json& environment) {
  return environment.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

// Path of the first value that differs, "decision.cases[0].verdict".
std::string first_difference(const Json& a, const Json& b, const std::string& path) {
  if (a.type() != b.type() && !(a.is_number() && b.is_number())) return path;
  if (a.is_array() && a.size() == b.size()) {
    for (std::size_t i = 0; i < a.size(); ++i)
      if (auto found = first_difference(a[i], b[i], fmt::format("{}[{}]", path, i)); !found.empty())
        return found;
    return {};
  }
  if (a.is_object() && a.size() == b.size()) {
    for (const auto& [key, value] : a.items()) {
      const std::string inner = path.empty() ? key : path + "." + key;
      if (!b.contains(key)) return inner;
      if (auto found = first_difference(value, b.at(key), inner); !found.empty()) return found;
    }
    return {};
  }
  return a == b ? std::string() : path;
}

}  // namespace

const std::vector<std::string>& required_ab_files(const char* main_file) {
  static const std::vector<std::string> comparison = {kAbFile, "commands.txt", "env.json", kHashListName,
                                                      "summary.md"};
  static const std::vector<std::string> calibration = {kAaValidationFile, "commands.txt", "env.json",
                                                       kHashListName, "summary.md"};
  return std::string_view(main_file) == kAbFile ? comparison : calibration;
}

const char* ab_main_file(const std::vector<std::string>& files) {
  const auto has = [&](std::string_view name) { return std::ranges::find(files, name) != files.end(); };
  if (has("results.json") || has("journal.jsonl")) return nullptr;
  if (has(kAbFile)) return kAbFile;
  return has(kAaValidationFile) ? kAaValidationFile : nullptr;
}

void finalise_ab_bundle(const std::filesystem::path& bundle, const AbBundleText& text,
                        const SigningKey* key) {
  write_file(bundle / text.main_file, text.main_text);
  write_file(bundle / "summary.md", text.summary);
  write_file(bundle / "env.json", ab_environment_text(*text.environment));
  write_hash_list(bundle, required_ab_files(text.main_file), key);
}

namespace {

void check_journal_header(const PairJournalContents& journal, const Recomputed& again,
                          std::vector<Finding>& findings) {
  const PairJournalHeader &found = journal.header, &expected = again.journal;
  const auto check = [&](const char* what, bool same) {
    if (!same) findings.push_back({kPairJournalFile, fmt::format("has another {} than the rest", what)});
  };
  const auto cases_text = [](const PairJournalHeader& header) {
    Json cases = Json::array();
    for (const AbCase& one : header.cases) cases.push_back(to_json(one));
    return cases.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  check("start", found.started_utc == expected.started_utc);
  check("program A", found.program_a == expected.program_a);
  check("program B", found.program_b == expected.program_b);
  check("list of cases", cases_text(found) == cases_text(expected));
  check("plan", *found.plan == *expected.plan);
  check("environment",
        environment_without_load(*found.environment) == environment_without_load(*expected.environment));
  check("number of resumptions", static_cast<int>(journal.resumed_utc.size()) == again.run->resumed);
}

void check_pair_journal(const PairJournalContents& journal, const Recomputed& again,
                        std::vector<Finding>& findings) {
  const auto text = [](const AbSamples& samples) {
    Json json = to_json(samples);
    return Json{{"units", json.at("units")}, {"outputs", json.at("outputs")}}.dump(
        -1, ' ', false, Json::error_handler_t::replace);
  };
  bool same = journal.parts.size() <= again.parts.size();
  for (std::size_t i = 0; same && i < again.parts.size(); ++i)
    same = text(i < journal.parts.size() ? journal.parts[i] : AbSamples{}) == text(*again.parts[i]);
  if (!same) findings.push_back({kPairJournalFile, "does not hold the pairs of the samples"});
  check_journal_header(journal, again, findings);
}

// Units run one after the other, and a comparison that was resumed stood still in between.
void check_ab_times(const char* main_file, const Recomputed& again, std::vector<Finding>& findings) {
  const auto started = seconds_of_utc(again.run->started_utc),
             finished = seconds_of_utc(again.run->finished_utc);
  if (!started || !finished || *finished < *started)
    return findings.push_back({main_file, "run.finished_utc is not after run.started_utc"});
  double sum_s = 0;
  for (const AbSamples* part : again.parts) sum_s += measured_s(*part);
  if (const double wall_s = static_cast<double>(*finished - *started) + kClockSlackS; sum_s > wall_s)
    findings.push_back({main_file, fmt::format("units took {:.6g} s of {:.6g} s", sum_s, wall_s)});
}

// The message of an error about `file`, which the finding names.
std::string without_file(std::string_view what, const std::filesystem::path& bundle, const char* file) {
  for (const std::string& lead : {(bundle / file).string(), std::string(file)})
    if (what.starts_with(lead)) what.remove_prefix(lead.size());
  while (what.starts_with(':') || what.starts_with(' ')) what.remove_prefix(1);
  return std::string(what);
}

bool is_file_of_comparison(const std::string& file, const char* main_file) {
  const std::vector<std::string>& required = required_ab_files(main_file);
  return std::ranges::find(required, file) != required.end() || file == kPairJournalFile ||
         file == kSignatureName || is_added_evidence(file) || is_in_folder(file, kTilesFolder);
}

template <class Document>
void check_document(const std::filesystem::path& bundle, const char* main_file, const std::string& text,
                    const Json& json, const Document& document, const std::vector<std::string>& files,
                    AbVerification& result) {
  std::vector<Finding>& findings = result.findings;
  const auto has = [&](std::string_view name) { return std::ranges::find(files, name) != files.end(); };
  const Recomputed again = recompute(document);
  result.complete = again.run->complete;
  if (again.old_version)
    result.other_version = Finding{main_file, "is of a version that has no pairs.jsonl beside it"};
  for (const AbSamples* part : again.parts) result.units += part->units.size();
  for (const std::string& problem : again.problems) findings.push_back({main_file, problem});
  if (std::string_view(main_file) != kAbFile)
    std::ranges::move(check_calibration_tiles(bundle, again.parts, files), std::back_inserter(findings));
  const bool summary_differs =
      has("summary.md") && read_file(bundle / "summary.md", kMaxSummaryBytes) != again.summary;
  if ((again.text != text || summary_differs) && !again.other_texts.empty()) {
    if (!result.other_version) result.other_version = Finding{main_file, again.other_texts};
  } else if (again.text != text) {
    const std::string where = first_difference(json, parse_strict_json(again.text, main_file), "");
    findings.push_back({main_file, where.empty() ? "is not in the form that aqbench writes"
                                                 : where + " does not follow from the samples"});
  }
  if (summary_differs && again.other_texts.empty())
    findings.push_back({"summary.md", fmt::format("is not what {} renders to", main_file)});
  if (has("env.json") &&
      read_file(bundle / "env.json", kMaxSummaryBytes) != ab_environment_text(*again.environment))
    findings.push_back({"env.json", fmt::format("is not the environment in {}", main_file)});
  if (again.has_journal) check_ab_times(main_file, again, findings);
  if (has(kPairJournalFile) != again.has_journal)
    findings.push_back({kPairJournalFile, again.has_journal ? "is missing" : "does not belong here"});
  std::optional<PairJournalContents> journal;
  try {
    if (has(kPairJournalFile) && again.has_journal)
      check_pair_journal(journal.emplace(read_pair_journal(bundle)), again, findings);
  } catch (const Error& error) {
    findings.push_back({kPairJournalFile, without_file(error.what(), bundle, kPairJournalFile)});
  }
  AbClaims claims{again.run, again.comparison, again.decided, 0, journal ? &*journal : nullptr};
  for (const AbSamples* part : again.parts) claims.measured_s += measured_s(*part);
  if (has(kCommandsFile)) std::ranges::move(check_ab_commands(bundle, claims), std::back_inserter(findings));
}

}  // namespace

AbVerification verify_ab_files(const std::filesystem::path& bundle, const char* main_file,
                               const std::vector<std::string>& files) {
  AbVerification result;
  const bool comparison = std::string_view(main_file) == kAbFile;
  for (const std::string& file : files)
    if (!is_file_of_comparison(file, main_file))
      result.findings.push_back({file, "is no file of a comparison"});
  try {
    const std::string text = read_file(bundle / main_file, JsonLimits{}.max_bytes);
    const Json json = parse_strict_json(text, main_file);
    if (comparison) {
      const AbDocument document = ab_document_from_json(json, main_file);
      check_document(bundle, main_file, text, json, document, files, result);
      std::ranges::move(check_ab_tiles(bundle, document, files), std::back_inserter(result.findings));
    } else {
      check_document(bundle, main_file, text, json, aa_validation_from_json(json, main_file), files, result);
    }
  } catch (const Error& error) {
    const Finding finding{main_file, without_file(error.what(), bundle, main_file)};
    if (error.kind() == ErrorKind::not_comparable)
      result.other_version = finding;
    else
      result.findings.push_back(finding);
  }
  return result;
}

}  // namespace aqbench
