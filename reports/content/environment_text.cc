#include "reports/content/environment_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json.h"
#include "core/text.h"
#include "harness/planning/plan_flags.h"
#include "harness/records/numbers.h"
#include "harness/statistics/summary.h"
#include "reports/content/case_groups.h"
#include "reports/content/commands.h"

namespace aqbench {
namespace {

void append_items(const Json& value, const std::string& path,
                  std::vector<std::pair<std::string, std::string>>& items) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.items())
      append_items(member, path.empty() ? key : fmt::format("{}.{}", path, key), items);
  } else if (value.is_string()) {
    items.emplace_back(path, value.get<std::string>());
  } else {  // arrays in one line, as they are
    items.emplace_back(path, compact_json(value));
  }
}

// The words of a plan as `aqbench profile` takes them: methods and workloads are its arguments, and with axes
// the name of the case.
std::vector<std::string> profile_words(const std::vector<std::string>& plan) {
  const bool with_axes = std::ranges::find(plan, "--axis") != plan.end();
  std::vector<std::string> targets, rest;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const bool is_target = plan[i] == "--method" || plan[i] == "--workload";
    const bool is_part = with_axes && (plan[i] == "--scene" || plan[i] == "--axis");
    if ((is_target || is_part) && i + 1 < plan.size())
      targets.push_back(plan[++i]);
    else
      rest.push_back(plan[i]);
  }
  if (with_axes) targets = {fmt::format("{}", fmt::join(targets, "/"))};
  std::vector<std::string> words = {"aqbench", "profile"};
  words.insert(words.end(), targets.begin(), targets.end());
  words.insert(words.end(), rest.begin(), rest.end());
  return words;
}

void add_samples(const Record& record, std::string_view name, std::vector<double>& samples_ms) {
  for (const StageRecord& stage : record.stages)
    if (stage.name == name) samples_ms.insert(samples_ms.end(), stage.wall_ms.begin(), stage.wall_ms.end());
}

std::string identity_text(const Guest& guest) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (const auto& [name, sha256] : guest.files)
    add(fmt::format("{} {}", name, sha256.empty() ? "missing" : sha256.substr(0, 12)));
  if (!guest.runs_in.empty()) add(guest.runs_in);
  if (!guest.commit.empty()) add("commit " + commit_text(guest));
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> environment_items(const Json& environment) {
  std::vector<std::pair<std::string, std::string>> items;
  append_items(environment, "", items);
  return items;
}

std::string environment_value(const Json& environment, const std::string& path) {
  for (const auto& [name, value] : environment_items(environment))
    if (name == path && value != "null") return value;
  return "";
}

std::string environment_line(const Json& environment) {
  // The text around a value, and its path in the document (harness/measuring/environment.cc).
  struct Field {
    const char *before, *path, *after;
  };
  constexpr Field kFields[] = {
      {"", "cpu.model", ""},
      {"", "cpu.cores_usable", " cores"},
      {"", "os.name", ""},
      {"kernel ", "os.kernel", ""},
      {"", "build.compiler", ""},
      {"", "build.build_type", ""},
      {"aqbench ", "build.version", ""},
      {"commit ", "build.commit", ""},
      {"LibTorch ", "libraries.libtorch", ""},
      {"threads ", "threads", ""},
      {"device ", "device", ""},
  };
  std::string line;
  for (const Field& field : kFields)
    if (const std::string value = environment_value(environment, field.path); !value.empty())
      line += fmt::format("{}{}{}{}", line.empty() ? "" : ", ", field.before, value, field.after);
  if (environment_value(environment, "build.dirty") == "true")
    line += ", built with changes that are not committed";
  return line.empty() ? "not recorded" : line;
}

std::string minute_text(const std::string& utc) {
  return utc.size() > 16 ? fmt::format("{} {} UTC", utc.substr(0, 10), utc.substr(11, 5)) : utc;
}

std::string run_title(const Results& results) {
  const RunInfo& run = results.run;
  const bool profiled = run.effective->is_object() && run.effective->contains("profile");
  const std::string numbers = numbers_source(*run.requested);
  std::string text = run.requested->contains(kEvalRequest) ? numbers
                     : !numbers.empty()                    ? numbers + ", imported"
                     : !run.suite.empty()                  ? "suite " + run.suite
                     : profiled                            ? "aqbench profile"
                                                           : "aqbench sweep";
  if (!run.started_utc.empty()) text += ", " + minute_text(run.started_utc);
  if (const std::string commit = users_commit(results); !commit.empty())
    text += ", commit " + commit.substr(0, 12);
  return text;
}

std::string reproduce_command(const RunInfo& run) {
  try {
    if (run.requested->contains(kEvalRequest)) return shell_join(eval_words(*run.requested));
    if (!numbers_source(*run.requested).empty()) {
      const NumbersRequest numbers = numbers_request(*run.requested, "run.requested");
      std::vector<std::string> words = {"aqbench", "import", numbers.file};
      if (!numbers.columns.empty())
        words.insert(words.end(), {"--columns", fmt::format("{}", fmt::join(numbers.columns, ","))});
      for (const std::string& metric : numbers.metrics) words.insert(words.end(), {"--metric", metric});
      if (!numbers.method.empty()) words.insert(words.end(), {"--method", numbers.method});
      return shell_join(words);
    }
    std::vector<std::string> words = plan_words(request_from_json(*run.requested, "run.requested"));
    if (run.effective->contains("profile")) return shell_join(profile_words(words));
    words.insert(words.begin(), {"aqbench", "sweep"});
    return shell_join(words);
  } catch (const Error&) {
    // Another program made it, or it was merged: show the request unchanged.
    return "# run.requested of results.json: " + compact_json(*run.requested);
  }
}

std::string isolation_line(const Results& results) {
  std::map<std::string, std::size_t> ways;
  for (const Record& record : results.records)
    if (!record.method.empty() && !record.simulated && record.status != Status::skipped)
      ++ways[record.isolation.empty() ? "not recorded" : record.isolation];
  if (ways.size() == 1) return ways.begin()->first;
  std::string line;
  for (const auto& [way, count] : ways)
    line += fmt::format("{}{} ({})", line.empty() ? "" : ", ", way, counted(count, "case"));
  return line;
}

std::vector<std::string> guest_lines(const Results& results) {
  std::map<std::string, std::pair<std::vector<double>, std::vector<double>>>
      found;  // load and whole, by text
  for (const Record& record : results.records) {
    if (!record.guest) continue;
    auto& [load, whole] = found[fmt::format("{}: {}", record.method, identity_text(*record.guest))];
    add_samples(record, "load", load);
    add_samples(record, "external_command", whole);
  }
  std::vector<std::string> lines;
  for (const auto& [text, times] : found) {
    const auto load_ms = summarize(times.first).mean, whole_ms = summarize(times.second).mean;
    lines.push_back(text);
    if (load_ms && whole_ms)
      lines.back() += fmt::format("; loading takes {} s of {} s on average", table_number(*load_ms / 1000),
                                  table_number(*whole_ms / 1000));
  }
  return lines;
}

}  // namespace aqbench
