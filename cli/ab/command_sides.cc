#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/ab/command_pair.h"
#include "cli/ab/quick.h"
#include "cli/ab/sides.h"
#include "core/files.h"
#include "core/json_members.h"
#include "core/processes/instruction_counter.h"
#include "core/processes/process.h"
#include "core/sha256.h"
#include "core/stopwatch.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/ab/ab_command.h"
#include "harness/ab/decision.h"
#include "harness/ab/unit.h"
#include "harness/running/progress.h"
#include "harness/statistics/pair_plan.h"
#include "harness/statistics/summary.h"

namespace aqbench::cli {
namespace {

constexpr const char* kCaseName = "command";
constexpr int kUsualRuns = 3;
constexpr double kLongRunS = 2;  // a command that takes longer runs once in a unit

// A trial of one side: its last run.
struct Trial : CommandAnswer {
  double unit_s = 0;    // with what is not timed
  bool single = false;  // there was one run alone
};

// The file of the program that a plain line starts with; "" where the shell decides.
std::string program_file(const AbCommand& command) {
  const std::string word = command.line.substr(0, command.line.find_first_of(" \t\n;|&<>()$`\\\"'*?[#~=%"));
  if (word.empty()) return {};
  std::filesystem::path file = find_in_path(word);
  if (file.is_relative()) {
    if (word.find('/') == std::string::npos) return {};
    file = std::filesystem::path(command.folder) / file;
  }
  return is_file(file) ? file.string() : std::string();
}

// Makes the folder of a side absolute. Throws Error(usage) for one that is none.
void place(AbCommand& command, char side) {
  std::error_code error;
  const std::filesystem::path folder = command.folder.empty() ? "." : command.folder;
  const std::filesystem::path whole = std::filesystem::canonical(folder, error);
  if (error || !std::filesystem::is_directory(whole, error))
    throw usage_error("--cwd-{} {}: not a folder", side, folder.string());
  command.folder = whole.string();
}

// Runs a side once or twice, so that what is cold the first time counts only where it is long.
Trial try_side(const CommandPair& pair, AbSide side, double spent_s, const Settling& settle) {
  Trial trial;
  for (int i = 0; i < 2; ++i) {
    const auto start = SteadyClock::now();
    trial = {tried(pair, side, settle, spent_s), seconds_since(start), i == 0};
    if (trial.unit_s > kLongRunS) break;
  }
  return trial;
}

// Chooses the costs that are judged.
void choose_outcomes(const CommandPair& pair, const std::array<Trial, 2>& trials, AbDocument& document) {
  document.settings.outcomes = {{kCpuOutcome, AbOutcome::Kind::cost, "ms"}};
  if (tells_memory_apart(pair, {&trials[0].unit, &trials[1].unit}))
    document.settings.outcomes.push_back(memory_outcome());
}

// Returns why instructions do not decide commands, "" where those of both were counted.
std::string why_not_counted(const std::array<Trial, 2>& trials) {
  if (std::ranges::all_of(trials, [](const Trial& trial) {
        return find_outcome(trial.unit, kInstructionsOutcome) != nullptr;
      }))
    return "";
  const std::string why_not = InstructionCounter().why_not();
  return why_not.empty() ? "the processor's counter was not free all of the time" : why_not;
}

// Chooses which time decides. It adds no cost to those that the pairs were planned for.
void choose_time(const AbRequest& request, const std::array<Trial, 2>& trials, AbDocument& document) {
  const bool automatic =
      request.decide_by == DecideBy::automatic || request.decide_by == DecideBy::instructions;
  if (automatic && document.settings.outcomes.empty()) return;  // wall time has too few pairs beside it
  const bool several =
      !std::ranges::all_of(trials, [](const Trial& trial) { return uses_one_thread(trial.unit); });
  choose_deciding_time(
      request.decide_by, load_of_this_machine(),
      [&](const AbCase&) { return several && automatic ? "uses several threads" : ""; }, document,
      request.decide_by == DecideBy::instructions ? why_not_counted(trials) : "");
}

// Notes what is not compared, and why.
void note_outcomes(const AbCommandRules& rules, AbDocument& document) {
  const auto has = [&](const char* name) {
    return std::ranges::find(document.settings.outcomes, name, &AbOutcome::name) !=
           document.settings.outcomes.end();
  };
  const bool none = document.settings.outcomes.empty();  // of outputs that differ another note says why
  if (none && rules.quick)
    document.notes.emplace_back(
        "processor time and memory are not compared: too few pairs fit into a minute");
  else if (!has(kMemoryOutcome) && (rules.gbench || !none))
    document.notes.emplace_back("peak memory is not compared: it cannot be told from that of a shell");
}

// Takes as many pairs as fit, in one look; where these are too few for a verdict the wall time alone. Long
// runs of the trial are the first pair.
void plan_quick(const std::array<Trial, 2>& trials, double spent_s, const AbRequest& request,
                CommandPair& pair, AbDocument& document) {
  plan_one_look(document);
  const double run_s = trials[0].unit_s + trials[1].unit_s;
  const auto fitting = [&](int runs) { return quick_pairs(run_s * runs, spent_s); };
  const auto needed = [&] {
    return minimum_pairs(document.settings.policy, judged_outcomes(document.settings));
  };
  if (fitting(pair.runs) < needed() && !request.plan.timing.repetitions) pair.runs = 1;
  if (fitting(pair.runs) < needed()) document.settings.outcomes.clear();
  std::size_t pairs = fitting(pair.runs);
  if (trials[0].single && trials[1].single && pair.runs == 1 && pair.warmup == 0) {
    ++pairs;
    pair.first = {{{0, AbSide::a}, {trials[0].unit, {}}}, {{0, AbSide::b}, {trials[1].unit, {}}}};
  }
  plan_quick_pairs(pairs, judged_outcomes(document.settings), document);
}

void plan_full(const std::array<Trial, 2>& trials, const AbRequest& request, CommandPair& pair,
               AbDocument& document) {
  plan_pairs_per_look(request, judged_outcomes(document.settings), document);
  const double look_s = static_cast<double>(document.run.pairs_per_look) * (pair.runs + pair.warmup) *
                        (trials[0].unit_s + trials[1].unit_s);
  fmt::print(stderr, "aqbench: {} of {} each: {}\n", counted(document.run.pairs_per_look, "pair"),
             counted(static_cast<std::size_t>(pair.runs), "run"), time_needed(document, look_s));
}

// A program of Google Benchmark chooses its number of iterations by the clock, whatever one of them takes.
void hint_at_gbench(const std::array<Trial, 2>& trials, AbDocument& document) {
  if (!trials[0].prints_gbench_report && !trials[1].prints_gbench_report) return;
  const std::string hint = fmt::format(
      "{} a report of Google Benchmark: such a program chooses how long it runs, so its wall time says "
      "little; --gbench-a CMD --gbench-b CMD compares the time per iteration that it measured",
      trials[0].prints_gbench_report && trials[1].prints_gbench_report ? "both commands print"
      : trials[0].prints_gbench_report                                 ? "A prints"
                                                                       : "B prints");
  fmt::print(stderr, "aqbench: hint: {}\n", hint);
  document.notes.push_back(hint);
}

// Notes that the outputs differ, which is the verdict: one pair says so.
void plan_differing(CommandPair& pair, AbDocument& document) {
  plan_one_look(document);
  document.settings.outcomes.clear();
  document.run.pairs_per_look = 1;
  pair.runs = 1;
  const char* const note =
      "the outputs of the first runs differ: one pair is measured (--outputs-may-differ compares the times "
      "all the same)";
  fmt::print(stderr, "aqbench: {}\n", note);
  document.notes.emplace_back(note);
}

// Learns how long the commands take and plans by it; returns the command that settles what --quick leaves
// open.
Settling plan_by_trial(const AbRequest& request, const Arguments& arguments, CommandPair& pair,
                       AbDocument& document) {
  const auto start = SteadyClock::now();
  std::array<Trial, 2> trials;
  const AbSide first = first_side(pair.order_seed, 0);
  for (const AbSide side : {first, other_side(first)})
    trials[index_of(side)] =
        try_side(pair, side, seconds_since(start), settling(arguments, document, quick_s()));
  const double longest_s =
      1e-3 * std::max(trials[0].unit.timing.warm_ms.front(), trials[1].unit.timing.warm_ms.front());
  pair.runs = request.plan.timing.repetitions.value_or(longest_s > kLongRunS ? 1 : kUsualRuns);
  choose_outcomes(pair, trials, document);
  hint_at_gbench(trials, document);
  const Settling settle =
      settling(arguments, document, (trials[0].unit_s + trials[1].unit_s) * (pair.runs + pair.warmup));
  warn_of_load(document, {{{0, AbSide::a}, {trials[0].unit, {}}}, {{0, AbSide::b}, {trials[1].unit, {}}}});
  if (!document.settings.outputs_may_differ && trials[0].unit.output_sha256 != trials[1].unit.output_sha256)
    plan_differing(pair, document);
  else if (request.commands.rules.quick)
    plan_quick(trials, seconds_since(start), request, pair, document);
  else
    plan_full(trials, request, pair, document);
  choose_time(request, trials, document);
  document.run.warm_runs = pair.runs;
  return settle;
}

AbSideInfo command_side_info(const CommandPair& pair, std::size_t side, const std::string& label) {
  AbSideInfo info;
  info.command = pair.commands[side];
  info.label = label.empty() ? info.command->line : label;
  info.program_sha256 = sha256_hex(compact_json(JsonOf<AbCommand>::write(*info.command)));
  if (!pair.files[side].empty()) info.file_sha256 = sha256_file_hex(pair.files[side]);
  return info;
}

}  // namespace

AbSides plan_command_sides(const AbRequest& request, const Arguments& arguments, int cancel_descriptor,
                           AbDocument& document, Settling& settle) {
  const AbCommandRequest& commands = request.commands;
  const auto pair = std::make_shared<CommandPair>();
  pair->rules = commands.rules;
  pair->rules.instructions = request.decide_by == DecideBy::instructions;
  pair->commands = commands.sides;
  pair->warmup = request.plan.timing.warmup.value_or(0);
  pair->order_seed = request.policy.order_seed;
  pair->limits = ab_limits(request.plan.timeout_s.value_or(0), request.plan.memory_limit_bytes.value_or(0),
                           cancel_descriptor);
  for (std::size_t side = 0; side < 2; ++side) {
    place(pair->commands[side], side == 0 ? 'a' : 'b');
    pair->files[side] = program_file(pair->commands[side]);
    pair->file_states[side] = file_state_of(pair->files[side]);
  }
  document.settings.outputs_may_differ = commands.outputs_may_differ;
  document.samples.cases = {{kCaseName, std::nullopt}};
  document.run.exec = true;
  document.run.commands = pair->rules;
  if (pair->rules.gbench) pair->runs = request.plan.timing.repetitions.value_or(1);
  if (request.resume) {
    const JournalHeader header = ab_header(*request.resume);
    take_plan(header, document);
    document.samples.cases = cases_of(header);
    if (!pair->rules.gbench) pair->runs = document.run.warm_runs;
  } else if (pair->rules.gbench) {
    settle = plan_by_gbench_trial(request, arguments, *pair, document);
  } else {
    settle = plan_by_trial(request, arguments, *pair, document);
  }
  if (pair->rules.gbench)
    for (const AbCase& one : document.samples.cases) pair->benchmarks.push_back(one.name);
  note_outcomes(pair->rules, document);
  for (std::size_t side = 0; side < 2; ++side)
    (side == 0 ? document.a : document.b) = command_side_info(*pair, side, commands.labels[side]);
  const auto runner = [pair](const AbUnitTask& task) -> std::optional<CaseResult> {
    CommandUnitPlan plan;
    plan.warmup = pair->warmup;
    plan.runs = pair->runs;
    if (pair->rules.gbench) plan.benchmark = pair->benchmarks[task.case_index];
    auto ran = run_side(*pair, task.side, std::move(plan));
    if (!ran) return std::nullopt;
    return CaseResult{std::move(ran->unit), {}};
  };
  const std::string rules = compact_json(JsonOf<AbCommandRules>::write(pair->rules));
  return {with_first_units(runner, pair->first),
          {sha256_hex(rules + document.a.program_sha256), sha256_hex(rules + document.b.program_sha256)}};
}

}  // namespace aqbench::cli
