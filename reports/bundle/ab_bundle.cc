#include "reports/bundle/ab_bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "harness/ab/aa_validation_json.h"
#include "harness/ab/pair_journal.h"
#include "harness/ab/report_json.h"
#include "reports/bundle/bundle.h"
#include "reports/text/aa_validation_summary.h"
#include "reports/text/ab_summary.h"

namespace aqbench {
namespace {

constexpr std::uintmax_t kMaxSummaryBytes = std::uintmax_t{64} << 20;

// Holds the files that follow from raw samples, and what is wrong with how these were measured.
struct Recomputed {
  std::string text, summary;
  JsonBox environment;
  std::string protocol_problem;
  std::vector<const AbSamples*> parts;  // in the order of pairs.jsonl
  bool complete = false;
};

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
  return {ab_text(document, report), render_ab_summary(document, report),
          document.environment,      protocol_problem_of(document),
          {&document.samples},       document.run.complete};
}

Recomputed recompute(const AaValidationDocument& document) {
  const AaValidationReport report = judge_aa_validation(document);
  Recomputed again{aa_validation_text(document, report),
                   render_aa_validation_summary(document, report),
                   document.environment,
                   aa_validation_problem(document),
                   {},
                   document.run.complete};
  for (const AaValidationSeries& series : document.series) again.parts.push_back(&series.samples);
  for (const AbSamples& run : document.live) again.parts.push_back(&run);
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
  // The pairs are removed last: if writing the hashes fails, --resume still finds them.
  write_hash_list(bundle, required_ab_files(text.main_file), key, text.complete ? kPairJournalFile : "");
  if (text.complete) {
    std::error_code ignored;  // what cannot be removed is found by verify
    std::filesystem::remove(bundle / kPairJournalFile, ignored);
  }
}

namespace {

void check_pair_journal(const std::filesystem::path& bundle, const Recomputed& again,
                        std::vector<Finding>& findings) {
  if (again.complete) {
    findings.push_back({kPairJournalFile, "is left over: the comparison is complete"});
    return;
  }
  const auto text = [](const AbSamples& samples) {
    Json json = to_json(samples);
    return Json{{"units", json.at("units")}, {"outputs", json.at("outputs")}}.dump(
        -1, ' ', false, Json::error_handler_t::replace);
  };
  const PairJournalContents journal = read_pair_journal(bundle);
  bool same = journal.parts.size() <= again.parts.size();
  for (std::size_t i = 0; same && i < again.parts.size(); ++i)
    same = text(i < journal.parts.size() ? journal.parts[i] : AbSamples{}) == text(*again.parts[i]);
  if (!same) findings.push_back({kPairJournalFile, "does not hold the pairs of the samples"});
}

// The message of an error about `file`, which the finding names.
std::string without_file(std::string_view what, const std::filesystem::path& bundle, const char* file) {
  for (const std::string& lead : {(bundle / file).string(), std::string(file)})
    if (what.starts_with(lead)) what.remove_prefix(lead.size());
  while (what.starts_with(':') || what.starts_with(' ')) what.remove_prefix(1);
  return std::string(what);
}

template <class Document>
void check_document(const std::filesystem::path& bundle, const char* main_file, const std::string& text,
                    const Json& json, const Document& document, const std::vector<std::string>& files,
                    AbVerification& result) {
  std::vector<Finding>& findings = result.findings;
  const auto has = [&](std::string_view name) { return std::ranges::find(files, name) != files.end(); };
  const Recomputed again = recompute(document);
  result.complete = again.complete;
  for (const AbSamples* part : again.parts) result.units += part->units.size();
  if (!again.protocol_problem.empty()) findings.push_back({main_file, again.protocol_problem});
  if (again.text != text) {
    const std::string where = first_difference(json, Json::parse(again.text), "");
    findings.push_back({main_file, where.empty() ? "is not in the form that aqbench writes"
                                                 : where + " does not follow from the samples"});
  }
  if (has("summary.md") && read_file(bundle / "summary.md", kMaxSummaryBytes) != again.summary)
    findings.push_back({"summary.md", fmt::format("is not what {} renders to", main_file)});
  if (has("env.json") &&
      read_file(bundle / "env.json", kMaxSummaryBytes) != ab_environment_text(*again.environment))
    findings.push_back({"env.json", fmt::format("is not the environment in {}", main_file)});
  if (!has(kPairJournalFile)) return;
  try {
    check_pair_journal(bundle, again, findings);
  } catch (const Error& error) {
    findings.push_back({kPairJournalFile, without_file(error.what(), bundle, kPairJournalFile)});
  }
}

}  // namespace

AbVerification verify_ab_files(const std::filesystem::path& bundle, const char* main_file,
                               const std::vector<std::string>& files) {
  AbVerification result;
  const bool comparison = std::string_view(main_file) == kAbFile;
  try {
    const std::string text = read_file(bundle / main_file, JsonLimits{}.max_bytes);
    const Json json = parse_strict_json(text, main_file);
    if (comparison)
      check_document(bundle, main_file, text, json, ab_document_from_json(json, main_file), files, result);
    else
      check_document(bundle, main_file, text, json, aa_validation_from_json(json, main_file), files, result);
  } catch (const Error& error) {
    result.findings.push_back({main_file, without_file(error.what(), bundle, main_file)});
  }
  return result;
}

}  // namespace aqbench
