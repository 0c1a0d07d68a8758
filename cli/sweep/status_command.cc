#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/options.h"
#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/text.h"
#include "harness/planning/plan.h"
#include "harness/running/journal.h"
#include "harness/running/sweep.h"
#include "harness/sharing/finished_cases.h"
#include "reports/content/bundle_content.h"

namespace aqbench::cli {
namespace {

struct StatusRequest {
  std::vector<std::string> bundles;
  bool json = false;
};

CommandLine<StatusRequest> status_command_line() {
  return {
      "aqbench status BUNDLE... | PLAN DIR... [--json]",
      "Shows the progress of sweeps and comparisons, from any machine that sees their folders: done,\n"
      "failed and remaining cases, and whether a process writes the bundle. Of a plan it counts the cases\n"
      "with a result in these folders of aqbench run-case, by the names of files alone. Exit 130 if a\n"
      "bundle has neither ended nor a process, and was not submitted to Slurm.",
      {{"json", nullptr, "print JSON", into<&StatusRequest::json>}},
      {{{.name = "BUNDLE", .repeatable = true}, into<&StatusRequest::bundles>}}};
}

// Done are the cases in the journal and those with a result that is not in the bundle yet. One that Slurm
// jobs will make is an empty folder.
Json status_json(const std::filesystem::path& bundle) {
  const std::filesystem::path tasks = tasks_folder(bundle);
  const bool begun = path_exists(bundle / kJournalFile) || !path_exists(tasks / kPlanFile);
  const JournalContents journal = read_journal_file(begun ? bundle / kJournalFile : tasks / kPlanFile,
                                                    TornTail::accept, KeptRecords::ends);
  std::set<std::string> done;
  for (const CaseEnd& end : journal.ends) done.insert(end.case_name);
  const bool shared = folder_exists(tasks);
  if (shared) {
    const SweepPlan plan = plan_sweep(journal.header.request);
    for (std::size_t i = 0; i < plan.cases.size(); ++i)
      if (is_finished(tasks, i + 1)) done.insert(plan.cases[i].name);
  }
  return {{"bundle", bundle.string()},
          {"cases", journal.header.case_names.size()},
          {"comparison", journal.header.sides.has_value()},
          {"done", journal.header.sides ? journal.ends.size() : done.size()},  // units of a comparison
          {"failed", std::ranges::count_if(journal.ends, is_failure, &CaseEnd::status)},
          {"shared", shared},
          {"state", path_exists(bundle / kHashListName) ? "ended"
                    : !begun                            ? "submitted"
                    : is_being_written(bundle)          ? "running"
                                                        : "stopped"}};
}

// Counts the results of a plan's cases, by names.
ExitCode print_finished(const StatusRequest& request) {
  const std::size_t cases = read_plan_file(request.bundles.front()).case_names.size();
  const std::size_t done = count_finished({request.bundles.begin() + 1, request.bundles.end()}, cases);
  if (request.json)
    print_json(Json{{"plan", request.bundles.front()}, {"cases", cases}, {"done", done}}.dump(2) + "\n");
  else
    fmt::print("{}: {} of {} have a result\n", printable(request.bundles.front()), done,
               counted(cases, "case"));
  return ExitCode::pass;
}

void print_status(const Json& status) {
  const std::string bundle = printable(status["bundle"].get<std::string>()),
                    state = status["state"].get<std::string>();
  const bool comparison = status["comparison"].get<bool>();
  const auto done = status["done"].get<std::size_t>(), cases = status["cases"].get<std::size_t>();
  fmt::print("{}: {} done, {} failed{}\n", bundle,
             comparison ? fmt::format("a comparison of {}, {}", counted(cases, "case"), counted(done, "unit"))
                        : fmt::format("{} of {} cases", done, cases),
             status["failed"].get<std::size_t>(),
             state == "ended"               ? ", ended"
             : status["shared"].get<bool>() ? ", not collected yet"
                                            : "");
  if (state == "submitted")
    fmt::print("  squeue shows its jobs; if none is left: aqbench collect {1}/{2} {1} --out {0}\n", bundle,
               printable(tasks_folder(status["bundle"].get<std::string>()).string()), kPlanFile);
  if (state == "stopped")
    fmt::print("  no process works on it; go on with: aqbench {} --resume {}\n", comparison ? "ab" : "sweep",
               bundle);
}

}  // namespace

ExitCode status_command(const Arguments& arguments) {
  const auto request = parse(status_command_line(), arguments);
  if (is_file(request.bundles.front())) return print_finished(request);
  Json all = Json::array();
  for (const std::string& bundle : request.bundles) all.push_back(status_json(bundle));
  if (request.json)
    print_json((all.size() == 1 ? all.front() : all).dump(2) + "\n");
  else
    std::ranges::for_each(all, print_status);
  const bool stopped =
      std::ranges::any_of(all, [](const Json& status) { return status["state"] == "stopped"; });
  return stopped ? ExitCode::interrupted : ExitCode::pass;
}

}  // namespace aqbench::cli
