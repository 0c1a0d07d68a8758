// The command run-case: cases of a plan by any engine.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/programs.h"
#include "cli/sweep/sweep_run.h"
#include "core/error.h"
#include "core/files.h"
#include "core/processes/stop_signals.h"
#include "core/text.h"
#include "harness/planning/case_options.h"
#include "harness/planning/plan.h"
#include "harness/running/run_case.h"
#include "harness/sharing/finished_cases.h"
#include "harness/sharing/shared_sweep.h"

namespace aqbench::cli {
namespace {

namespace fs = std::filesystem;

struct RunCaseRequest {
  fs::path plan;
  std::string chosen;  // "17", "100-199", a name
  std::optional<Shard> shard;
  fs::path out;
  std::optional<fs::path> project_file;
  bool own_machine = false;
  KeptFiles kept;
  CommandTrust trust;
};

CommandLine<RunCaseRequest> run_case_command_line() {
  CommandLine<RunCaseRequest> line{
      "aqbench run-case PLAN [CASE|FROM-TO] [OPTION]...",
      "Runs cases of a plan (aqbench sweep --plan PLAN), each into the folder DIR/NUMBER, which aqbench\n"
      "collect reads. It needs the plan and what the cases read, waits for no other process, locks and\n"
      "renames nothing: any engine may start it on any machine, kill it and start it again. A case that\n"
      "has a result is not run again. Without CASE it lists the cases with their numbers.\n\n"
      "  aqbench run-case plan.json 17 --out results\n"
      "  aqbench run-case plan.json 100-199 --out results\n"
      "  aqbench run-case plan.json flat_plane/roma_like/seed=43 --out results\n"
      "  parallel aqbench run-case plan.json {} --out results ::: $(seq 2000)\n\n"
      "Exit 0 the cases have results, also those that failed; 2 usage or input, 4 another build or\n"
      "plan, 6 writing failed, 130 interrupted.",
      {{"out", "DIR", "folder of the results", into<&RunCaseRequest::out>, usually("results")},
       {"shard", "i/n", "run part i of n: the cases i, i+n, i+2n and so on",
        [](RunCaseRequest& r, const FlagValue& v) { r.shard = parse_shard(v.text); }},
       {"own-machine", nullptr, "run timed cases: nothing else runs on this machine meanwhile",
        into<&RunCaseRequest::own_machine>},
       {"project", "FILE", "the project file, where it is not where the plan was made",
        into<&RunCaseRequest::project_file>}},
      {{{.name = "PLAN"}, into<&RunCaseRequest::plan>},
       {{.name = "CASE", .optional = true}, into<&RunCaseRequest::chosen>}}};
  append_flags<RunCaseRequest, KeptFiles>(line.flags, kept_files_flags(), &RunCaseRequest::kept);
  append_flags<RunCaseRequest, CommandTrust>(line.flags, command_trust_flags(), &RunCaseRequest::trust);
  return line;
}

// Returns the numbers of the chosen cases.
std::vector<std::size_t> chosen_numbers(const RunCaseRequest& request, const SweepPlan& plan) {
  const std::size_t count = plan.cases.size();
  std::vector<std::size_t> numbers;
  if (request.shard) {
    for (std::size_t number = request.shard->index; number <= count; number += request.shard->count)
      numbers.push_back(number);
    return numbers;
  }
  const std::size_t dash = request.chosen.find('-');
  const auto from = parse_whole<std::size_t>(request.chosen.substr(0, dash));
  const auto to =
      dash == std::string::npos ? from : parse_whole<std::size_t>(request.chosen.substr(dash + 1));
  if (!from || !to) {
    const auto named = std::ranges::find(plan.cases, request.chosen, &Case::name);
    if (named == plan.cases.end())
      throw usage_error("{}", unknown_name_message("case", request.chosen, names_of(plan.cases)));
    return {static_cast<std::size_t>(named - plan.cases.begin()) + 1};
  }
  if (*from < 1 || *to < *from || *to > count)
    throw usage_error("CASE {}: the plan has the cases 1 to {}", request.chosen, count);
  numbers.resize(*to - *from + 1);
  std::iota(numbers.begin(), numbers.end(), *from);
  return numbers;
}

// A method must not find results of other cases, but may need its own files.
void require_separate(const fs::path& out) {
  std::error_code unknown;
  const fs::path here = fs::weakly_canonical(fs::current_path(), unknown) / "";
  const fs::path there = fs::weakly_canonical(fs::absolute(out), unknown) / "";
  if (here.native().starts_with(there.native()))
    throw usage_error("--out {}: contains this folder; results need a folder of their own", out.string());
}

}  // namespace

ExitCode run_case_command(const Arguments& arguments) {
  const auto request = parse(run_case_command_line(), arguments);
  if (request.shard && !request.chosen.empty()) throw usage_error("--shard: not with CASE");
  const SweepPlan plan = read_plan(request.plan, request.project_file);
  if (request.chosen.empty() && !request.shard) {
    for (std::size_t i = 0; i < plan.cases.size(); ++i)
      fmt::print("{} {}\n", i + 1, printable(plan.cases[i].name));
    return ExitCode::pass;
  }
  std::vector<std::size_t> numbers = chosen_numbers(request, plan);
  const std::size_t chosen = numbers.size();
  require_shareable(plan, request.own_machine ? OwnMachine::yes : OwnMachine::no);
  require_separate(request.out);
  std::erase_if(numbers,
                [&](std::size_t number) { return read_finished(request.out, number, plan).has_value(); });
  std::vector<Case> cases;
  for (const std::size_t number : numbers) cases.push_back(plan.cases[number - 1]);
  require_trust(request.plan, "", foreign_code(cases), request.trust);
  require_programs(cases);
  load_modules_of(has_timed_cases(plan) ? plan.cases : cases);  // the environment lists the loaded libraries
  make_folders(request.out);
  FinishedCases finished(plan, request.out, [&](const Case& planned, CaseBoard& board) {
    return run_case_keeping(planned, board, request.kept);
  });
  const StopSignals signals;
  for (const std::size_t number : numbers) {
    const auto record = finished.run(number, signals.descriptor());
    if (!record) return ExitCode::interrupted;
    if (is_failure(record->status))
      fmt::print(stderr, "{}: {}: {}\n", printable(record->case_name), to_string(record->status),
                 printable(record->reason));
  }
  fmt::print("ran {}{}\n", counted(numbers.size(), "case"),
             numbers.size() == chosen
                 ? ""
                 : fmt::format(", {} had a result already", counted(chosen - numbers.size(), "case")));
  return ExitCode::pass;
}

}  // namespace aqbench::cli
