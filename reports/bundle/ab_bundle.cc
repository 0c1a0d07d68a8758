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
#include "harness/ab/pair_journal.h"
#include "harness/ab/report_json.h"
#include "harness/ab/tiles.h"
#include "harness/records/case_result.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/run_check.h"
#include "reports/bundle/signature.h"
#include "reports/content/json_difference.h"
#include "reports/text/ab_summary.h"

namespace aqbench {
namespace {

constexpr std::uintmax_t kMaxSummaryBytes = std::uintmax_t{64} << 20;

// Returns what the measuring loop would not have measured so; "" if there is none.
std::string protocol_problem_of(const AbDocument& document) {
  if (document.run.pairs_per_look == 0) return {};  // --samples
  const AbProtocol protocol = follow_ab(document.samples, run_options_of(document));
  if (!protocol.problem.empty()) return "samples." + protocol.problem;
  if (protocol.finished == document.run.complete) return {};
  return document.run.complete ? "samples: pairs are missing at the end, though run.complete is true"
                               : "run.complete is false, though nothing is missing";
}

std::string ab_environment_text(const Json& environment) {
  return environment.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

const std::vector<std::string>& required_ab_files() {
  static const std::vector<std::string> required = {kAbFile, "commands.txt", "env.json", kHashListName,
                                                    "summary.md"};
  return required;
}

bool is_comparison(const std::vector<std::string>& files) {
  const auto has = [&](std::string_view name) { return std::ranges::find(files, name) != files.end(); };
  return has(kAbFile) && !has("results.json") && !has("journal.jsonl");
}

void finalise_ab_bundle(const std::filesystem::path& bundle, const AbBundleText& text,
                        const SigningKey* key) {
  write_file(bundle / kAbFile, text.main_text);
  write_file(bundle / "summary.md", text.summary);
  write_file(bundle / "env.json", ab_environment_text(*text.environment));
  write_hash_list(bundle, required_ab_files(), key);
}

namespace {

void check_pair_journal(const PairJournalContents& journal, const AbDocument& document,
                        std::vector<Finding>& findings) {
  const PairJournalHeader& header = journal.header;
  const auto check = [&](const char* what, bool same) {
    if (!same) findings.push_back({kPairJournalFile, fmt::format("has another {} than {}", what, kAbFile)});
  };
  AbSamples samples = journal.samples;
  samples.order_seed = document.samples.order_seed;
  samples.cases = header.cases;
  check("list of cases or pairs", to_json(samples) == to_json(document.samples));
  check("start", header.started_utc == document.run.started_utc);
  check("program A", header.program_a == subject_of(document.a));
  check("program B", header.program_b == subject_of(document.b));
  check("plan", *header.plan == journal_plan_of(document));
  check("environment",
        environment_without_load(*header.environment) == environment_without_load(*document.environment));
  check("number of resumptions", static_cast<int>(journal.resumed_utc.size()) == document.run.resumed);
}

// Returns the findings about files of tiles of which no unit has the hash, and those that a unit has and the
// bundle lacks.
std::vector<Finding> check_ab_tiles(const std::filesystem::path& bundle, const AbSamples& samples,
                                    const std::vector<std::string>& files) {
  std::set<std::string> kept, found;
  for (const AbUnit& unit : samples.units)
    if (!unit.tiles_sha256.empty()) kept.insert(unit.tiles_sha256);
  std::vector<Finding> findings;
  for (const std::string& file : files)
    if (is_in_folder(file, kTilesFolder) &&
        !kept.contains(*found.insert(sha256_file_hex(bundle / file)).first))
      findings.push_back({file, "is not what a unit kept"});
  if (found != kept) findings.push_back({kAbFile, "samples: name other tiles than there are"});
  return findings;
}

// The message of an error about `file`, which the finding names.
std::string without_file(std::string_view what, const std::filesystem::path& bundle, const char* file) {
  for (const std::string& lead : {(bundle / file).string(), std::string(file)})
    if (what.starts_with(lead)) what.remove_prefix(lead.size());
  while (what.starts_with(':') || what.starts_with(' ')) what.remove_prefix(1);
  return std::string(what);
}

bool is_file_of_comparison(const std::string& file) {
  const std::vector<std::string>& required = required_ab_files();
  return std::ranges::find(required, file) != required.end() || file == kPairJournalFile ||
         file == kSignatureName || is_in_folder(file, kTilesFolder);
}

// Compares ab.json and summary.md with what the samples give.
void check_texts(const std::filesystem::path& bundle, const std::string& text, const Json& json,
                 const AbDocument& document, bool has_summary, AbVerification& result) {
  const AbReport report = judge_ab(document);
  const std::string again = ab_text(document, report);
  const bool summary_differs = has_summary && read_file(bundle / "summary.md", kMaxSummaryBytes) !=
                                                  render_ab_summary(document, report);
  if (again == text && !summary_differs) return;
  if (document.schema_version < kAbSchemaVersion) {  // texts of an older version need not be forged
    if (!result.other_version)
      result.other_version = Finding{kAbFile, fmt::format("is of version {}, this program writes version {}",
                                                          document.schema_version, kAbSchemaVersion)};
    return;
  }
  if (again != text) {
    const std::string where = first_difference(json, parse_strict_json(again, kAbFile));
    result.findings.push_back({kAbFile, where.empty() ? "is not in the form that aqbench writes"
                                                      : where + " does not follow from the samples"});
  }
  if (summary_differs)
    result.findings.push_back({"summary.md", fmt::format("is not what {} renders to", kAbFile)});
}

void check_document(const std::filesystem::path& bundle, const std::string& text, const Json& json,
                    const AbDocument& document, const std::vector<std::string>& files,
                    AbVerification& result) {
  std::vector<Finding>& findings = result.findings;
  const auto has = [&](std::string_view name) { return std::ranges::find(files, name) != files.end(); };
  const bool old_version = document.schema_version < kAbSchemaVersionWithPairs;
  const bool has_journal = document.run.samples_file.empty() && !old_version;
  result.complete = document.run.complete;
  result.units = document.samples.units.size();
  if (old_version)
    result.other_version = Finding{kAbFile, "is of a version that has no pairs.jsonl beside it"};
  if (const std::string problem = protocol_problem_of(document); !problem.empty())
    findings.push_back({kAbFile, problem});
  std::ranges::move(check_ab_tiles(bundle, document.samples, files), std::back_inserter(findings));
  check_texts(bundle, text, json, document, has("summary.md"), result);
  if (has("env.json") &&
      read_file(bundle / "env.json", kMaxSummaryBytes) != ab_environment_text(*document.environment))
    findings.push_back({"env.json", fmt::format("is not the environment in {}", kAbFile)});
  if (has(kPairJournalFile) != has_journal)
    findings.push_back({kPairJournalFile, has_journal ? "is missing" : "does not belong here"});
  try {
    if (has(kPairJournalFile) && has_journal)
      check_pair_journal(read_pair_journal(bundle), document, findings);
  } catch (const Error& error) {
    findings.push_back({kPairJournalFile, without_file(error.what(), bundle, kPairJournalFile)});
  }
}

}  // namespace

AbVerification verify_ab_files(const std::filesystem::path& bundle, const std::vector<std::string>& files) {
  AbVerification result;
  for (const std::string& file : files)
    if (!is_file_of_comparison(file)) result.findings.push_back({file, "is not a file of a comparison"});
  try {
    const std::string text = read_file(bundle / kAbFile, JsonLimits{}.max_bytes);
    const Json json = parse_strict_json(text, kAbFile);
    check_document(bundle, text, json, ab_document_from_json(json, kAbFile), files, result);
  } catch (const Error& error) {
    const Finding finding{kAbFile, without_file(error.what(), bundle, kAbFile)};
    if (error.kind() == ErrorKind::not_comparable)
      result.other_version = finding;
    else
      result.findings.push_back(finding);
  }
  return result;
}

}  // namespace aqbench
