#include "reports/bundle/ab_bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/sha256.h"
#include "harness/ab/aa_validation_json.h"
#include "harness/ab/pair_journal.h"
#include "harness/ab/report_json.h"
#include "harness/ab/tiles.h"
#include "harness/records/case_result.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/run_check.h"
#include "reports/bundle/signature.h"
#include "reports/content/json_difference.h"
#include "reports/text/aa_validation_summary.h"
#include "reports/text/ab_summary.h"

namespace aqbench {
namespace {

constexpr std::uintmax_t kMaxSummaryBytes = std::uintmax_t{64} << 20;

// Holds the files that follow from raw samples, and what is wrong with how these were measured.
struct Recomputed {
  std::string text, summary;
  JsonBox environment;
  std::string problem;                  // of the pairs, which the measuring loop would not have measured so
  std::vector<const AbSamples*> parts;  // in the order of pairs.jsonl
  const AbRunInfo* run = nullptr;
  PairJournalHeader journal;  // what pairs.jsonl must say at its beginning
  bool has_journal = false;   // units were run, and since version 3
  bool old_version = false;
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

Recomputed recompute(const AbDocument& document) {
  const AbReport report = judge_ab(document);
  Recomputed again;
  again.text = ab_text(document, report);
  again.summary = render_ab_summary(document, report);
  again.environment = document.environment;
  again.parts = {&document.samples};
  again.run = &document.run;
  again.problem = protocol_problem_of(document);
  again.journal = journal_header_of(document.run, document.a, document.b, document.environment);
  again.journal.cases = document.samples.cases;
  again.journal.plan = journal_plan_of(document);
  again.old_version = document.schema_version < kAbSchemaVersionWithPairs;
  if (document.schema_version < kAbSchemaVersion)
    again.other_texts = fmt::format("is of version {}, this program writes version {}",
                                    document.schema_version, kAbSchemaVersion);
  again.has_journal = document.run.samples_file.empty() && !again.old_version;
  return again;
}

Recomputed recompute(const AaValidationDocument& document) {
  const AaValidationReport report = judge_aa_validation(document);
  Recomputed again;
  again.text = aa_validation_text(document, report);
  again.summary = render_aa_validation_summary(document, report);
  again.environment = document.environment;
  again.run = &document.run;
  again.problem = aa_validation_problem(document);
  for (const AaValidationSeries& series : document.series) again.parts.push_back(&series.samples);
  for (const AbSamples& run : document.live) again.parts.push_back(&run);
  again.journal = journal_header_of(document.run, document.program, document.program, document.environment);
  again.journal.plan = to_json(document.plan);
  if (!document.series.empty()) again.journal.cases = document.series.front().samples.cases;
  if (!document.live.empty())
    for (const AbCase& one : document.live.front().cases) again.journal.cases.push_back(one);
  again.old_version = document.schema_version < kAaValidationSchemaVersion;
  again.has_journal = !again.old_version;
  return again;
}

std::string ab_environment_text(const Json& environment) {
  return environment.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
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

// Returns the findings about files of tiles of which no unit has the hash, and, of a comparison, about those
// that a unit has and the bundle lacks.
std::vector<Finding> check_ab_tiles(const std::filesystem::path& bundle, const char* main_file,
                                    const std::vector<const AbSamples*>& parts,
                                    const std::vector<std::string>& files) {
  std::set<std::string> kept, found;
  for (const AbSamples* const part : parts)
    for (const AbUnit& unit : part->units)
      if (!unit.tiles_sha256.empty()) kept.insert(unit.tiles_sha256);
  std::vector<Finding> findings;
  for (const std::string& file : files)
    if (is_in_folder(file, kTilesFolder) &&
        !kept.contains(*found.insert(sha256_file_hex(bundle / file)).first))
      findings.push_back({file, "is not what a unit kept"});
  if (std::string_view(main_file) == kAbFile && found != kept)
    findings.push_back({main_file, "samples: name other tiles than there are"});
  return findings;
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
         file == kSignatureName || is_in_folder(file, kTilesFolder);
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
  if (!again.problem.empty()) findings.push_back({main_file, again.problem});
  std::ranges::move(check_ab_tiles(bundle, main_file, again.parts, files), std::back_inserter(findings));
  const bool summary_differs =
      has("summary.md") && read_file(bundle / "summary.md", kMaxSummaryBytes) != again.summary;
  if ((again.text != text || summary_differs) && !again.other_texts.empty()) {
    if (!result.other_version) result.other_version = Finding{main_file, again.other_texts};
  } else if (again.text != text) {
    const std::string where = first_difference(json, parse_strict_json(again.text, main_file));
    findings.push_back({main_file, where.empty() ? "is not in the form that aqbench writes"
                                                 : where + " does not follow from the samples"});
  }
  if (summary_differs && again.other_texts.empty())
    findings.push_back({"summary.md", fmt::format("is not what {} renders to", main_file)});
  if (has("env.json") &&
      read_file(bundle / "env.json", kMaxSummaryBytes) != ab_environment_text(*again.environment))
    findings.push_back({"env.json", fmt::format("is not the environment in {}", main_file)});
  if (has(kPairJournalFile) != again.has_journal)
    findings.push_back({kPairJournalFile, again.has_journal ? "is missing" : "does not belong here"});
  try {
    if (has(kPairJournalFile) && again.has_journal)
      check_pair_journal(read_pair_journal(bundle), again, findings);
  } catch (const Error& error) {
    findings.push_back({kPairJournalFile, without_file(error.what(), bundle, kPairJournalFile)});
  }
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
      check_document(bundle, main_file, text, json, ab_document_from_json(json, main_file), files, result);
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
