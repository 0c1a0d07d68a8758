#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/dataset_options.h"
#include "cli/programs.h"
#include "core/files.h"
#include "core/json.h"
#include "core/processes/stop_signals.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/measuring/environment.h"
#include "harness/planning/plan_request.h"
#include "harness/records/one_case.h"
#include "reports/content/case_groups.h"
#include "reports/text/tables.h"

namespace aqbench::cli {
namespace {

struct RunRequest : DatasetOptions {
  std::optional<std::filesystem::path> out;  // required
  KeepWork keep_work = KeepWork::none;       // in OUT.work
  bool json = false;
};

void read_depth_range(RunRequest& request, const FlagValue& value) {
  const auto ends = split_at(value.text, ':');
  const auto min_m = parse_double(ends.front()), max_m = parse_double(ends.back());
  if (ends.size() != 2 || !min_m || !max_m || !(*min_m >= 0 && *min_m < *max_m) || !std::isfinite(*max_m))
    value.refuse_text("expected LO:HI in metres, 0 <= LO < HI");
  request.run.depth_range_m = {*min_m, *max_m};
}

void read_device(RunRequest& request, const FlagValue& value) {
  request.run.device = value.text;
  check_device("--device", value.text);
}

const Flag<RunRequest> kRunFlags[] = {
    {"out", "OUT", "output folder; must be new or empty", into<&RunRequest::out>},
    {"depth-range", "LO:HI",
     "depths to search, metres along the ray from the water surface, for methods that sweep depths "
     "(default: from a sparse cloud)",
     read_depth_range},
    {"device", "DEVICE", "cpu, cuda, opencl or opencl:N", read_device, usually("cpu")},
    {"memory-limit", "GIB", "GiB of resident memory (default: 75 % of the machine)",
     [](RunRequest& r, const FlagValue& v) {
       r.memory_limit_bytes = static_cast<std::uint64_t>(v.positive() * 0x1p30);
     }},
    {kKeepWorkFlag, [](RunRequest& r, const FlagValue& v) { r.keep_work = read_keep_work(v); }},
    {"json", nullptr, "print result.json: results.json's layout, and depth metrics of each camera",
     into<&RunRequest::json>},
};

CommandLine<RunRequest> command_line_of_run() {
  std::vector<Flag<RunRequest>> flags;
  for (const auto& row : dataset_flags()) flags.push_back({row, row.read});
  flags.insert(flags.end(), std::begin(kRunFlags), std::end(kRunFlags));
  return {"aqbench run METHOD[:PRESET] --dataset DIR --out OUT [OPTION]...",
          "Runs a method, built in or from your project file, on a dataset or recording in any layout "
          "of\n`sweep --scene dataset:DIR` (docs/dataset.md: calibration.json, cameras.json or a COLMAP "
          "model, and\nimages), in its own process, and writes its results: cloud.ply, mesh.ply, "
          "depth/CAMERA.npy (metres\nalong the refracted ray) with CAMERA_confidence.npy, result.json with "
          "stage times. OUT appears once\nit is complete. The result is scored like in a sweep against the "
          "truth in DIR/truth or the project\nfile; the method only sees a copy of the images.\n\n  aqbench "
          "run sparse --dataset data/mine --out out/mine\n  aqbench run sparse:quality --dataset data/mine "
          "--set sparse.clahe=on --out out/mine --json\n  aqbench run external --dataset data/mine --out "
          "out/theirs \\\n      --set 'external.command=python3 their.py {dataset} "
          "{output}/cloud.ply'\n\nExit 0 pass, 2 usage or input, 3 the method failed or its result cannot be "
          "scored (OUT is then\nkept), 6 reading or writing failed, 130 interrupted.",
          std::move(flags),
          {{{.name = "METHOD"}, read_method}}};
}

// Names a missing program before anything runs.
void require_program_of(const DatasetRunRequest& request) {
  Case planned;
  planned.method = request.method;
  planned.preset = request.preset;
  planned.overrides = request.sets;
  planned.project_dir = request.project_dir.string();
  if (request.declaration) planned.declaration = to_json(*request.declaration);
  require_programs(std::span(&planned, 1));
}

std::string result_text(const DatasetRun& run, const DatasetRunRequest& request, const Arguments& arguments,
                        const std::string& started_utc) {
  Json effective = {
      {"dataset", request.dataset_dir.string()}, {"frame", request.frame}, {"threads", request.threads}};
  if (request.depth_range_m)
    effective["depth_range_m"] = {request.depth_range_m->min_m, request.depth_range_m->max_m};
  for (const CameraDepthScore& score : run.cameras)
    effective["cameras"][score.camera] = to_json(score.metrics);
  const MethodSpec method =
      request.declaration ? declared_method(*request.declaration) : find_method(request.method);
  return results_text(results_of_one_case(
      run.record, {.command = "run",
                   .started_utc = started_utc,
                   .requested = {{"arguments", arguments}},
                   .effective = std::move(effective),
                   .environment = environment_json({request.threads, request.device, method.dtype})}));
}

void print_run(const DatasetRun& run, const DatasetRunRequest& request) {
  fmt::print("{} on {}: {} points, {} triangles, {} depth maps in {} s\n\n", printable(request.method),
             printable(request.dataset_dir.string()), run.points, run.triangles, run.depth_maps,
             table_number(run.record.timing.cold_ms.value_or(0) / 1000));
  if (!run.record.isolation.empty()) fmt::print("isolation: {}\n\n", printable(run.record.isolation));
  Table stages = table_with({"stage", "in", ">ms", ">self"});
  for (const StageRecord& stage : run.record.stages)
    stages.rows.push_back(plain_row(
        {stage.name, stage.parent, table_number(stage.wall_ms.at(0)), table_number(stage.self_ms.at(0))}));
  fmt::print("{}", render_table(stages, wants_colours(STDOUT_FILENO), screen_columns(STDOUT_FILENO)));
  if (run.record.metrics.empty()) return;
  Table metrics = table_with({"metric", ">value", "unit"});
  for (const auto& [name, metric] : run.record.metrics)
    metrics.rows.push_back(
        plain_row({name, table_number_or_na(metric.value), metric.unit == "1" ? "" : metric.unit}));
  fmt::print("\n{}", render_table(metrics, wants_colours(STDOUT_FILENO), screen_columns(STDOUT_FILENO)));
  if (find_metric(run.record.metrics, "accuracy_mean_mm") == nullptr)
    fmt::print("The true surface is unknown, so the accuracy of the cloud is not measured.\n");
}

}  // namespace

ExitCode run_command(const Arguments& arguments) {
  auto parsed = parse(command_line_of_run(), arguments);
  if (!parsed.out) throw usage_error("--out is missing");
  parsed.run.out_dir = *parsed.out;
  complete(parsed);
  DatasetRunRequest& request = parsed.run;
  if (!request.depth_range_m) require_program_of(request);  // no program takes one, which is reported below
  const std::string started_utc = utc_now();
  const StopSignals signals;
  request.cancel_descriptor = signals.descriptor();
  request.ended = [&](const Case& planned, const MethodSpec& method, const Record& record,
                      const std::filesystem::path& scratch) {
    keep_work(parsed.keep_work, planned, method, record, scratch, request.out_dir.string() + ".work");
  };
  const auto text_of = [&](const DatasetRun& run) {
    return result_text(run, request, arguments, started_utc);
  };
  std::string text;
  request.add_files = [&](const DatasetRun& run, const std::filesystem::path& folder) {
    text = text_of(run);
    write_file(folder / "result.json", text);
  };
  const DatasetRun run = run_on_dataset(request);
  if (run.interrupted) throw Error(ErrorKind::interrupted, "interrupted; nothing was written");
  const bool ok = run.record.status == Status::ok;
  if (!run.kept) text = text_of(run);
  if (parsed.json)
    print_json(text);
  else if (ok)
    print_run(run, request);
  if (ok) return ExitCode::pass;
  fmt::print(stderr, "aqbench: {} {}: {}{}\n", printable(request.method), to_string(run.record.status),
             printable(run.record.reason),
             run.kept ? fmt::format("; its output is in {}", printable(request.out_dir.string())) : "");
  return ExitCode::case_failed;
}

}  // namespace aqbench::cli
