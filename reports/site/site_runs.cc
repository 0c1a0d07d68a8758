#include "reports/site/site_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/parallel.h"
#include "core/text.h"
#include "reports/site/site_gate.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStart = "{\"key\":\"";  // of a line

// What the site knew before: key -> line. Its file, where it is damaged, is a problem and made anew.
std::map<std::string, std::string> known_lines(const fs::path& site, std::vector<std::string>& problems) {
  std::map<std::string, std::string> known;
  std::error_code error;
  if (!fs::exists(site / kSiteRunsFile, error)) return known;
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
          if (!is_of_other_tool(bundles[i])) read.gate = own_gate_of(read, slots[i].gate_problem);
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

bool is_site(const fs::path& folder) {
  std::ifstream file(folder / kSiteRunsFile, std::ios::binary);
  std::string begin(kStart.size(), '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return file.gcount() == 0 ? file.eof() : begin == kStart;
}

SiteReading read_site_runs(const std::vector<fs::path>& bundles, const std::vector<UnlistedFolder>& unlisted,
                           const fs::path& site) {
  SiteReading all;
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
