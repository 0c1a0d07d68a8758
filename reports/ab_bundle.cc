#include "reports/ab_bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reports/ab_report.h"
#include "reports/bundle.h"
#include "reports/bundle_files.h"
#include "reports/calibration_report.h"
#include "reports/strict_json.h"
#include "scenes/core/error.h"
#include "scenes/core/files.h"

namespace aqbench {
namespace {

constexpr std::uintmax_t kMaxSummaryBytes = std::uintmax_t{64} << 20;

// What a file with these raw samples has to look like.
struct Recomputed {
  std::string text, summary, environment_json;
};

Recomputed recompute(const char* main_file, const Json& json, const std::string& source) {
  if (std::string_view(main_file) == kAbFile) {
    const AbDocument document = ab_document_from_json(json, source);
    const AbReport report = judge_ab(document);
    return {ab_text(document, report), render_ab_summary(document, report), document.environment_json};
  }
  const CalibrationDocument document = calibration_from_json(json, source);
  const CalibrationReport report = judge_calibration(document);
  return {calibration_text(document, report), render_calibration_summary(document, report),
          document.environment_json};
}

std::string ab_environment_text(const std::string& environment_json) {
  return parse_strict_json(environment_json, "environment")
             .dump(2, ' ', false, Json::error_handler_t::replace) +
         '\n';
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
  static const std::vector<std::string> calibration = {kCalibrationFile, "commands.txt", "env.json",
                                                       kHashListName, "summary.md"};
  return std::string_view(main_file) == kAbFile ? comparison : calibration;
}

const char* ab_main_file(const std::vector<std::string>& files) {
  const auto has = [&](std::string_view name) { return std::ranges::find(files, name) != files.end(); };
  if (has("results.json") || has("journal.jsonl")) return nullptr;
  if (has(kAbFile)) return kAbFile;
  return has(kCalibrationFile) ? kCalibrationFile : nullptr;
}

void finalise_ab_bundle(const std::filesystem::path& bundle, const char* main_file,
                        const std::string& main_text, const std::string& summary,
                        const std::string& environment_json) {
  write_file(bundle / main_file, main_text);
  write_file(bundle / "summary.md", summary);
  write_file(bundle / "env.json", ab_environment_text(environment_json));
  write_hash_list(bundle, required_ab_files(main_file));
}

std::vector<Finding> verify_ab_files(const std::filesystem::path& bundle, const char* main_file,
                                     const std::vector<std::string>& files) {
  std::vector<Finding> findings;
  const auto has = [&](std::string_view name) { return std::ranges::find(files, name) != files.end(); };
  try {
    const std::string text = read_file(bundle / main_file, JsonLimits{}.max_bytes);
    const Json json = parse_strict_json(text, main_file);
    const Recomputed again = recompute(main_file, json, main_file);
    if (again.text != text) {
      const std::string where = first_difference(json, Json::parse(again.text), "");
      findings.push_back({main_file, where.empty() ? "is not in the form that aqbench writes"
                                                   : where + " does not follow from the samples"});
    }
    if (has("summary.md") && read_file(bundle / "summary.md", kMaxSummaryBytes) != again.summary)
      findings.push_back({"summary.md", fmt::format("is not what {} renders to", main_file)});
    if (has("env.json") &&
        read_file(bundle / "env.json", kMaxSummaryBytes) != ab_environment_text(again.environment_json))
      findings.push_back({"env.json", fmt::format("is not the environment in {}", main_file)});
  } catch (const Error& error) {
    std::string_view what = error.what();
    if (what.starts_with(main_file)) what.remove_prefix(std::string_view(main_file).size());
    while (what.starts_with(':') || what.starts_with(' ')) what.remove_prefix(1);
    findings.push_back({main_file, std::string(what)});
  }
  return findings;
}

}  // namespace aqbench
