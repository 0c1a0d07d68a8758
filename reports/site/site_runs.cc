#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/parallel.h"
#include "core/text.h"
#include "reports/bundle/verify.h"
#include "reports/site/site_baselines.h"

namespace aqbench {
namespace {

// What a line of this version has, and the names of the metrics, in the order of its values.
std::string metrics_of_lines() {
  std::string names = "5:";
  for (const SiteMetric& metric : site_metrics()) {
    names += ' ';
    names += metric.name;
  }
  return names;
}

// The texts of a line, by their names there, in order.
template <class Run>
auto texts_of(Run& run) {
  return std::vector<std::pair<const char*, decltype(&run.folder)>>{{"folder", &run.folder},
                                                                    {"id", &run.id},
                                                                    {"suite", &run.suite},
                                                                    {"at", &run.started_utc},
                                                                    {"commit", &run.commit},
                                                                    {"machine", &run.machine},
                                                                    {"folder_commit", &run.folder_commit},
                                                                    {"comparable", &run.comparable}};
}

// Throws what nlohmann's library throws for a value of another type, and std::out_of_range.
SiteCase case_of(const Json& row) {
  const auto text = [&](std::size_t place) { return row.at(place).get<std::string>(); };
  SiteCase one{text(0), text(1), text(2), text(3), {}, text(4)};
  for (const Json& value : row.at(5).get_ref<const Json::array_t&>())
    one.values.push_back(value.is_null() ? std::nullopt : std::optional(value.get<double>()));
  one.loaded = row.at(6).get<bool>();
  if (one.values.size() != site_metrics().size() || row.size() != 7) throw std::out_of_range("values");
  return one;
}

SiteRun run_of(const Json& line) {
  SiteRun run;
  run.key = line.at("key").get<std::string>();
  for (const auto& [name, text] : texts_of(run)) *text = line.value(name, std::string());
  const auto count = [&](const char* name) {
    const double value = line.value(name, 0.0);
    if (!(value >= 0 && value <= kMaxSiteCases)) throw std::out_of_range(name);
    return static_cast<std::size_t>(value);
  };
  run.planned = count("planned");
  run.injected = count("injected");
  if (const std::string gate = line.value("gate", std::string()); !gate.empty())
    run.gate = SiteGate{gate, count("gate_passes") > 0};
  std::unordered_set<std::string> names;
  for (const Json& row : line.at("cases").get_ref<const Json::array_t&>()) {
    run.cases.push_back(case_of(row));
    if (!names.insert(run.cases.back().name).second) throw std::out_of_range("a case twice");
  }
  // Not of a version that showed other metrics.
  if (run.key.empty() || line.at("metrics") != metrics_of_lines()) throw std::out_of_range("metrics");
  return run;
}

namespace fs = std::filesystem;

constexpr std::string_view kStart = "{\"key\":\"";  // of a line

// What the site knew before: key -> line. Its file, where it is damaged, is a problem and made anew.
std::map<std::string, std::string> known_lines(const fs::path& site, std::vector<std::string>& problems) {
  std::map<std::string, std::string> known;
  if (!path_exists(site / kSiteRunsFile)) return known;
  std::string text;
  try {
    text = read_text_file(site / kSiteRunsFile);
  } catch (const Error& damaged) {
    if (damaged.kind() != ErrorKind::input) throw;
    problems.push_back(fmt::format("{} (all bundles are read again)", damaged.what()));
  }
  for (const std::string_view line : split_at(text, '\n'))
    if (line.starts_with(kStart) && line.size() > kStart.size() + 64)
      known.emplace(line.substr(kStart.size(), 64), line);
  return known;
}

// What is said of a bundle that cannot be read and that the site knew.
constexpr const char* kKeptNote = " (what the site knew of it stays)";

// Returns the run of a line that the site has; nullopt where it cannot be read: its bundle is read once more.
std::optional<SiteRun> known_run(const std::string& line) {
  try {
    return site_run_of(line, kSiteRunsFile);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Returns the one way to write a path: absolute, without links, without a slash at its end.
fs::path plain_path(const fs::path& path) {
  std::error_code error;
  fs::path plain = fs::weakly_canonical(fs::absolute(path), error);
  if (error) plain = fs::absolute(path).lexically_normal();
  return plain.has_filename() ? plain : plain.parent_path();
}

// What is known of one bundle now.
struct RunSlot {
  std::optional<SiteRun> run = {};
  std::string line = {}, problem = {}, gate_problem = {};
  bool was_read = false;
  bool is_kept = false;  // its bundle cannot be read now
};

// Throws Error(verification) for a bundle that does not verify: nothing that it says is shown. What only
// another version can check is shown, and passes no gate.
void judge(SiteRun& run, std::string& problem) {
  const VerifyReport report = verify_bundle(run.folder);
  if (!report.findings.empty()) require_verified(report, run.folder);
  run.gate = report.ok() ? own_gate_of(run, problem) : SiteGate{"not verified by this version", false};
}

std::vector<RunSlot> read_slots(const std::vector<fs::path>& bundles,
                                const std::map<std::string, std::string>& known, const fs::path& site) {
  std::vector<RunSlot> slots(bundles.size());
  const fs::path plain_site = plain_path(site);
  parallel_for(bundles.size(), 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) try {
        if (!is_of_other_tool(bundles[i]))
          regular_file_size(bundles[i] / "results.json");  // names one that is gone, which is not read again
        const auto found = known.find(site_key(bundles[i]));
        if (found != known.end()) {
          slots[i].line = found->second;
          slots[i].run = known_run(found->second);
          const bool unknown =
              slots[i].run && slots[i].run->gate && slots[i].run->gate->text == kGateNotKnown;
          if (unknown) slots[i].run.reset();  // it is tried again, and named again
        }
        slots[i].was_read = !slots[i].run;
        if (slots[i].was_read) {
          SiteRun read = read_site_run(bundles[i]);
          if (!is_of_other_tool(bundles[i])) judge(read, slots[i].gate_problem);
          slots[i].line = site_line(read);
          slots[i].run = site_run_of(slots[i].line, kSiteRunsFile);
        }
        // From the site's own folder, so that neither the working directory nor a move of both matters.
        const std::string folder = plain_path(bundles[i]).lexically_relative(plain_site).generic_string();
        if (slots[i].run->folder != folder) {  // new, or it has moved: it is found by its folder
          slots[i].run->folder = folder;
          slots[i].line = site_line(*slots[i].run);
        }
        slots[i].run->folder = bundles[i].string();
      } catch (const Error& error) {
        slots[i].problem = error.what();
      }
  });
  return slots;
}

// Puts in what the site knew of bundles that cannot be read now: those with a problem, and all below folders
// that cannot be listed. Only a bundle that is gone takes its values with it.
void keep_known(const std::map<std::string, std::string>& known, const std::vector<fs::path>& bundles,
                const std::vector<UnlistedFolder>& unlisted, const fs::path& site,
                std::vector<RunSlot>& slots, std::vector<std::string>& problems) {
  std::map<fs::path, RunSlot> by_folder;
  for (const auto& [key, line] : known)
    if (std::optional<SiteRun> run = known_run(line)) {
      const fs::path folder = plain_path(site / run->folder);
      by_folder.insert_or_assign(folder, RunSlot{.run = std::move(run), .line = line});
    }
  const auto take = [&](RunSlot& slot, RunSlot& before) {
    slot.run = std::move(before.run);
    slot.line = std::move(before.line);
    slot.was_read = false;
    slot.is_kept = true;
  };
  for (std::size_t i = 0; i < bundles.size(); ++i) {
    const auto before = slots[i].run ? by_folder.end() : by_folder.find(plain_path(bundles[i]));
    if (before != by_folder.end() && before->second.run) {
      take(slots[i], before->second);
      slots[i].problem += kKeptNote;
    }
  }
  for (const UnlistedFolder& one : unlisted) {
    bool any = false;
    const fs::path folder = plain_path(one.folder);
    for (auto& [path, before] : by_folder)
      if (before.run && std::ranges::mismatch(folder, path).in1 == folder.end()) {
        take(slots.emplace_back(), before);
        any = true;
      }
    problems.push_back(one.problem + (any ? kKeptNote : ""));
  }
}

}  // namespace

std::string site_line(const SiteRun& run) {
  Json cases = Json::array();
  for (const SiteCase& one : run.cases) {
    Json values = Json::array();
    for (const auto& value : one.values) values.push_back(value ? Json(*value) : Json(nullptr));
    cases.push_back(
        {one.name, one.scene, one.method, one.status, one.options, std::move(values), one.loaded});
  }
  Json line = {{"key", run.key}, {"metrics", metrics_of_lines()}};
  for (const auto& [name, text] : texts_of(run)) line[name] = *text;
  line["planned"] = run.planned;
  line["injected"] = run.injected;
  line["gate"] = run.gate ? run.gate->text : "";
  line["gate_passes"] = run.gate && run.gate->passes ? 1 : 0;
  line["cases"] = std::move(cases);
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

SiteRun site_run_of(std::string_view line, const std::string& source) {
  const Json json = parse_strict_json(line, source, kMessageJson);
  try {
    return run_of(json);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    throw Error(ErrorKind::input, source + ": is not a list of the runs of a site", source);
  }
}

bool is_site(const fs::path& folder) {
  std::ifstream file(folder / kSiteRunsFile, std::ios::binary);
  std::string begin(kStart.size(), '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return file.gcount() == 0 ? file.eof() : begin == kStart;
}

SiteReading read_site_runs(const std::vector<fs::path>& bundles, const std::vector<UnlistedFolder>& unlisted,
                           const fs::path& site) {
  SiteReading all;
  find_imported_metrics(bundles);
  const std::map<std::string, std::string> known = known_lines(site, all.problems);
  std::vector<RunSlot> slots = read_slots(bundles, known, site);
  if (!unlisted.empty() || std::ranges::any_of(slots, [](const RunSlot& slot) { return !slot.run; }))
    keep_known(known, bundles, unlisted, site, slots, all.problems);
  std::set<std::string> keys, of_readable;
  for (const RunSlot& slot : slots)
    if (slot.run && !slot.is_kept) of_readable.insert(slot.run->key);
  for (RunSlot& slot : slots) {
    for (const std::string& problem : {slot.problem, slot.gate_problem})
      if (!problem.empty()) all.problems.push_back(problem);
    if (!slot.run || (slot.is_kept && of_readable.contains(slot.run->key))) continue;
    if (!keys.insert(slot.run->key).second) continue;  // the same bundle twice
    if (slot.is_kept) all.kept.insert(slot.run->key);
    all.read += slot.was_read ? 1 : 0;
    all.lines.push_back(std::move(slot.line));
    all.runs.push_back(std::move(*slot.run));
  }
  return all;
}

}  // namespace aqbench
