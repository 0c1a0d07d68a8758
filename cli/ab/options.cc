#include "cli/ab/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "cli/plan_options.h"
#include "core/error.h"
#include "harness/ab/validation.h"
#include "harness/project/project.h"
#include "harness/statistics/pair_plan.h"

namespace aqbench::cli {
namespace {

// Runs of a unit that are thrown away where --warmup is not given.
constexpr int kUnitWarmup = 1;
constexpr int kDefaultLooks = 3;
// Warm runs of a unit where --repetitions is not given: of a case, of one with --quick; where the program is
// compared with itself, whose case is short, so that of ten runs one is free of a busy neighbour more often
// than of five; and where metrics are validated, for which an output is enough.
constexpr int kUnitRepetitions = 5, kFewestRepetitions = 3, kAaRepetitions = 10, kMetricRepetitions = 0;

constexpr std::size_t kMaxPairs = 2000;

[[noreturn]] void refuse_ab(const std::string& why) { throw Error(ErrorKind::usage, why); }

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
  if (request.variant->values.size() != 2) value.refuse_text("expected two values");
}

void read_order_seed(AbRequest& request, const FlagValue& value) {
  const auto seed = value.number<std::int64_t>();
  if (seed < 0) refuse_ab("--order-seed: must not be negative");
  request.policy.order_seed = static_cast<std::uint64_t>(seed);
}

using Policy = AbRequest::Policy;
template <auto kShare>
constexpr auto read_share = [](AbRequest& r, const FlagValue& v) { r.policy.*kShare = share_of(v); };

const Flag<AbRequest> kSideFlags[] = {
    {{.name = "a", .value_name = "BIN", .help = "the program that is known: an aqbench of another build"},
     into<&AbRequest::binary_a>},
    {{.name = "b", .value_name = "BIN", .help = "the program in question"}, into<&AbRequest::binary_b>},
    {{.name = "variant",
      .value_name = "NAME=x,y",
      .help = "compare two values of an axis within this program: A is x, B is y"},
     read_variant},
    {{.name = "samples",
      .value_name = "FILE",
      .help = "judge the units in this JSON file and run nothing (docs/comparing.md)"},
     into<&AbRequest::samples>},
    {{.name = "calibrate",
      .help = "compare this program 20 times with itself and 20 times with itself 5 % slower, and count the "
              "verdicts: how far comparisons can be trusted on this machine; with --metric only the former"},
     into<&AbRequest::calibrate>},
    {{.name = "live",
      .value_name = "N",
      .help = "compare this program N times with itself; with --calibrate N in place of 20"},
     [](AbRequest& r, const FlagValue& v) { r.live = count_of(v, 1, kMaxComparisons); }},
    {{.name = "resume",
      .value_name = "BUNDLE",
      .help = "go on with an interrupted comparison or calibration"},
     into<&AbRequest::resume>},
    {{.name = "calibration",
      .value_name = "BUNDLE",
      .help = "a bundle of --calibrate: its false-alarm rate, and its case's own tau"},
     into<&AbRequest::validation>},
    {{.name = "case",
      .value_name = "PATTERN",
      .help = "only the planned cases with such a name; may be repeated",
      .repeatable = true},
     into<&AbRequest::case_globs>},
};

const Flag<AbRequest> kJudgingFlags[] = {
    {{.name = "policy",
      .value_name = "NAME",
      .help = "sensitive: tau 2 %, delta 5 %; gate: tau 5 %, delta 8 %",
      .default_value = "sensitive"},
     into<&AbRequest::policy, &Policy::name>},
    {{.name = "tau", .value_name = "SHARE", .help = "REGRESSED above this change, e.g. 2%"},
     read_share<&Policy::tau>},
    {{.name = "delta",
      .value_name = "SHARE",
      .help = "PASS where the change is certainly below this, e.g. 5%; a run above (1 + delta)^2 times the "
              "typical one is slow"},
     read_share<&Policy::delta>},
    {{.name = "alpha",
      .value_name = "SHARE",
      .help = "chance of any false REGRESSED in all cases and looks (default 0.01)"},
     read_share<&Policy::alpha>},
    {{.name = "looks",
      .value_name = "K",
      .help = "planned looks at the data: the first and the top-ups (default 3)"},
     [](AbRequest& r, const FlagValue& v) { r.policy.looks = static_cast<int>(count_of(v, 1, 100)); }},
    {{.name = "pairs",
      .value_name = "N",
      .help = "pairs of each case and look (default: 24, or as many as the rule needs)"},
     [](AbRequest& r, const FlagValue& v) { r.pairs = count_of(v, 1, kMaxPairs); }},
    {{.name = "no-confirm", .help = "let a flag count without fresh pairs"},
     turn_off<&AbRequest::policy, &Policy::confirm>},
    {{.name = "separately",
      .help = "judge each case as if it were alone: to check the statistics, not a build"},
     into<&AbRequest::policy, &Policy::separately>},
};

const Flag<AbRequest> kRunningFlags[] = {
    {{.name = "exec",
      .help = "start the program anew for every unit instead of forking it (always so with --a and --b)"},
     into<&AbRequest::exec>},
    {{.name = "different-builds", .help = "compare programs whose build type or sanitizers differ"},
     into<&AbRequest::different_builds>},
    {{.name = "allow-inconclusive", .help = "exit 0 where nothing could be decided; a TRADE stays 5"},
     into<&AbRequest::allow_inconclusive>},
    {{.name = "order-seed",
      .value_name = "N",
      .help = "seed of the coins and of the bootstrap",
      .default_value = "42"},
     read_order_seed},
    {{.name = "out",
      .value_name = "DIR",
      .help = "where bundles are made (--samples: only where given)",
      .default_value = "out"},
     into<&AbRequest::out>},
    {{.name = "sign",
      .value_name = "KEY.pem",
      .help = "sign the bundle with this Ed25519 private key (aqbench verify --pubkey)"},
     into<&AbRequest::sign>},
    {{.name = "json", .help = "print units and verdicts as JSON instead of the table"}, into<&AbRequest::json>},
    {{.name = "html",
      .value_name = "FILE",
      .help =
          "also write a page: verdicts, distributions, pairs, drift (aqbench report BUNDLE makes it later)"},
     into<&AbRequest::html>},
};

// Returns the settings of the policy as it was given; `looks` is used where --looks is not given.
AbSettings settings_of(const Policy& given, int looks) {
  AbSettings settings;
  settings.policy = paired_policy(given.name);
  PairedPolicy& policy = settings.policy;
  policy.tau = given.tau.value_or(policy.tau);
  policy.delta = given.delta.value_or(std::max(policy.delta, policy.tau));
  policy.alpha = given.alpha.value_or(policy.alpha);
  policy.looks = given.looks.value_or(looks);
  const double draws =
      std::ceil(2 * policy.looks / policy.alpha);  // so many reach into the bootstrap's tails
  if (!(draws <= kMaxBootstrapDraws))
    refuse_ab(fmt::format("--alpha {}: with {} looks at least {:.2g}", policy.alpha, policy.looks,
                          2.0 * policy.looks / kMaxBootstrapDraws));
  policy.bootstrap_draws = std::max(policy.bootstrap_draws, static_cast<int>(draws));
  policy.seed = given.order_seed;
  settings.confirm = given.confirm;
  settings.separately = given.separately;
  check(policy);
  return settings;
}

void check_sides(const AbRequest& request) {
  const bool programs = !request.binary_a.empty() || !request.binary_b.empty();
  const bool methods = !request.metrics.methods[0].empty();
  const int kinds = programs + request.commands.given() + request.variant.has_value() + methods +
                    request.metrics.of_bundles() + request.samples.has_value() + request.validates();
  if (kinds == 0)
    refuse_ab(
        "nothing to compare: give --a BIN --b BIN, --cmd-a CMD --cmd-b CMD, --variant NAME=x,y, --method-a "
        "with --method-b, --bundle-a with --bundle-b, --samples FILE, --calibrate or --live N");
  if (kinds > 1)
    refuse_ab(
        "give one of --a with --b, --cmd-a with --cmd-b, --variant, --method-a with --method-b, --bundle-a "
        "with --bundle-b, --samples and --calibrate or --live");
  if (request.sign && request.samples && !request.given.contains("out"))
    refuse_ab("--sign with --samples needs --out DIR: there is no bundle to sign");
  if (programs && (request.binary_a.empty() || request.binary_b.empty()))
    refuse_ab(request.binary_a.empty() ? "--b without --a BIN" : "--a without --b BIN");
}

// Fills in how often a unit runs its case; once, cold, where no time is judged (usual_repetitions 0).
void complete_timing(TimingRequest& timing, int usual_repetitions) {
  check(timing);
  if (usual_repetitions == 0 && timing.warmup && timing.repetitions.value_or(0) == 0)
    refuse_ab("--warmup: needs --repetitions, since a unit runs its case once where no time is judged");
  if (!timing.repetitions) timing.repetitions = usual_repetitions;
  if (!timing.warmup && *timing.repetitions > 0) timing.warmup = kUnitWarmup;
  if (*timing.repetitions < kFewestRepetitions && *timing.repetitions != usual_repetitions)
    refuse_ab(fmt::format("--repetitions {}: a unit needs at least {} warm runs", *timing.repetitions,
                          kFewestRepetitions));
}

}  // namespace

CommandLine<AbRequest> ab_command_line() {
  CommandLine<AbRequest> line{
      "aqbench ab (--a BIN --b BIN | --cmd-a CMD --cmd-b CMD | --gbench-a CMD --gbench-b CMD |\n"
      "            --variant NAME=x,y | --method-a NAME --method-b NAME |\n"
      "            --bundle-a BUNDLE --bundle-b BUNDLE |\n"
      "            --samples FILE | --calibrate | --live N | --resume BUNDLE) [OPTION]...",
      "Is B slower than A? Measures both in pairs, in an order drawn by coin, each unit in a fresh\n"
      "process, with an exact test of typical runs and a count of slow ones. Outputs come first: where\n"
      "those of B are worse, the case is INVALID. Leaves a bundle that `aqbench verify` works out again.\n"
      "\n"
      "  aqbench ab --a build/old/aqbench --b build/new/aqbench --suite seed\n"
      "  aqbench ab --a old --b new --policy gate --case 'undulating/*'\n"
      "  aqbench ab --variant kernel=torch,fused --workload plane_sweep\n"
      "  aqbench ab --cmd-a 'old/solve data' --cmd-b 'new/solve data' --compare-output cloud.ply\n"
      "  aqbench ab --method-a mine:fast --method-b mine:fine --metric accuracy_rmse_mm --margin 5%\n"
      "  aqbench ab --calibrate\n"
      "  aqbench ab --calibrate --scene undulating --method mine --metric accuracy_rmse_mm\n"
      "  aqbench ab --live 20\n"
      "\n"
      "Exit 0 pass, faster, better or equivalent, 1 regressed, worse or invalid, 2 usage or input, 3 a\n"
      "case failed, 4 not comparable, 5 inconclusive or a trade, 6 disk full or unreadable,\n"
      "130 interrupted.",
      {}};
  for (const std::span<const Flag<AbRequest>> table :
       {std::span<const Flag<AbRequest>>(kSideFlags), {kJudgingFlags}, {kRunningFlags}})
    line.flags.insert(line.flags.end(), table.begin(), table.end());
  append_flags<AbRequest, AbCommandRequest>(line.flags, ab_command_flags(), &AbRequest::commands);
  append_flags<AbRequest, AbMetricRequest>(line.flags, ab_metric_flags(), &AbRequest::metrics);
  append_flags<AbRequest, CommandTrust>(line.flags, command_trust_flags(), &AbRequest::trust);
  append_plan_flags(line.flags, selection_flags(), &AbRequest::plan);
  append_plan_flags(line.flags, case_flags(), &AbRequest::plan);
  return line;
}

void complete_ab_request(AbRequest& request) {
  for (const auto& flag : command_trust_flags())
    if (request.given.contains(flag.name))
      refuse_ab(fmt::format("--{}: only with --resume; your own comparison needs no consent", flag.name));
  check_sides(request);
  check_ab_metrics(request.metrics, request.given);
  check_ab_commands(request.commands, request.given);
  if (!request.samples) use_current_project(request.plan);
  request.injects = std::exchange(request.plan.injects, {});
  if (request.commands.given())
    check(request.plan.timing);
  else
    complete_timing(request.plan.timing, request.commands.quick          ? kFewestRepetitions
                                         : !request.validates()          ? kUnitRepetitions
                                         : request.metrics.names.empty() ? kAaRepetitions
                                                                         : kMetricRepetitions);
  if (request.validates() && !request.injects.empty()) refuse_ab("--inject: --calibrate has its own delay");
  if (!request.metrics.names.empty() && request.samples) refuse_ab("--metric: not with --samples");
  const bool one_look = request.samples || request.metrics.of_bundles();
  request.settings = settings_of(request.policy, one_look ? 1 : kDefaultLooks);
  request.settings.outcomes = metric_outcomes(request.metrics);
  if (!request.validates()) return;
  request.settings.separately = true;  // each comparison is one of its own
  request.settings.wall_time = request.metrics.names.empty();
}

}  // namespace aqbench::cli
