#include "reports/site/site_gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "core/files.h"
#include "core/sha256.h"
#include "core/text.h"
#include "harness/gating/gate.h"
#include "harness/records/results.h"
#include "reports/content/bundle_content.h"
#include "reports/content/bundle_files.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

// The one baseline of the suite; "" for none, for several, and where the run itself is the accepted one.
fs::path baseline_of(const SiteRun& run, const std::vector<SiteBaseline>& baselines) {
  const auto of_suite = [&](const SiteBaseline& one) { return one.suite == run.suite; };
  if (std::ranges::count_if(baselines, of_suite) != 1) return "";
  const SiteBaseline& only = *std::ranges::find_if(baselines, of_suite);
  return only.bundle == run.id ? "" : only.path;
}

// Returns the path of a file of the bundle. Throws Error(verification) where it is not the one in the list.
fs::path listed_file(const SiteRun& run, const HashList& list, const char* name) {
  const fs::path path = fs::path(run.folder) / name;
  const auto line = std::ranges::find(list.lines, name, &HashLine::path);
  if (line == list.lines.end() || line->sha256 != sha256_file_hex(path))
    throw Error(ErrorKind::verification, path.string() + ": does not have the hash in sha256.txt");
  return path;
}

SiteGate verdict_of(const Verdicts& report) {
  if (!report.refusal.empty()) return {"gate: refused", false};
  if (report.exit_code() == ExitCode::pass) return {"gate: pass", true};
  const auto failed = std::ranges::count_if(report.rows, is_refused, &VerdictRow::verdict);
  return {fmt::format("gate: FAIL, {}", counted(static_cast<std::size_t>(failed), "value")), false};
}

SiteGate gate_on(const SiteRun& run, const HashList& list, const fs::path& baseline) {
  return verdict_of(gate(read_results(listed_file(run, list, "results.json")), read_baseline(baseline)));
}

// Returns the verdict of `gate` on the run, from the list of its files.
template <class Gate>
std::optional<SiteGate> known_gate(const SiteRun& run, std::string& problem, const Gate& gate) {
  try {
    return gate(parse_hash_list(read_text_file(fs::path(run.folder) / kHashListName)));
  } catch (const Error& error) {
    problem = fmt::format("{}: not gated: {}", run.folder, error.what());
    return SiteGate{kGateNotKnown, false};
  }
}

}  // namespace

std::optional<SiteGate> own_gate_of(const SiteRun& run, std::string& problem) {
  return known_gate(run, problem, [&](const HashList& list) -> std::optional<SiteGate> {
    if (std::ranges::find(list.lines, kBaselineCopyName, &HashLine::path) == list.lines.end())
      return std::nullopt;
    return gate_on(run, list, listed_file(run, list, kBaselineCopyName));
  });
}

std::optional<SiteGate> gate_of(const SiteRun& run, const std::vector<SiteBaseline>& baselines,
                                std::string& problem) {
  const fs::path file = baseline_of(run, baselines);
  if (file.empty()) return std::nullopt;
  return known_gate(run, problem,
                    [&](const HashList& list) { return std::optional(gate_on(run, list, file)); });
}

}  // namespace aqbench
