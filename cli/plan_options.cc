#include "cli/plan_options.h"

#include <fmt/format.h>

#include <cmath>

#include "core/error.h"

namespace aqbench::cli {
namespace {

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

po::typed_value<std::string>* text_option(const char* name) {
  return po::value<std::string>()->value_name(name);
}

po::typed_value<Strings>* texts_option(const char* name) {
  return po::value<Strings>()->composing()->value_name(name);
}

}  // namespace

void add_case_options(po::options_description& options) {
  auto add = options.add_options();
  add("set", texts_option("NAME=VALUE"),
      "OWNER.PARAMETER=VALUE of a scene, method, workload, rig or imaging (aqbench list shows them); may be "
      "repeated");
  add("rig", text_option("RIG"), "cameras that real methods see through (aqbench list rigs; default ring12)");
  add("imaging", text_option("VARIANT"),
      "how their images are made (aqbench list imaging; default: default)");
  add("width", po::value<std::int64_t>()->value_name("PX"),
      "width of the images, px; alone, the height follows (default: the rig's, 1600)");
  add("height", po::value<std::int64_t>()->value_name("PX"), "height of the images, px");
  add("threads", po::value<int>()->value_name("N"),
      "threads per case; changes no metric (default: all processors)");
  add("device", text_option("DEVICE"), "cpu or cuda (default: cpu)");
  add("timeout", po::value<double>()->value_name("S"), "seconds per case (default 600)");
  add("memory-limit", po::value<double>()->value_name("GIB"),
      "GiB of resident memory per case (default: 75 % of the machine)");
  add("inject", texts_option("FAULT"),
      "[CASE_GLOB:]STAGE=+5%|20ms|throw|abort|hang|oom|corrupt: a fault on purpose, for testing");
}

void add_plan_options(po::options_description& options) {
  auto add = options.add_options();
  add("suite", text_option("NAME"), "a registered suite (aqbench list suites)");
  add("suite-file", text_option("FILE"), "a suite of your own, JSON");
  add("scene", texts_option("S"), "scene name or pattern, or mesh:FILE.ply; may be repeated");
  add("method", texts_option("M"), "method name or pattern, method:preset for a preset; may be repeated");
  add("workload", texts_option("W"), "workload name or pattern (aqbench list workloads); may be repeated");
  add("axis", texts_option("AXIS"),
      "NAME=a,b,c | NAME=start:stop:step | NAME[pow2]=4:10; NAME is seed, threads, device, replica, "
      "rig, imaging, width, height, a parameter of a workload, or OWNER.PARAMETER");
  add("seed", po::value<std::int64_t>()->value_name("N"), "first seed (default: the suite's, 42)");
  add("repeat", po::value<std::int64_t>()->value_name("N"), "number of consecutive seeds");
  add("repetitions", po::value<int>()->value_name("N"),
      "warm runs to time, after the cold one (default: 0 of methods, 10 of workloads)");
  add("warmup", po::value<int>()->value_name("N"),
      "runs thrown away before (default: 1 of methods, 2 of workloads)");
  add_case_options(options);
}

void add_timing_options(po::options_description& options) {
  auto add = options.add_options();
  add("min-time", po::value<double>()->value_name("S"), "go on until warm runs sum up to S seconds");
  add("precision", po::value<double>()->value_name("PCT"),
      "go on until half the 95 % interval of the median is at most PCT % of it");
  add("max-repetitions", po::value<int>()->value_name("N"), "ceiling of warm runs (default 1000)");
  add("blocks", po::value<int>()->value_name("N"),
      "processes a case, all of them warm and in turn with those of other cases, for paired comparisons "
      "(default 1)");
  add("max-time", po::value<double>()->value_name("S"), "ceiling of a case's warm seconds (default 60)");
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

}  // namespace aqbench::cli
