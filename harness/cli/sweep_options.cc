#include "harness/cli/sweep_options.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/journal.h"
#include "reports/test_run.h"
#include "scenes/core/error.h"

namespace aqbench::cli {
namespace {

// Options that say what is run; --resume takes all of it from the bundle.
constexpr const char* kPlanOptions[] = {
    "suite",   "suite-file", "scene",     "method",          "axis",     "set",    "seed",     "repeat",
    "threads", "device",     "timeout",   "memory-limit",    "shard",    "inject", "workload", "repetitions",
    "warmup",  "min-time",   "precision", "max-repetitions", "max-time", "blocks", "rig",      "imaging",
    "width",   "height"};

template <class Value>
std::optional<Value> optional_value(const po::variables_map& values, const char* name) {
  if (values.count(name) == 0) return std::nullopt;
  return values[name].as<Value>();
}

// Unsigned options are read as signed, since the parser would wrap "-1" around.
std::optional<std::uint64_t> count_value(const po::variables_map& values, const char* name,
                                         std::int64_t least) {
  const auto value = optional_value<std::int64_t>(values, name);
  if (!value) return std::nullopt;
  if (*value < least)
    throw Error(ErrorKind::usage, fmt::format("--{} {}: must be at least {}", name, *value, least));
  return static_cast<std::uint64_t>(*value);
}

std::optional<double> positive_value(const po::variables_map& values, const char* name) {
  const auto value = optional_value<double>(values, name);
  if (value && !(std::isfinite(*value) && *value > 0))
    throw Error(ErrorKind::usage, fmt::format("--{} {}: must be a positive number", name, *value));
  return value;
}

std::optional<int> pixel_value(const po::variables_map& values, const char* name) {
  const auto value = count_value(values, name, 1);
  if (value && *value > kMaxImageSide_px)
    throw Error(ErrorKind::usage, fmt::format("--{} {}: must be at most {}", name, *value, kMaxImageSide_px));
  return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

PlanRequest read_plan_request(const po::variables_map& values) {
  PlanRequest plan;
  if (values.count("suite") != 0 && values.count("suite-file") != 0)
    throw Error(ErrorKind::usage, "give --suite or --suite-file, not both");
  plan.suite = optional_value<std::string>(values, "suite").value_or("");
  if (const auto file = optional_value<std::string>(values, "suite-file"))
    plan.own_suite = read_suite_file(*file);
  plan.scenes = strings(values, "scene");
  plan.methods = strings(values, "method");
  plan.workloads = strings(values, "workload");
  plan.timing.repetitions = optional_value<int>(values, "repetitions");
  plan.timing.warmup = optional_value<int>(values, "warmup");
  plan.timing.max_repetitions = optional_value<int>(values, "max-repetitions");
  plan.timing.blocks = optional_value<int>(values, "blocks");
  plan.timing.min_time_s = optional_value<double>(values, "min-time");
  plan.timing.max_time_s = optional_value<double>(values, "max-time");
  if (const auto percent = optional_value<double>(values, "precision"))
    plan.timing.precision = *percent / 100;
  check(plan.timing);
  for (const std::string& text : strings(values, "axis")) plan.axes.push_back(parse_axis(text));
  for (const std::string& text : strings(values, "set")) plan.sets.push_back(parse_override(text));
  for (const std::string& text : strings(values, "inject")) plan.injects.push_back(parse_inject(text));
  plan.seed = count_value(values, "seed", 0);
  plan.repeat = count_value(values, "repeat", 1);
  plan.threads = optional_value<int>(values, "threads");
  if (plan.threads && *plan.threads < 1)
    throw Error(ErrorKind::usage, fmt::format("--threads {}: must be at least 1", *plan.threads));
  plan.images.rig = optional_value<std::string>(values, "rig");
  plan.images.imaging = optional_value<std::string>(values, "imaging");
  plan.images.width_px = pixel_value(values, "width");
  plan.images.height_px = pixel_value(values, "height");
  plan.device = optional_value<std::string>(values, "device");
  plan.timeout_s = positive_value(values, "timeout");
  if (const auto gib = positive_value(values, "memory-limit"))
    plan.memory_limit_bytes = static_cast<std::uint64_t>(*gib * 0x1p30);
  if (const auto shard = optional_value<std::string>(values, "shard")) plan.shard = parse_shard(*shard);
  return plan;
}

}  // namespace

CommandLine sweep_command_line() {
  CommandLine line{
      "aqbench sweep [OPTION]...",
      "Runs every case (scene x method x seed x axes, or workload x seed x axes) in a process of its own,\n"
      "scores it against the exact surface or proves and times it, and leaves a bundle: results,\n"
      "environment, journal, hashes. Without options: suite `seed`.\n\n"
      "  aqbench sweep --suite seed --baseline baselines/seed.json --gate\n"
      "  aqbench sweep --scene 'und*' --method roma_like --repeat 10\n"
      "  aqbench sweep --scene undulating --axis undulating.amplitude_m=0.002:0.008:0.002\n"
      "  aqbench sweep --workload absorption --axis variant=loop,torch,fused --precision 2\n"
      "  aqbench sweep --resume out/20261120T101500Z\n\n"
      "Exit 0 pass, 1 the gate failed, 2 usage or input, 3 a case failed, 4 not comparable, 6 disk full or\n"
      "unreadable, 130 interrupted.",
      make_options(),
      {}};
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  const auto texts = [](const char* name) { return po::value<Strings>()->composing()->value_name(name); };
  auto add = line.options.add_options();
  add("suite", text("NAME"), "a registered suite (aqbench list suites)");
  add("suite-file", text("FILE"), "a suite of your own, JSON");
  add("scene", texts("S"), "scene name or pattern, or mesh:FILE.ply; may be repeated");
  add("method", texts("M"), "method name or pattern, method:preset for a preset; may be repeated");
  add("workload", texts("W"), "workload name or pattern (aqbench list workloads); may be repeated");
  add("axis", texts("AXIS"),
      "NAME=a,b,c | NAME=start:stop:step | NAME[pow2]=4:10; NAME is seed, threads, device, rig, imaging, "
      "width, height, a parameter of a workload, or OWNER.PARAMETER");
  add("set", texts("NAME=VALUE"),
      "OWNER.PARAMETER=VALUE of a scene, method, rig or imaging (aqbench list shows them); may be repeated");
  add("rig", text("RIG"), "cameras that real methods see through (aqbench list rigs; default ring12)");
  add("imaging", text("VARIANT"), "how their images are made (aqbench list imaging; default: default)");
  add("width", po::value<std::int64_t>()->value_name("PX"),
      "width of the images, px; alone, the height follows (default: the rig's, 1600)");
  add("height", po::value<std::int64_t>()->value_name("PX"), "height of the images, px");
  add("seed", po::value<std::int64_t>()->value_name("N"), "first seed (default: the suite's, 42)");
  add("repeat", po::value<std::int64_t>()->value_name("N"), "number of consecutive seeds");
  add("threads", po::value<int>()->value_name("N"),
      "threads per case; changes no metric (default: all processors)");
  add("device", text("DEVICE"), "cpu or cuda (default: cpu)");
  add("timeout", po::value<double>()->value_name("S"), "seconds per case (default 600)");
  add("memory-limit", po::value<double>()->value_name("GIB"),
      "GiB of resident memory per case (default: 75 % of the machine)");
  add("repetitions", po::value<int>()->value_name("N"),
      "warm runs to time, after the cold one (default: 0 of methods, 10 of workloads)");
  add("warmup", po::value<int>()->value_name("N"),
      "runs thrown away before (default: 1 of methods, 2 of workloads)");
  add("min-time", po::value<double>()->value_name("S"), "go on until warm runs sum up to S seconds");
  add("precision", po::value<double>()->value_name("PCT"),
      "go on until half the 95 % interval of the median is at most PCT % of it");
  add("max-repetitions", po::value<int>()->value_name("N"), "ceiling of warm runs (default 1000)");
  add("blocks", po::value<int>()->value_name("N"),
      "processes a case, all of them warm and in turn with those of other cases, for paired comparisons "
      "(default 1)");
  add("max-time", po::value<double>()->value_name("S"), "ceiling of a case's warm seconds (default 60)");
  add("shard", text("i/n"), "i/n: the i-th of n parts of the cases");
  add("out", text("DIR")->default_value("out"), "where bundles are made");
  add("resume", text("BUNDLE"), "finish the sweep of this bundle");
  add("baseline", text("FILE"), "compare with these accepted values");
  add("gate", "let the comparison decide the exit code");
  add_gate_export_options(line.options);
  add("note", texts("TEXT"), "a note for the bundle; may be repeated");
  add("with-tests", po::value<std::string>()->value_name("[=DIR]")->implicit_value(""),
      "list and run the tests of a build folder (default: this program's) into tests.log; exit 1 if one "
      "fails");
  add("sign", text("KEY.pem"), "sign the bundle with this Ed25519 private key (aqbench verify --pubkey)");
  add("keep-clouds", "keep what was scored, as PLY, in the bundle's clouds/");
  add("dry-run", "print the cases and stop");
  add("json", "print results.json to stdout instead of the table");
  add("inject", texts("FAULT"),
      "CASE_GLOB:STAGE=+5%|20ms|throw|abort|hang|oom|corrupt: a fault on purpose, for testing");
  return line;
}

SweepRequest read_sweep_request(const po::variables_map& values) {
  SweepRequest request;
  if (const auto bundle = optional_value<std::string>(values, "resume")) {
    for (const char* name : kPlanOptions)
      if (values.count(name) != 0 && !values[name].defaulted())
        throw Error(ErrorKind::usage,
                    fmt::format("--{} with --resume: a resumed sweep runs what was planned", name));
    request.resume = *bundle;
    request.plan = read_journal(*bundle, TornTail::accept).header.request;
  } else {
    request.plan = read_plan_request(values);
  }
  request.out = values["out"].as<std::string>();
  if (const auto file = optional_value<std::string>(values, "baseline")) request.baseline = *file;
  request.gate = values.count("gate") != 0;
  if (request.gate && !request.baseline) throw Error(ErrorKind::usage, "--gate needs --baseline FILE");
  request.gate_exports = read_gate_exports(values);
  if (!request.baseline && (request.gate_exports.junit || request.gate_exports.github))
    throw Error(ErrorKind::usage,
                fmt::format("--{} needs --baseline FILE", request.gate_exports.junit ? "junit" : "github"));
  request.notes = strings(values, "note");
  if (const auto folder = optional_value<std::string>(values, "with-tests"))
    request.tests_of = folder->empty() ? own_build_dir() : std::filesystem::path(*folder);
  if (request.tests_of) check_test_dir(*request.tests_of);
  if (const auto key = optional_value<std::string>(values, "sign")) request.sign = *key;
  request.keep_clouds = values.count("keep-clouds") != 0;
  request.dry_run = values.count("dry-run") != 0;
  request.json = values.count("json") != 0;
  return request;
}

}  // namespace aqbench::cli
