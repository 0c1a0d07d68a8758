#include "reports/site/site_baselines.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "core/error.h"
#include "core/files.h"
#include "core/processes/process.h"
#include "core/sha256.h"
#include "core/text.h"
#include "harness/gating/gate.h"
#include "reports/content/bundle_content.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxBaselineFolders = 3;

// Whether the file begins as `aqbench accept` writes it.
bool begins_as_baseline(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string head(1024, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return head.starts_with('{') && head.find("\"accepted_from\"") != head.npos;
}

void find_baselines_below(const fs::path& folder, int depth, std::vector<fs::path>& found) {
  std::error_code error;
  if (fs::exists(folder / "results.json", error)) return;  // a bundle's own file is a copy of one
  for (fs::directory_iterator entries(folder, error), end; !error && entries != end;
       entries.increment(error)) {
    const fs::file_status status = entries->symlink_status(error);
    if (fs::is_directory(status) && depth < kMaxBaselineFolders)
      find_baselines_below(entries->path(), depth + 1, found);
    else if (fs::is_regular_file(status) && entries->path().extension() == ".json" &&
             begins_as_baseline(entries->path()))
      found.push_back(entries->path());
  }
}

// Asks git about the file; "" where it does not answer, with the reason in `note`. Only commands that read
// objects and the file alone: `status` would run filters.
std::string ask_about(const fs::path& file, std::vector<std::string> arguments, std::string& note) {
  arguments.insert(arguments.end(), {"--", file.filename().string()});
  const ProgramAnswer answer = ask_git(file.has_parent_path() ? file.parent_path() : ".", arguments);
  if (!answer.ok) note = "not in a git repository that can be read: " + answer.problem;
  return answer.ok ? answer.output.substr(0, answer.output.find('\n')) : "";
}

SiteBaseline site_baseline(const fs::path& path) {
  const Baseline baseline = read_baseline(path);
  SiteBaseline found;
  found.path = path.string();
  found.suite = baseline.suite;
  found.bundle = baseline.accepted_bundle;
  found.program_commit = baseline.accepted_commit;
  found.accepted_by = baseline.accepted_by;
  found.accepted_utc = baseline.accepted_utc;
  found.cases = baseline.cases.size();
  for (const BaselineCase& one : baseline.cases) found.values += one.metrics.size();
  const std::string last = ask_about(path, {"log", "-1", "--format=%H%x09%cI%x09%an"}, found.note);
  if (last.empty()) {
    if (found.note.empty()) found.note = "not committed yet";
    return found;
  }
  const std::vector<std::string_view> parts = split_at(last, '\t');
  if (parts.size() < 3) return found;
  found.commit = parts[0];
  found.at = parts[1];
  found.by = last.substr(parts[0].size() + parts[1].size() + 2);
  // "100644 blob <hash>\tNAME" of the file as it is committed.
  const std::string entry = ask_about(path, {"ls-tree", "HEAD"}, found.note);
  const std::vector<std::string_view> words =
      split_at(std::string_view(entry).substr(0, entry.find('\t')), ' ');
  const std::string now = ask_about(path, {"hash-object", "--no-filters"}, found.note);
  if (words.size() == 3 && !now.empty() && words[2] != now) found.note = "changed since, not committed";
  return found;
}

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

SiteBaselines read_site_baselines(const std::vector<fs::path>& folders, const std::vector<fs::path>& files) {
  std::vector<fs::path> paths;
  for (const fs::path& folder : folders) find_baselines_below(folder, 0, paths);
  SiteBaselines all;
  std::set<fs::path> seen;  // by several ways to one file it is one
  const auto is_new = [&](const fs::path& file) { return seen.insert(fs::weakly_canonical(file)).second; };
  for (const fs::path& file : files)
    if (is_new(file)) all.found.push_back(site_baseline(file));
  std::ranges::sort(paths);
  for (const fs::path& path : paths) try {
      if (is_new(path)) all.found.push_back(site_baseline(path));
    } catch (const Error& error) {
      all.problems.emplace_back(error.what());
    }
  std::ranges::stable_sort(all.found, {}, &SiteBaseline::path);
  return all;
}

SiteFile baselines_page(const std::vector<SiteBaseline>& baselines, const std::vector<SiteRun>& runs,
                        const SiteReports& reports) {
  Table table = table_with({"suite", "file", "accepted run", "program", "values", "by", "when", "commit"});
  table.label = "baselines";
  for (const SiteBaseline& one : baselines) {
    const auto run = std::ranges::find_if(runs, [&](const SiteRun& known) {
      return known.id == one.bundle && known.suite == one.suite && reports.contains(known.key);
    });
    const std::string text = xml_escape(one.bundle);
    const std::string bundle =
        run == runs.end() ? text : fmt::format("<a href=\"../{}\">{}</a>", reports.at(run->key), text);
    const auto known = [](const std::string& value) {
      return value.empty() ? "not known" : xml_escape(value);
    };
    // What the file says first; beside it what git says.
    const auto first = [&](const std::string& of_file, const std::string& of_git) {
      if (of_file.empty()) return known(of_git);
      return xml_escape(of_file) +
             (of_git.empty() ? "" : "<div class=\"dim\">committed: " + xml_escape(of_git) + "</div>");
    };
    table.rows.push_back(
        {{shown_suite(one.suite)},
         {one.path},
         html_cell(bundle),
         html_cell(known(one.program_commit.substr(0, 12))),
         {fmt::format("{} of {}", one.values, counted(one.cases, "case"))},
         html_cell(first(one.accepted_by, one.by)),
         html_cell(first(one.accepted_utc, one.at)),
         html_cell(known(one.commit.substr(0, 12)) +
                   (one.note.empty() ? "" : "<div class=\"dim\">" + xml_escape(one.note) + "</div>"))});
  }
  const Paragraph none{
      baselines.empty() ? "No baseline stands in the folders: aqbench site --baseline FILE names one." : ""};
  return {"baseline/accepted.html",
          site_page(
              "accepted values", 1,
              html_of(Section{"baselines",
                              "Baselines",
                              "The run whose values were accepted, the commit of the program that measured "
                              "it, who accepted it and when stand in the file (`aqbench accept` writes it). "
                              "The commit, and what is said of it, is the last change of the file in its git "
                              "repository; where the file names no person, by and when are of that commit, "
                              "too.",
                              {none, std::move(table)}}),
              "")};
}

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
