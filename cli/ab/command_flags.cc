#include "cli/ab/command_flags.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "harness/ab/ab_command.h"

namespace aqbench::cli {
namespace {

[[noreturn]] void refuse_commands(const std::string& why) { throw Error(ErrorKind::usage, why); }

void read_variable(std::vector<std::pair<std::string, std::string>>& environment, const FlagValue& value) {
  const std::size_t equals = value.text.find('=');
  if (equals == std::string::npos || equals == 0) value.refuse_text("expected NAME=VALUE");
  environment.emplace_back(value.text.substr(0, equals), value.text.substr(equals + 1));
}

void read_layouts(AbCommandRequest& request, const FlagValue& value) {
  const auto count = value.number<std::int64_t>();
  if (count < 2 || count > static_cast<std::int64_t>(kMaxLayouts))
    value.refuse(count, fmt::format("must be 2 to {}", kMaxLayouts));
  request.layouts = static_cast<std::uint64_t>(count);
}

using Texts = std::array<std::string, 2> AbCommandRequest::*;

// One row for each side: --cmd-a and --cmd-b.
void add_rows(std::vector<Flag<AbCommandRequest>>& rows, const char* name_a, const char* name_b,
              const char* value_name, const char* help_a, const char* help_b, Texts field) {
  rows.push_back({{.name = name_a, .value_name = value_name, .help = help_a},
                  [field](AbCommandRequest& r, const FlagValue& v) { (r.*field)[0] = v.text; }});
  rows.push_back({{.name = name_b, .value_name = value_name, .help = help_b},
                  [field](AbCommandRequest& r, const FlagValue& v) { (r.*field)[1] = v.text; }});
}

std::vector<Flag<AbCommandRequest>> make_rows() {
  std::vector<Flag<AbCommandRequest>> rows;
  add_rows(rows, "cmd-a", "cmd-b", "CMD", "any command, as a line for /bin/sh: side A", "and side B",
           &AbCommandRequest::lines);
  for (std::size_t side = 0; side < 2; ++side)
    rows.push_back(
        {{.name = side == 0 ? "gbench-a" : "gbench-b",
          .value_name = "CMD",
          .help = side == 0 ? "a program of Google Benchmark, judged by the time per iteration that it "
                              "measured: side A, each of its benchmarks a case"
                            : "and side B"},
         [side](AbCommandRequest& r, const FlagValue& v) {
           r.lines[side] = v.text;
           r.gbench[side] = true;
         }});
  add_rows(rows, "cwd-a", "cwd-b", "DIR", "where A runs (default: here)", "where B runs",
           &AbCommandRequest::folders);
  for (std::size_t side = 0; side < 2; ++side)
    rows.push_back(
        {{.name = side == 0 ? "env-a" : "env-b",
          .value_name = "NAME=VALUE",
          .help = side == 0 ? "a variable of A's environment; may be repeated"
                            : "a variable of B's environment; may be repeated",
          .repeatable = true},
         [side](AbCommandRequest& r, const FlagValue& v) { read_variable(r.environments[side], v); }});
  add_rows(rows, "prepare-a", "prepare-b", "CMD", "runs before each run of A and is not timed",
           "runs before each run of B and is not timed", &AbCommandRequest::prepares);
  add_rows(rows, "label-a", "label-b", "TEXT", "what reports call A", "what reports call B",
           &AbCommandRequest::labels);
  add_rows(rows, "relink-a", "relink-b", "CMD",
           "links A anew for each unit, in the order of the random bytes in the file $AQBENCH_ORDER",
           "links B anew for each unit", &AbCommandRequest::relinks);
  rows.push_back(
      {{.name = "layouts",
        .value_name = "N",
        .help = "commands: each unit draws one of N code layouts: environment size, and link order "
                "with --relink-a, --relink-b"},
       read_layouts});
  rows.push_back({{.name = "compare-output",
                   .value_name = "FILE",
                   .help = "commands: their output is this file below each side's folder, not stdout"},
                  into<&AbCommandRequest::compare_output>});
  rows.push_back({{.name = "outputs-may-differ", .help = "commands: B may write something else than A"},
                  into<&AbCommandRequest::outputs_may_differ>});
  rows.push_back({{.name = "any-exit-code",
                   .help = "commands: an exit code that is not 0 is part of the output, not a failure"},
                  into<&AbCommandRequest::any_exit_code>});
  rows.push_back(
      {{.name = "quick", .help = "commands, methods: say within a minute what can be said, in one look"},
       into<&AbCommandRequest::quick>});
  return rows;
}

// Flags of `ab` that commands take as well.
const std::set<std::string>& shared_flags() {
  static const std::set<std::string> names = {
      "policy",       "tau",    "delta", "alpha", "looks", "pairs",   "no-confirm",  "allow-inconclusive",
      "order-seed",   "out",    "sign",  "json",  "html",  "timeout", "repetitions", "warmup",
      "memory-limit", "threads"};
  return names;
}

// What programs of Google Benchmark give is a report, not an output, and it takes as long as it takes.
void check_gbench(const AbCommandRequest& request, const std::set<std::string>& given) {
  for (const char* const side : {"a", "b"})
    if (given.contains(fmt::format("cmd-{}", side)) && given.contains(fmt::format("gbench-{}", side)))
      refuse_commands(fmt::format("--gbench-{0}: --cmd-{0} gives side {0} too", side));
  if (!request.gbench[0] && !request.gbench[1]) return;
  for (const char* const name : {"compare-output", "outputs-may-differ", "any-exit-code", "quick"})
    if (given.contains(name)) refuse_commands(fmt::format("--{}: not with --gbench-a and --gbench-b", name));
  for (std::size_t side = 0; side < 2; ++side)
    if (!request.gbench[side])
      refuse_commands(
          fmt::format("--gbench-{0} without --gbench-{1} CMD", side == 0 ? 'b' : 'a', side == 0 ? 'a' : 'b'));
}

}  // namespace

const std::vector<Flag<AbCommandRequest>>& ab_command_flags() {
  static const std::vector<Flag<AbCommandRequest>> rows = make_rows();
  return rows;
}

void check_ab_commands(const AbCommandRequest& request, const std::set<std::string>& given) {
  const auto is_command_flag = [](const std::string& name) {
    return std::ranges::any_of(ab_command_flags(), [&](const auto& row) { return name == row.name; });
  };
  for (const std::string& name : given) {
    if (!request.given() && is_command_flag(name) && !(name == "quick" && given.contains("method-a")))
      refuse_commands(fmt::format("--{} is for --cmd-a with --cmd-b{}", name,
                                  name == "quick" ? ", and --method-a with --method-b" : ""));
    if (request.given() && !is_command_flag(name) && !shared_flags().contains(name))
      refuse_commands(fmt::format("--{} is for cases: commands have none", name));
  }
  if (request.quick)
    for (const char* name : {"pairs", "looks"})
      if (given.contains(name))
        refuse_commands(fmt::format("--{}: --quick takes what fits into a minute", name));
  if (!request.given()) return;
  check_gbench(request, given);
  if (request.lines[0].empty() || request.lines[1].empty())
    refuse_commands(request.lines[0].empty() ? "--cmd-b without --cmd-a CMD" : "--cmd-a without --cmd-b CMD");
  for (std::size_t side = 0; side < 2; ++side)
    if (!request.relinks[side].empty() && request.layouts == 0)
      refuse_commands(fmt::format("--relink-{} needs --layouts N", side == 0 ? 'a' : 'b'));
}

std::vector<std::string> command_lines_of(const AbCommandRequest& request) {
  std::vector<std::string> found;
  for (std::size_t side = 0; side < 2; ++side) {
    const char letter = side == 0 ? 'A' : 'B';
    for (const auto& [what, line] : {std::pair("", request.lines[side]),
                                     {" is prepared by", request.prepares[side]},
                                     {" is linked by", request.relinks[side]}})
      if (!line.empty()) found.push_back(fmt::format("{}{}: {}", letter, what, line));
    if (!request.folders[side].empty())
      found.push_back(fmt::format("{} runs in: {}", letter, request.folders[side]));
    for (const auto& [name, value] : request.environments[side])
      found.push_back(fmt::format("{} runs with: {}={}", letter, name, value));
  }
  return found;
}

}  // namespace aqbench::cli
