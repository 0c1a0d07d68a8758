#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/options.h"
#include "core/error.h"
#include "core/json.h"
#include "core/text.h"
#include "harness/planning/plan.h"
#include "harness/running/journal.h"
#include "harness/running/sweep.h"
#include "harness/sharing/shared_results.h"
#include "reports/content/bundle_content.h"

namespace aqbench::cli {
namespace {

struct StatusRequest {
  std::vector<std::string> bundles;
  bool json = false;
};

CommandLine<StatusRequest> status_command_line() {
  return {
      "aqbench status BUNDLE... [--json]",
      "Shows the progress of sweeps and comparisons, from any machine that sees their folders: done, failed\n"
      "and remaining cases, whether a process works on them and, for a shared sweep, the process of each\n"
      "running case. Exit 130 if one has neither ended nor a process.",
      {{"json", nullptr, "print JSON", into<&StatusRequest::json>}},
      {{{.name = "BUNDLE", .repeatable = true}, into<&StatusRequest::bundles>}}};
}

// Done are the cases in the journal and those with a result to be merged, whose failures are read from it.
Json status_json(const std::filesystem::path& bundle) {
  const JournalContents journal = read_journal(bundle, TornTail::accept, KeptRecords::ends);
  const std::filesystem::path tasks = tasks_folder(bundle);
  std::set<std::string> done;
  for (const CaseEnd& end : journal.ends) done.insert(end.case_name);
  auto failed = std::ranges::count_if(journal.ends, is_failure, &CaseEnd::status);
  Json working = Json::array();
  const bool shared = std::filesystem::is_directory(tasks);
  if (shared) {
    const SweepPlan plan = plan_sweep(journal.header.request);
    for (const std::size_t place : published_places(tasks)) {
      if (place >= plan.cases.size() || !done.insert(plan.cases[place].name).second) continue;
      failed += is_failure(read_shared_result(tasks, place).result.record.status) ? 1 : 0;
    }
    for (const WorkingTask& task : working_tasks(tasks))
      if (task.place < plan.cases.size() && !done.contains(plan.cases[task.place].name))
        working.push_back({{"case", plan.cases[task.place].name},
                           {"host", task.host},
                           {"process", task.process},
                           {"known_dead", task.known_dead}});
  }
  const bool alive = is_being_written(bundle) || std::ranges::any_of(working, [](const Json& task) {
                       return !task["known_dead"].get<bool>();
                     });
  return {{"bundle", bundle.string()},
          {"cases", journal.header.case_names.size()},
          {"comparison", journal.header.sides.has_value()},
          {"done", journal.header.sides ? journal.ends.size() : done.size()},  // units of a comparison
          {"failed", failed},
          {"shared", shared},
          {"state", std::filesystem::exists(bundle / kHashListName) ? "ended"
                    : alive                                         ? "running"
                                                                    : "stopped"},
          {"working", std::move(working)}};
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
             : status["shared"].get<bool>() ? ", not merged yet"
                                            : "");
  for (const Json& task : status["working"])
    fmt::print("  {} on {}, process {}{}\n", printable(task["case"].get<std::string>()),
               printable(task["host"].get<std::string>()), task["process"].get<std::int64_t>(),
               task["known_dead"].get<bool>() ? " (dead: the case is free)" : "");
  if (state == "stopped")
    fmt::print("  no process works on it; go on with: aqbench {} --resume {}\n", comparison ? "ab" : "sweep",
               bundle);
}

}  // namespace

ExitCode status_command(const Arguments& arguments) {
  const auto request = parse(status_command_line(), arguments);
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
