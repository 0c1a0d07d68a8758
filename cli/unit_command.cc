#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "core/error.h"
#include "core/json.h"
#include "harness/ab/unit.h"
#include "harness/running/case_board.h"
#include "harness/running/run_case.h"

namespace aqbench::cli {
namespace {

// While it lives, what a method prints to stdout goes to stderr: stdout belongs to the JSON.
class QuietStdout {
 public:
  QuietStdout() {
    std::fflush(stdout);
    saved_ = ::dup(STDOUT_FILENO);
    if (saved_ < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
      throw Error(ErrorKind::io, fmt::format("stdout: {}", std::strerror(errno)));
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

const Case& find_planned(const SweepPlan& plan, const std::string& name) {
  std::vector<std::string> names;
  for (const Case& planned : plan.cases) {
    if (planned.name == name) return planned;
    names.push_back(planned.name);
  }
  throw Error(ErrorKind::usage, unknown_name_message("case", name, names));
}

}  // namespace

ExitCode run_unit(const Arguments& arguments) {
  CommandLine line{
      "aqbench unit --request JSON (--describe | --case NAME)",
      "What `aqbench ab` starts for every unit: runs one case in this very process, once cold and\n"
      "then warm, and prints its record as JSON. --describe: what this program is, and which cases\n"
      "the request means to it. The request is that of `requested` in results.json.",
      make_options(),
      {}};
  auto add = line.options.add_options();
  add("request", po::value<std::string>()->value_name("JSON"), "what to plan");
  add("case", po::value<std::string>()->value_name("NAME"), "the case to run");
  add("no-score", "do not score the output: its hash is enough");
  add("describe", "print the program and its planned cases, run nothing");
  const auto values = parse(line, arguments);
  if (!values) return ExitCode::pass;
  if (values->count("request") == 0) throw Error(ErrorKind::usage, "--request JSON is missing");
  if (values->count("case") + values->count("describe") != 1)
    throw Error(ErrorKind::usage, "give either --case NAME or --describe");

  const Json request = parse_strict_json((*values)["request"].as<std::string>(), "--request", kMessageJson);
  const SweepPlan plan = plan_sweep(request_from_json(request, "--request"));
  Json answer;
  if (values->count("describe") != 0) {
    answer = unit_program_json(describe_this_program(plan));
  } else {
    const Case& planned = find_planned(plan, (*values)["case"].as<std::string>());
    const QuietStdout quiet;
    CaseBoard board;
    const bool score = values->count("no-score") == 0;
    answer = unit_record_json((score ? run_case(planned, board) : run_case_unscored(planned, board)).record);
  }
  fmt::print("{}\n", answer.dump(-1, ' ', false, Json::error_handler_t::replace));
  return ExitCode::pass;
}

}  // namespace aqbench::cli
