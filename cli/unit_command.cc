#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "core/json.h"
#include "core/parameters.h"
#include "harness/ab/unit.h"
#include "harness/running/case_process.h"
#include "harness/running/run_case.h"

namespace aqbench::cli {
namespace {

// During its lifetime, a method's stdout goes to stderr: stdout is for the JSON.
class QuietStdout {
 public:
  QuietStdout() {
    std::fflush(stdout);
    saved_ = ::dup(STDOUT_FILENO);
    if (saved_ < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
      throw io_error("stdout: {}", std::strerror(errno));
  }
  ~QuietStdout() {
    std::fflush(stdout);
    ::dup2(saved_, STDOUT_FILENO);
    ::close(saved_);
  }
  QuietStdout(const QuietStdout&) = delete;
  QuietStdout& operator=(const QuietStdout&) = delete;

 private:
  int saved_ = -1;
};

struct UnitRequest {
  std::optional<std::string> request_json, case_name;
  bool score = true, describe = false;
};

CommandLine<UnitRequest> unit_command_line() {
  return {"aqbench unit --request JSON (--describe | --case NAME)",
          "Started by `aqbench ab` for every unit: runs one case in this process, once cold and then "
          "warm,\nand prints its record as JSON. --describe: prints this program and its cases for the "
          "request. The\nrequest is that of `requested` in results.json.",
          {{"request", "JSON", "what to plan", into<&UnitRequest::request_json>},
           {"case", "NAME", "the case to run", into<&UnitRequest::case_name>},
           {"no-score", nullptr, "do not score the output; only its hash is needed",
            turn_off<&UnitRequest::score>},
           {"describe", nullptr, "print the program and its planned cases, run nothing",
            into<&UnitRequest::describe>}}};
}

}  // namespace

ExitCode unit_command(const Arguments& arguments) {
  const auto request = parse(unit_command_line(), arguments);
  if (!request.request_json) throw usage_error("--request JSON is missing");
  if (request.case_name.has_value() == request.describe)
    throw usage_error("needs either --case NAME or --describe");

  const Json json = parse_strict_json(*request.request_json, "--request", kMessageJson);
  const SweepPlan plan = plan_sweep(request_from_json(json, "--request"));
  Json answer;
  if (request.describe) {
    answer = unit_program_json(describe_this_program(plan));
  } else {
    const Case& planned = find_named("case", *request.case_name, plan.cases);
    const QuietStdout quiet;
    CaseBoard board;
    if (const std::filesystem::path hidden = take_hidden_folder(); !hidden.empty()) board.hide(hidden);
    answer = unit_record_json(
        (request.score ? run_case(planned, board) : run_case_unscored(planned, board)).record);
  }
  fmt::print("{}\n", compact_json(answer));
  return ExitCode::pass;
}

}  // namespace aqbench::cli
