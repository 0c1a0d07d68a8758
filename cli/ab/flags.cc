#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <string_view>

#include "cli/ab/options.h"
#include "cli/options.h"
#include "core/text.h"
#include "harness/ab/ab_command.h"
#include "harness/ab/report.h"

namespace aqbench::cli {
namespace {

// ---- Modes: what is compared ----

enum : Modes {
  kAbPrograms = 1,
  kAbVariant = 2,
  kAbMethods = 4,
  kAbCommands = 8,
  kAbGbench = 16,
  kAbBundles = 32,
  kAbSamples = 64,
  kAbCalibration = 128,
  kAbResumed = 256,
  kAbSides = kAbPrograms | kAbVariant | kAbMethods,
  kAbCases = kAbSides | kAbCalibration,
  kAbProcesses = kAbCommands | kAbGbench,
  kAbMeasured = kAbCases | kAbProcesses,
  kAbJudged = kAbMeasured | kAbBundles | kAbSamples
};

constexpr ModeText kAbModes[] = {{kAbPrograms, "--a"},
                                 {kAbVariant, "--variant"},
                                 {kAbMethods, "--method-a"},
                                 {kAbCommands, "--cmd-a", "has no cases"},
                                 {kAbGbench, "--gbench-a", "measures by itself"},
                                 {kAbBundles, "--bundle-a", "runs nothing"},
                                 {kAbSamples, "--samples", "runs nothing"},
                                 {kAbCalibration, "--calibrate"},
                                 {kAbResumed, "--resume", "measures what was planned"}};

// ---- Readers ----

using Commands = AbCommandRequest;
using Metrics = AbMetricRequest;
using Policy = AbRequest::Policy;

constexpr std::size_t kMaxPairs = 2000;

// Reads "5%" or "0.05". A plain "5" is refused: it could mean either.
double share_of(const FlagValue& value) {
  std::string_view text = value.text;
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  const auto number = parse_double(text);
  if (!number || !std::isfinite(*number) || *number < 0 || (!percent && *number >= 1))
    value.refuse_text("expected a share like 5% or 0.05");
  return percent ? *number / 100 : *number;
}

std::size_t count_of(const FlagValue& value, std::size_t least, std::size_t most) {
  const auto count = value.number<std::int64_t>();
  if (count < static_cast<std::int64_t>(least) || count > static_cast<std::int64_t>(most))
    value.refuse(count, fmt::format("must be {} to {}", least, most));
  return static_cast<std::size_t>(count);
}

void read_variant(AbRequest& request, const FlagValue& value) {
  request.variant = parse_axis(value.text);
  if (request.variant->values.size() < 2) value.refuse_text("expected two or more values");
}

template <auto kShare>
constexpr auto read_share = [](AbRequest& r, const FlagValue& v) { r.policy.*kShare = share_of(v); };

// Store a value in the field of one side.
template <std::size_t kSide, auto kField>
constexpr auto command_side =
    [](AbRequest& r, const FlagValue& v) { r.commands.sides[kSide].*kField = v.text; };
template <std::size_t kSide, auto kField>
constexpr auto metric_side = [](AbRequest& r, const FlagValue& v) { (r.metrics.*kField)[kSide] = v.text; };

template <std::size_t kSide>
constexpr auto read_label = [](AbRequest& r, const FlagValue& v) { r.commands.labels[kSide] = v.text; };

template <std::size_t kSide>
constexpr auto read_gbench = [](AbRequest& r, const FlagValue& v) {
  r.commands.sides[kSide].line = v.text;
  r.commands.rules.gbench = true;
};

template <std::size_t kSide>
constexpr auto read_variable = [](AbRequest& r, const FlagValue& v) {
  const std::size_t equals = v.text.find('=');
  if (equals == std::string::npos || equals == 0) v.refuse_text("expected NAME=VALUE");
  r.commands.sides[kSide].environment.emplace_back(v.text.substr(0, equals), v.text.substr(equals + 1));
};

// ---- The table, in the order of the help ----

const Flag<AbRequest> kSideFlags[] = {
    {"a", "BIN", kAbPrograms, "the program that is known: an aqbench of another build",
     into<&AbRequest::binary_a>, needs("b")},
    {"b", "BIN", kAbPrograms, "the program in question", into<&AbRequest::binary_b>, needs("a")},
    {"variant", "NAME=x,y", kAbVariant, "values of an axis of this program: A is x, B y (and z, ...)",
     read_variant},
    {"method-a", "NAME", kAbMethods | kAbBundles,
     "A's method, in place of --method; of a bundle the one that its others, or --method-b, are held against",
     metric_side<0, &Metrics::methods>},
    {"method-b", "NAME", kAbMethods | kAbBundles, "B's method", metric_side<1, &Metrics::methods>,
     needs("method-a")},
    {"cmd-a", "CMD", kAbCommands, "any command, as a line for /bin/sh: side A",
     command_side<0, &AbCommand::line>, needs("cmd-b")},
    {"cmd-b", "CMD", kAbCommands, "and side B", command_side<1, &AbCommand::line>, needs("cmd-a")},
    {"gbench-a", "CMD", kAbGbench,
     "a program of Google Benchmark, judged by the time per iteration that it measured: side A, each of its "
     "benchmarks a case",
     read_gbench<0>, needs("gbench-b")},
    {"gbench-b", "CMD", kAbGbench, "and side B", read_gbench<1>, needs("gbench-a")},
    {"bundle-a", "BUNDLE", kAbBundles,
     "judge --metric over the seeds of this sweep (--repeat) or import and run nothing",
     metric_side<0, &Metrics::bundles>, needs("bundle-b|method-a,metric")},
    {"bundle-b", "BUNDLE", kAbBundles, "and of this one; without it --method-a is held against the others",
     metric_side<1, &Metrics::bundles>, needs("bundle-a,metric")},
    {"samples", "FILE", kAbSamples,
     "judge the units in this JSON file and run nothing; or A's times as Google Benchmark, hyperfine, "
     "pytest-benchmark or Criterion wrote them, a folder of files for pairs (docs/comparing.md)",
     into<&AbRequest::samples>},
    {"samples-b", "FILE", kAbSamples, "and B's times, where --samples has A's alone",
     into<&AbRequest::samples_b>, needs("samples")},
    {"calibrate", nullptr, kAbCalibration,
     "compare this program 20 times with itself and 20 times with itself 5 % slower, and count the verdicts: "
     "how far comparisons can be trusted on this machine; with --metric only the former",
     into<&AbRequest::calibrate>},
    {"live", "N", kAbCalibration,
     "compare this program N times with itself; with --calibrate N in place of 20",
     [](AbRequest& r, const FlagValue& v) { r.live = count_of(v, 1, kMaxComparisons); }},
    {"resume", "BUNDLE", kAbResumed, "go on with an interrupted comparison or calibration",
     into<&AbRequest::resume>},
    {"calibration", "BUNDLE", kAbCases,
     "a bundle of --calibrate: its false-alarm rate, and its case's own tau", into<&AbRequest::validation>},
    {"case", "PATTERN", kAbCases,
     "only the planned cases with such a name, whole or shortened as in tables; may be repeated",
     into<&AbRequest::case_globs>, repeated()},
};

const Flag<AbRequest> kCommandFlags[] = {
    {"cwd-a", "DIR", kAbProcesses, "where A runs (default: here)", command_side<0, &AbCommand::folder>},
    {"cwd-b", "DIR", kAbProcesses, "where B runs", command_side<1, &AbCommand::folder>},
    {"env-a", "NAME=VALUE", kAbProcesses, "a variable of A's environment; may be repeated", read_variable<0>,
     repeated()},
    {"env-b", "NAME=VALUE", kAbProcesses, "a variable of B's environment; may be repeated", read_variable<1>,
     repeated()},
    {"prepare-a", "CMD", kAbProcesses, "runs before each run of A and is not timed",
     command_side<0, &AbCommand::prepare>},
    {"prepare-b", "CMD", kAbProcesses, "runs before each run of B and is not timed",
     command_side<1, &AbCommand::prepare>},
    {"label-a", "TEXT", kAbProcesses, "what reports call A", read_label<0>},
    {"label-b", "TEXT", kAbProcesses, "what reports call B", read_label<1>},
    {"compare-output", "FILE", kAbCommands, "the output is this file below each side's folder, not stdout",
     into<&AbRequest::commands, &Commands::rules, &AbCommandRules::compare_output>},
    {"outputs-may-differ", nullptr, kAbCommands, "B may write something else than A",
     into<&AbRequest::commands, &Commands::outputs_may_differ>},
    {"any-exit-code", nullptr, kAbCommands, "an exit code that is not 0 is part of the output, not a failure",
     into<&AbRequest::commands, &Commands::rules, &AbCommandRules::any_exit_code>},
    {"quick", nullptr, kAbSides | kAbProcesses | kAbBundles | kAbSamples,
     "say within a minute what can be said, as soon as it can, and what would settle the rest",
     into<&AbRequest::commands, &Commands::rules, &AbCommandRules::quick>},
};

const Flag<AbRequest> kJudgingFlags[] = {
    {"metric", "NAME", kAbCases | kAbBundles,
     "also judge this metric over the pairs: BETTER, WORSE, EQUIVALENT; may be repeated",
     into<&AbRequest::metrics, &Metrics::names>, repeated()},
    {"margin", "[NAME=]X[%]", kAbCases | kAbBundles,
     "how much of a metric does not matter: a share or in its unit (default 5%)",
     into<&AbRequest::metrics, &Metrics::margins>, needs("metric", repeated())},
    {"paired-over", "seeds|runs|scenes", kAbCases | kAbBundles,
     "metrics: each pair has a seed of its own, or runs the same case; of bundles scenes: one case of all "
     "scenes and seeds",
     into<&AbRequest::metrics, &Metrics::paired_over>, needs("metric", usually("seeds"))},
    {"decide-by", "wall|cpu|instructions|both", kAbMeasured | kAbSamples,
     "what decides; both: CPU time, and wall time may fail it (default: wall; both where the machine is "
     "loaded and a case uses one thread)",
     [](AbRequest& r, const FlagValue& v) { r.decide_by = read_decide_by(v, true); }},
    {"policy", "sensitive|gate", kAbJudged, "sensitive: tau 2 %, delta 5 %; gate: tau 5 %, delta 8 %",
     into<&AbRequest::policy, &Policy::name>, usually("sensitive")},
    {"tau", "SHARE", kAbJudged, "REGRESSED above this change, e.g. 2%", read_share<&Policy::tau>},
    {"delta", "SHARE", kAbJudged,
     "PASS where the change is certainly below this, e.g. 5%; a run above (1 + delta)^2 times the typical "
     "one is slow",
     read_share<&Policy::delta>},
    {"alpha", "SHARE", kAbJudged, "chance of any false REGRESSED in all cases and looks (default 0.01)",
     read_share<&Policy::alpha>},
    {"looks", "K", kAbJudged, "planned looks at the data: the first and the top-ups (default 3)",
     [](AbRequest& r, const FlagValue& v) { r.policy.looks = static_cast<int>(count_of(v, 1, 100)); }},
    {"pairs", "N", kAbMeasured, "pairs of each case and look (default: 24, or as many as the rule needs)",
     [](AbRequest& r, const FlagValue& v) { r.pairs = count_of(v, 1, kMaxPairs); }},
    {"no-confirm", nullptr, kAbJudged, "let a flag count without fresh pairs",
     turn_off<&AbRequest::policy, &Policy::confirm>},
    {"separately", nullptr, kAbJudged & ~kAbProcesses,
     "judge each case as if it were alone: to check the statistics, not a build",
     into<&AbRequest::policy, &Policy::separately>},
    {"allow-inconclusive", nullptr, kEveryMode, "exit 0 where nothing could be decided; a TRADE stays 5",
     into<&AbRequest::allow_inconclusive>},
};

const Flag<AbRequest> kRunningFlags[] = {
    {"exec", nullptr, kAbCases,
     "start the program anew for every unit instead of forking it (always so with --a and --b)",
     into<&AbRequest::exec>},
    {"different-builds", nullptr, kAbPrograms, "compare programs whose build type or sanitizers differ",
     into<&AbRequest::different_builds>},
    {"order-seed", "N", kAbJudged, "seed of the coins and of the bootstrap",
     [](AbRequest& r, const FlagValue& v) { r.policy.order_seed = v.at_least<std::uint64_t>(0); },
     usually("42")},
    {"out", "DIR", kAbJudged, "where bundles are made (--samples, --bundle-a: only where given)",
     into<&AbRequest::out>, usually("out")},
    {"json", nullptr, kEveryMode, "print the comparison as JSON instead of the table",
     into<&AbRequest::json>},
    {"no-report", nullptr, kEveryMode, "write no report.html; aqbench report BUNDLE makes it later",
     into<&AbRequest::no_report>},
    {"html", "FILE", kEveryMode,
     "also write a page: verdicts, distributions, pairs, drift (aqbench report BUNDLE makes it later)",
     into<&AbRequest::html>},
};

// Returns what is compared: the mode of the flags that have one alone. Throws Error(usage) for none or
// several.
Modes mode_of(const AbRequest& request) {
  Modes chosen = 0;
  for (const auto& flag : kSideFlags)
    if (std::has_single_bit(flag.modes) && request.given.contains(flag.name)) chosen |= flag.modes;
  if (chosen == 0 && !request.metrics.methods[0].empty()) chosen = kAbMethods;
  return only_mode(kAbModes, chosen);
}

// Returns in which modes a flag of a plan has a meaning: commands are no cases, and a calibration has a delay
// of its own.
Modes modes_of(std::string_view plan_flag) {
  if (plan_flag == "inject") return kAbSides;
  for (const char* const name : {"repetitions", "warmup", "threads", "timeout", "memory-limit"})
    if (plan_flag == name) return kAbMeasured;
  return kAbCases;
}

}  // namespace

CommandLine<AbRequest> ab_command_line() {
  CommandLine<AbRequest> line{
      "aqbench ab (--a BIN --b BIN | --cmd-a CMD --cmd-b CMD | --gbench-a CMD --gbench-b CMD |\n"
      "            --variant NAME=x,y | --method-a NAME --method-b NAME |\n"
      "            --bundle-a BUNDLE (--bundle-b BUNDLE | --method-a NAME) |\n"
      "            --samples FILE | --calibrate | --live N | --resume BUNDLE) [OPTION]...",
      "Is B slower than A? Measures both in pairs, in an order drawn by coin, each unit in a fresh\n"
      "process, with an exact test of typical runs and a count of slow ones. Outputs come first: where\n"
      "those of B are worse, the case is INVALID. Leaves a bundle that `aqbench verify` works out again.\n"
      "\n"
      "  aqbench ab --a build/old/aqbench --b build/new/aqbench --suite seed\n"
      "  aqbench ab --variant kernel=torch,fused --workload plane_sweep\n"
      "  aqbench ab --cmd-a 'old/solve data' --cmd-b 'new/solve data' --compare-output cloud.ply\n"
      "  aqbench ab --method-a mine:fast --method-b mine:fine --metric accuracy_rmse_mm --margin 5%\n"
      "  aqbench ab --calibrate\n"
      "\n"
      "Exit 0 pass, faster, better or equivalent, 1 regressed, worse or invalid, 2 usage or input, 3 a\n"
      "case failed, 4 not comparable, 5 inconclusive or a trade, 6 disk full or unreadable,\n"
      "130 interrupted.",
      {},
      {},
      kAbModes,
      mode_of};
  append_group(line.flags, "what is compared", kSideFlags);
  append_group(line.flags, "commands", kCommandFlags);
  append_group(line.flags, "judging", kJudgingFlags);
  append_group(line.flags, "running and reporting", kRunningFlags);
  std::vector<Flag<AbRequest>> exports;
  append_flags<AbRequest, GateExports>(exports, gate_export_flags(), &AbRequest::exports);
  append_group(line.flags, "running and reporting", exports);
  std::vector<Flag<AbRequest>> cases, trust;
  append_flags<AbRequest, CommandTrust>(trust, command_trust_flags(), &AbRequest::trust);
  for (Flag<AbRequest>& flag : trust) flag.modes = kAbResumed;
  append_group(line.flags, "going on with what someone else began", trust);
  append_plan_flags(cases, selection_flags(), &AbRequest::plan);
  append_plan_flags(cases, case_flags(), &AbRequest::plan);
  for (Flag<AbRequest>& flag : cases) flag.modes = modes_of(flag.name);
  append_group(line.flags, "cases", cases);
  return line;
}

}  // namespace aqbench::cli
