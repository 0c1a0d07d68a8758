#include "cli/ab_options.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <utility>

#include "cli/plan_options.h"
#include "core/error.h"
#include "harness/ab/aa_validation.h"
#include "harness/statistics/pair_plan.h"

namespace aqbench::cli {
namespace {

// Warm runs of a unit, where nothing else is asked for.
constexpr int kUnitRepetitions = 5;
constexpr int kUnitWarmup = 1;
constexpr int kDefaultLooks = 3;
constexpr std::size_t kCalibrationPairs = 600;
// More runs of a shorter case: the shortest of ten escapes a busy neighbour more often than that of five.
constexpr int kCalibrationRepetitions = 10;

[[noreturn]] void refuse_ab(const std::string& why) { throw Error(ErrorKind::usage, why); }

// "5", "5%" and "0.05" would be easy to mix up: a share has a % sign or is below 1.
double read_share(const po::variables_map& values, const char* name, double fallback) {
  if (values.count(name) == 0) return fallback;
  std::string text = values[name].as<std::string>();
  const bool percent = text.ends_with('%');
  if (percent) text.pop_back();
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(number) || number < 0 || (!percent && number >= 1))
    refuse_ab(
        fmt::format("--{} '{}': expected a share like 5% or 0.05", name, values[name].as<std::string>()));
  return percent ? number / 100 : number;
}

std::optional<std::size_t> read_count(const po::variables_map& values, const char* name, std::int64_t least,
                                      std::int64_t most) {
  if (values.count(name) == 0) return std::nullopt;
  const auto value = values[name].as<std::int64_t>();
  if (value < least || value > most)
    refuse_ab(fmt::format("--{} {}: must be {} to {}", name, value, least, most));
  return static_cast<std::size_t>(value);
}

// `looks`: where --looks is not given.
AbSettings read_settings(const po::variables_map& values, int looks) {
  AbSettings settings;
  settings.policy = paired_policy(values["policy"].as<std::string>());
  PairedPolicy& policy = settings.policy;
  policy.tau = read_share(values, "tau", policy.tau);
  policy.delta = read_share(values, "delta", std::max(policy.delta, policy.tau));
  policy.alpha = read_share(values, "alpha", policy.alpha);
  policy.looks =
      static_cast<int>(read_count(values, "looks", 1, 100).value_or(static_cast<std::size_t>(looks)));
  const double draws = std::ceil(2 * policy.looks / policy.alpha);  // the bootstrap's tails need as many
  if (!(draws <= kMaxBootstrapDraws))
    refuse_ab(fmt::format("--alpha {}: with {} looks at least {:.2g}", policy.alpha, policy.looks,
                          2.0 * policy.looks / kMaxBootstrapDraws));
  policy.bootstrap_draws = std::max(policy.bootstrap_draws, static_cast<int>(draws));
  policy.seed = values["order-seed"].as<std::int64_t>() < 0
                    ? (refuse_ab("--order-seed: must not be negative"), 0)
                    : static_cast<std::uint64_t>(values["order-seed"].as<std::int64_t>());
  settings.confirm = values.count("no-confirm") == 0;
  settings.separately = values.count("separately") != 0;
  check(policy);
  return settings;
}

void check_sides(const AbRequest& request) {
  const bool programs = !request.binary_a.empty() || !request.binary_b.empty();
  const bool calibrates = request.calibrate || request.live_runs > 0;
  const int kinds = programs + request.variant.has_value() + request.samples.has_value() + calibrates;
  if (kinds == 0)
    refuse_ab(
        "nothing to compare: give --a BIN --b BIN, --variant NAME=x,y, --samples FILE, --calibrate or "
        "--live N");
  if (kinds > 1) refuse_ab("give one of --a with --b, --variant, --samples and --calibrate or --live");
  if (request.sign && request.samples && !request.out_given)
    refuse_ab("--sign with --samples needs --out DIR: there is no bundle to sign");
  if (programs && (request.binary_a.empty() || request.binary_b.empty()))
    refuse_ab(request.binary_a.empty() ? "--b without --a BIN" : "--a without --b BIN");
}

}  // namespace

CommandLine ab_command_line() {
  CommandLine line{
      "aqbench ab (--a BIN --b BIN | --variant NAME=x,y | --samples FILE | --calibrate | --live N | --resume "
      "BUNDLE) [OPTION]...",
      "Is B slower than A? Measures both in pairs, in an order drawn by coin, each unit in a fresh process,\n"
      "and judges the quieter half of the pairs with an exact test. Outputs come first: where B's are "
      "worse,\n"
      "the case is INVALID, however fast. Leaves a bundle that `aqbench verify` works out again.\n\n"
      "  aqbench ab --a build/old/aqbench --b build/new/aqbench --suite seed\n"
      "  aqbench ab --a old --b new --policy gate --case 'undulating/*'\n"
      "  aqbench ab --variant kernel=torch,fused --workload plane_sweep\n"
      "  aqbench ab --calibrate\n"
      "  aqbench ab --live 20\n\n"
      "Exit 0 pass or faster, 1 regressed or invalid, 2 usage or input, 3 a case failed, 4 not comparable,\n"
      "5 inconclusive, 6 disk full or unreadable, 130 interrupted.",
      make_options(),
      {}};
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  const auto texts = [](const char* name) { return po::value<Strings>()->composing()->value_name(name); };
  const auto count = [](const char* name) { return po::value<std::int64_t>()->value_name(name); };
  auto add = line.options.add_options();
  add("a", text("BIN"), "the program that is known: an aqbench of another build");
  add("b", text("BIN"), "the program in question");
  add("variant", text("NAME=x,y"), "compare two values of an axis within this program: A is x, B is y");
  add("samples", text("FILE"), "judge the units in this JSON file and run nothing (docs/comparing.md)");
  add("calibrate", "measure this machine's false-alarm rate, and whether delays of 5 % are seen");
  add("live", count("N"),
      "run N whole A/A comparisons of a small suite and count the false alarms; with or without --calibrate");
  add("resume", text("BUNDLE"), "go on with an interrupted comparison or calibration");
  add("calibration", text("BUNDLE"), "a bundle of --calibrate: its false-alarm rate, and its case's own tau");
  add("case", texts("PATTERN"), "only the planned cases with such a name; may be repeated");
  add("policy", text("NAME")->default_value("sensitive"),
      "sensitive: tau 2 %, delta 5 %; gate: tau 5 %, delta 8 %");
  add("tau", text("SHARE"), "REGRESSED above this change, e.g. 2%");
  add("delta", text("SHARE"), "PASS where the change is certainly below this, e.g. 5%");
  add("alpha", text("SHARE"), "chance of any false REGRESSED in all cases and looks (default 0.01)");
  add("looks", count("K"), "planned looks at the data: the first and the top-ups (default 3)");
  add("pairs", count("N"),
      "pairs of each case and look (default: 20, or as many as the rule needs); with --calibrate A/A pairs "
      "(default 600)");
  add("delayed-pairs", count("N"), "--calibrate: pairs of each delayed stage (default 160)");
  add("suites", count("N"), "--calibrate: suites drawn from the pairs (default 2000)");
  add("no-confirm", "let a flag count without fresh pairs");
  add("separately", "judge each case as if it were alone: to check the statistics, not a build");
  add("exec", "start the program anew for every unit instead of forking it (always so with --a and --b)");
  add("different-builds", "compare programs whose build type or sanitizers differ");
  add("allow-inconclusive", "exit 0 where nothing could be decided");
  add("order-seed", count("N")->default_value(42), "seed of the coins and of the bootstrap");
  add("out", text("DIR")->default_value("out"), "where bundles are made (--samples: only where given)");
  add("sign", text("KEY.pem"), "sign the bundle with this Ed25519 private key (aqbench verify --pubkey)");
  add("json", "print ab.json to stdout instead of the table");
  add_plan_options(line.options);
  return line;
}

AbRequest read_ab_request(const po::variables_map& values) {
  AbRequest request;
  const auto given = [&](const char* name) {
    return values.count(name) != 0 ? values[name].as<std::string>() : std::string();
  };
  request.binary_a = given("a");
  request.binary_b = given("b");
  if (values.count("variant") != 0) {
    request.variant = parse_axis(given("variant"));
    if (request.variant->values.size() != 2)
      refuse_ab(fmt::format("--variant '{}': expected two values", given("variant")));
  }
  if (values.count("samples") != 0) request.samples = given("samples");
  request.calibrate = values.count("calibrate") != 0;
  request.live_runs = read_count(values, "live", 1, kMaxLiveRuns).value_or(0);
  if (values.count("sign") != 0) request.sign = given("sign");
  request.out = given("out");
  request.out_given = !values["out"].defaulted();
  if (values.count("calibration") != 0) request.calibration = given("calibration");
  check_sides(request);

  request.plan = read_plan_request(values);
  request.injects = std::exchange(request.plan.injects, {});
  TimingRequest& timing = request.plan.timing;
  const bool calibrates = request.calibrate || request.live_runs > 0;
  if (!timing.repetitions) timing.repetitions = calibrates ? kCalibrationRepetitions : kUnitRepetitions;
  if (!timing.warmup) timing.warmup = kUnitWarmup;
  if (*timing.repetitions < 3)
    refuse_ab(fmt::format("--repetitions {}: a unit needs at least 3 warm runs", *timing.repetitions));
  if (calibrates && !request.injects.empty()) refuse_ab("--inject: a calibration has its own delays");
  request.case_globs = strings(values, "case");
  request.settings = read_settings(values, request.calibrate || request.samples ? 1 : kDefaultLooks);
  request.live_settings = read_settings(values, kDefaultLooks);
  constexpr std::size_t fewest = kBlocksPerSeries * kPairsPerSuite;  // there is nothing to draw from fewer
  request.pairs = read_count(values, "pairs", request.calibrate ? fewest : 1, kMaxAaValidationPairs);
  if (request.calibrate && !request.pairs) request.pairs = kCalibrationPairs;
  request.delayed_pairs =
      read_count(values, "delayed-pairs", fewest, kMaxAaValidationPairs).value_or(request.delayed_pairs);
  request.suites = read_count(values, "suites", 1, kMaxAaValidationSuites).value_or(request.suites);
  if (request.calibrate)
    plan_pairs(request.settings.policy, 1, kPairsPerSuite);  // refuses too small an alpha
  request.order_seed = request.settings.policy.seed;
  request.exec = values.count("exec") != 0;
  request.different_builds = values.count("different-builds") != 0;
  request.allow_inconclusive = values.count("allow-inconclusive") != 0;
  request.json = values.count("json") != 0;
  return request;
}

}  // namespace aqbench::cli
