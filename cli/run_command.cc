#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/parallel.h"
#include "core/stop_signals.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/measuring/environment.h"
#include "harness/planning/plan.h"
#include "harness/records/results.h"
#include "harness/running/dataset_run.h"
#include "reports/bundle/bundle.h"

namespace aqbench::cli {
namespace {

CommandLine run_command_line_options() {
  CommandLine line{
      "aqbench run METHOD[:PRESET] --dataset DIR --out OUT [OPTION]...",
      "Runs a built-in method on a dataset (docs/dataset.md: calibration.json and images/CAMERA/000000.png)\n"
      "in a process of its own and writes what it gives: cloud.ply, mesh.ply, depth/CAMERA.npy (metres "
      "along\n"
      "the refracted ray) with CAMERA_confidence.npy, result.json with stage times. OUT appears when it is\n"
      "whole. Where the dataset has truth/, which the method does not see, the result is scored against "
      "it.\n\n"
      "  aqbench run sparse --dataset data/mine --out out/mine\n"
      "  aqbench run sparse:quality --dataset data/mine --set sparse.clahe=on --out out/mine --json\n"
      "  aqbench run external --dataset data/mine --out out/theirs \\\n"
      "      --set 'external.command=python3 their.py {dataset} {output}/cloud.ply'\n\n"
      "Exit 0 pass, 2 usage or input, 3 the method failed, 6 reading or writing failed, 130 interrupted.",
      make_options(),
      {"METHOD"}};
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  auto add = line.options.add_options();
  add("dataset", text("DIR"), "the dataset's folder");
  add("out", text("OUT"), "folder to write to; must not be there or be empty");
  add("set", po::value<Strings>()->composing()->value_name("NAME=VALUE"),
      "METHOD.PARAMETER=VALUE (aqbench list methods), may be repeated");
  add("depth-range", text("LO:HI"),
      "depths to search, metres along the ray from the water surface, for methods that sweep depths "
      "(default: from a sparse cloud)");
  add("threads", po::value<int>()->value_name("N"), "threads; changes no result (default: all processors)");
  add("seed", po::value<std::int64_t>()->value_name("N")->default_value(42),
      "of the method's random numbers");
  add("device", text("DEVICE")->default_value("cpu"), "cpu or cuda");
  add("timeout", po::value<double>()->value_name("S"), "seconds (default: none)");
  add("memory-limit", po::value<double>()->value_name("GIB"),
      "GiB of resident memory (default: 75 % of the machine)");
  add("json", "print result.json: results.json's layout and, of each camera, the depth metrics");
  return line;
}

[[noreturn]] void refuse_depth_range(const std::string& argument) {
  throw Error(ErrorKind::usage,
              fmt::format("--depth-range '{}': expected LO:HI in metres, 0 <= LO < HI", argument));
}

ManualDepthRange parse_depth_range(const std::string& argument) {
  const std::size_t colon = argument.find(':');
  if (colon == std::string::npos) refuse_depth_range(argument);
  const auto number = [&](std::size_t begin, std::size_t end) {
    double value = 0;
    const char* const last = argument.data() + end;
    const auto [rest, status] = std::from_chars(argument.data() + begin, last, value);
    if (status != std::errc{} || rest != last || !std::isfinite(value)) refuse_depth_range(argument);
    return value;
  };
  const ManualDepthRange range{number(0, colon), number(colon + 1, argument.size())};
  if (!(range.min_m >= 0 && range.min_m < range.max_m)) refuse_depth_range(argument);
  return range;
}

std::string required_text(const po::variables_map& values, const char* name) {
  if (values.count(name) == 0) throw Error(ErrorKind::usage, fmt::format("--{} is missing", name));
  return values[name].as<std::string>();
}

std::optional<double> positive(const po::variables_map& values, const char* name) {
  if (values.count(name) == 0) return std::nullopt;
  const double value = values[name].as<double>();
  if (!(std::isfinite(value) && value > 0))
    throw Error(ErrorKind::usage, fmt::format("--{} {}: must be a positive number", name, value));
  return value;
}

DatasetRunRequest read_run_request(const po::variables_map& values) {
  DatasetRunRequest request;
  const std::string method = values["METHOD"].as<std::string>();
  const std::size_t colon = method.find(':');
  request.method = method.substr(0, colon);
  if (colon != std::string::npos) request.preset = method.substr(colon + 1);
  request.dataset_dir = required_text(values, "dataset");
  request.out_dir = required_text(values, "out");
  for (const std::string& set : strings(values, "set")) request.sets.push_back(parse_override(set));
  if (values.count("depth-range") != 0)
    request.depth_range_m = parse_depth_range(values["depth-range"].as<std::string>());
  const std::int64_t seed = values["seed"].as<std::int64_t>();
  if (seed < 0) throw Error(ErrorKind::usage, fmt::format("--seed {}: must be at least 0", seed));
  request.seed = static_cast<std::uint64_t>(seed);
  request.threads = values.count("threads") != 0 ? values["threads"].as<int>() : available_processors();
  if (request.threads < 1 || request.threads > 1024)
    throw Error(ErrorKind::usage, fmt::format("--threads {}: must be from 1 to 1024", request.threads));
  request.device = values["device"].as<std::string>();
  if (request.device != "cpu" && request.device != "cuda")
    throw Error(ErrorKind::usage, fmt::format("--device: '{}' is neither cpu nor cuda", request.device));
  request.timeout_s = positive(values, "timeout").value_or(0);
  const auto gib = positive(values, "memory-limit");
  request.memory_limit_bytes = gib ? static_cast<std::uint64_t>(*gib * 0x1p30) : default_memory_limit_bytes();
  return request;
}

Json result_json(const DatasetRun& run, const DatasetRunRequest& request, const Arguments& arguments,
                 const std::string& started_utc) {
  Results results;
  results.run.id = bundle_stamp(std::chrono::system_clock::now());
  results.run.suite = "run";
  results.run.started_utc = started_utc;
  results.run.finished_utc = utc_now();
  results.run.complete = true;
  results.run.planned_cases = 1;
  results.run.requested_json = Json{{"arguments", arguments}}.dump();
  Json effective = {{"dataset", request.dataset_dir.string()}, {"threads", request.threads}};
  if (request.depth_range_m)
    effective["depth_range_m"] = {request.depth_range_m->min_m, request.depth_range_m->max_m};
  results.run.effective_json = effective.dump();
  results.environment_json = environment_json({request.threads, request.device}).dump();
  results.records = {run.record};
  Json json = to_json(results);
  if (run.cameras.empty()) return json;
  json["cameras"] = Json::object();
  for (const CameraDepthScore& score : run.cameras) json["cameras"][score.camera] = to_json(score.metrics);
  return json;
}

void print_run(const DatasetRun& run, const DatasetRunRequest& request) {
  fmt::print("{} on {}: {} points, {} triangles, {} depth maps in {:.2f} s\n\n", request.method,
             request.dataset_dir.string(), run.points, run.triangles, run.depth_maps,
             run.record.timing.cold_ms.value_or(0) / 1000);
  Table stages;
  stages.columns = {{"stage"}, {"in"}, {"ms", Align::right}, {"of it itself", Align::right}};
  for (const StageRecord& stage : run.record.stages)
    stages.rows.push_back({{stage.name},
                           {stage.parent},
                           {fmt::format("{:.1f}", stage.wall_ms.at(0))},
                           {fmt::format("{:.1f}", stage.self_ms.at(0))}});
  fmt::print("{}", render_table(stages, wants_colours(STDOUT_FILENO)));
  if (run.record.metrics.empty()) return;
  Table metrics;
  metrics.columns = {{"metric"}, {"value", Align::right}, {"unit"}};
  for (const auto& [name, metric] : run.record.metrics)
    metrics.rows.push_back({{name},
                            {metric.value ? fmt::format("{:.6g}", *metric.value) : "n/a"},
                            {metric.unit == "1" ? "" : metric.unit}});
  fmt::print("\n{}", render_table(metrics, wants_colours(STDOUT_FILENO)));
}

}  // namespace

ExitCode run_run(const Arguments& arguments) {
  const auto values = parse(run_command_line_options(), arguments);
  if (!values) return ExitCode::pass;
  DatasetRunRequest request = read_run_request(*values);
  const bool json = values->count("json") != 0;
  const std::string started_utc = utc_now();
  const StopSignals signals;
  request.cancel_descriptor = signals.descriptor();
  const DatasetRun run = run_on_dataset(request);
  if (run.interrupted) throw Error(ErrorKind::interrupted, "interrupted; nothing was written");
  const std::string text = result_json(run, request, arguments, started_utc).dump(2) + "\n";
  const bool ok = run.record.status == Status::ok;
  if (ok) write_file(request.out_dir / "result.json", text);
  if (json)
    fmt::print("{}", text);
  else if (ok)
    print_run(run, request);
  if (ok) return ExitCode::pass;
  fmt::print(stderr, "aqbench: {} {}: {}\n", request.method, to_string(run.record.status), run.record.reason);
  return ExitCode::case_failed;
}

}  // namespace aqbench::cli
