#include "cli/ab/command_pair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "cli/ab/sides.h"
#include "core/error.h"
#include "core/files.h"
#include "core/processes/process.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "harness/ab/layout.h"
#include "harness/running/progress.h"

namespace aqbench::cli {
namespace {

char letter_of(AbSide side) { return side == AbSide::a ? 'a' : 'b'; }

const char* flag_of(const CommandPair& pair) { return pair.rules.gbench ? "gbench" : "cmd"; }

// Notes what is not compared: what one side alone has, and what did not run.
std::vector<std::string> common_benchmarks(const std::vector<GbenchTimes>& a,
                                           const std::vector<GbenchTimes>& b, AbDocument& document) {
  std::vector<std::string> names;
  for (const GbenchTimes& one : a) {
    const auto other = std::ranges::find(b, one.name, &GbenchTimes::name);
    if (other == b.end()) throw not_comparable_error("--gbench-b: has no benchmark '{}'", one.name);
    if (one.error.empty() && other->error.empty())
      names.push_back(one.name);
    else
      document.notes.push_back(fmt::format("{} is not compared: {}: {}", one.name,
                                           one.error.empty() ? "B" : "A",
                                           one.error.empty() ? other->error : one.error));
  }
  for (const GbenchTimes& one : b)
    if (std::ranges::find(a, one.name, &GbenchTimes::name) == a.end())
      document.notes.push_back(fmt::format("B alone has the benchmark {}", one.name));
  if (names.empty()) throw Error(ErrorKind::input, "--gbench-a: no benchmark to compare");
  return names;
}

// The times of the trial as a unit of each side of each benchmark.
FirstUnits units_of_trial(const std::array<CommandAnswer, 2>& trials, const std::vector<AbCase>& cases) {
  FirstUnits units;
  for (std::size_t i = 0; i < cases.size(); ++i)
    for (const AbSide side : {AbSide::a, AbSide::b}) {
      const auto& all = trials[index_of(side)].benchmarks;
      units[{i, side}] = {unit_of_times(std::ranges::find(all, cases[i].name, &GbenchTimes::name)->real_ms),
                          {}};
    }
  return units;
}

}  // namespace

std::size_t index_of(AbSide side) { return side == AbSide::a ? 0 : 1; }

std::string program_file(const AbCommand& command) {
  const std::string word = command.line.substr(0, command.line.find_first_of(" \t\n;|&<>()$`\\\"'*?[#~=%"));
  if (word.empty()) return {};
  std::filesystem::path file = find_in_path(word);
  if (file.is_relative()) {
    if (word.find('/') == std::string::npos) return {};
    file = std::filesystem::path(command.folder) / file;
  }
  std::error_code error;
  return std::filesystem::is_regular_file(file, error) ? file.string() : std::string();
}

AbCommand command_of(const AbCommandRequest& request, std::size_t side) {
  AbCommand command;
  command.line = request.lines[side];
  std::error_code error;
  const std::filesystem::path folder = request.folders[side].empty()
                                           ? std::filesystem::path(".")
                                           : std::filesystem::path(request.folders[side]);
  const std::filesystem::path whole = std::filesystem::canonical(folder, error);
  if (error || !std::filesystem::is_directory(whole, error))
    throw usage_error("--cwd-{} {}: not a folder", side == 0 ? 'a' : 'b', folder.string());
  command.folder = whole.string();
  command.environment = request.environments[side];
  command.prepare = request.prepares[side];
  command.relink = request.relinks[side];
  return command;
}

std::optional<CommandAnswer> run_side(CommandPair& pair, AbSide side, std::optional<std::uint64_t> layout,
                                      CommandUnitPlan plan) {
  const std::size_t index = index_of(side);
  const AbCommand& command = pair.commands[index];
  plan.rules = pair.rules;
  plan.layout = layout;
  if (layout && !command.relink.empty() && pair.linked != std::pair(side, *layout)) {
    const std::filesystem::path order = pair.scratch.path() / fmt::format("order-{}", *layout);
    std::error_code error;
    if (!std::filesystem::exists(order, error)) write_file(order, layout_order_bytes(*layout));
    plan.relink = true;
    plan.relink_variables = {{"AQBENCH_ORDER", order.string()},
                             {"AQBENCH_ORDER_SEED", std::to_string(*layout)}};
    pair.linked = {side, *layout};
  } else if (command.relink.empty() && file_state_of(pair.files[index]) != pair.file_states[index]) {
    const std::string why = pair.files[index] + " was changed on the disk while it was measured";
    return CommandAnswer{failed_unit(Status::failed, why).record};
  }
  return run_command_unit(command, plan, pair.limits);
}

CommandAnswer tried(CommandPair& pair, AbSide side, const std::string& settle) {
  const std::optional<std::uint64_t> layout =
      pair.rules.layouts > 0 ? std::optional<std::uint64_t>(0) : std::nullopt;
  auto trial = run_side(pair, side, layout, CommandUnitPlan{});
  if (!trial) throw Error(ErrorKind::interrupted, "interrupted before the first pair");
  if (pair.rules.quick && trial->unit.status == Status::timeout)
    throw QuickEnd{fmt::format("--quick: a run of {} was not done when the minute was over; {}",
                               side == AbSide::a ? 'A' : 'B', settle)};
  if (trial->unit.status != Status::ok)
    throw input_error("--{}-{} '{}': {}", flag_of(pair), letter_of(side), pair.commands[index_of(side)].line,
                      trial->unit.reason);
  return std::move(*trial);
}

std::string plan_by_gbench_trial(const AbRequest& request, const Arguments& arguments, CommandPair& pair,
                                 AbDocument& document) {
  const auto start = SteadyClock::now();
  const bool quick = request.commands.quick;
  const double own_s = pair.limits.process.timeout_s;
  std::array<CommandAnswer, 2> trials;
  for (const AbSide side : {AbSide::a, AbSide::b}) {
    if (quick) pair.limits.process.timeout_s = quick_timeout(own_s, seconds_since(start));
    trials[index_of(side)] = tried(pair, side, settling_command(arguments, document, quick_s()));
  }
  pair.limits.process.timeout_s = own_s;
  const double pair_s = seconds_since(start);
  document.samples.cases.clear();
  for (const std::string& name : common_benchmarks(trials[0].benchmarks, trials[1].benchmarks, document))
    document.samples.cases.push_back({name, std::nullopt});
  const std::size_t cases = document.samples.cases.size();
  const std::string settle = settling_command(arguments, document, pair.runs * pair_s);
  if (quick) {
    plan_one_look(document);
    std::size_t& pairs = document.run.pairs_per_look = quick_pairs(pair.runs * pair_s, pair_s);
    if (pairs == 0) pair.first = units_of_trial(trials, document.samples.cases);
    pairs = std::max<std::size_t>(1, pairs);
  } else {
    plan_pairs_per_look(request, cases, document);
  }
  const double look_s = static_cast<double>(document.run.pairs_per_look) * pair.runs * pair_s;
  fmt::print(stderr, "aqbench: {} of {}: {}\n", counted(document.run.pairs_per_look, "pair"),
             counted(cases, "benchmark"),
             quick ? "about " + duration_text(look_s) : time_needed(document, look_s));
  return settle;
}

}  // namespace aqbench::cli
