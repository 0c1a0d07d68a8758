#include <filesystem>
#include <optional>

#include "cli/dataset_options.h"
#include "cli/programs.h"
#include "cli/sweep/sweep_run.h"

namespace aqbench::cli {
namespace {

struct RunRequest : DatasetOptions {
  std::optional<std::filesystem::path> out;  // required
  KeepWork keep_work = KeepWork::none;       // beside OUT
  bool json = false;
};

CommandLine<RunRequest> command_line_of_run() {
  std::vector<Flag<RunRequest>> flags;
  for (const auto& row : dataset_flags()) flags.push_back({row, row.read});
  flags.push_back({"out", "OUT", "output folder; must be new or empty", into<&RunRequest::out>});
  for (const char* const name : {"device", "memory-limit", "protocol"})
    append_plan_flag<RunRequest>(flags, name, nullptr, &RunRequest::plan);
  flags.push_back(
      {kKeepWorkFlag, [](RunRequest& r, const FlagValue& v) { r.keep_work = read_keep_work(v); }});
  flags.push_back({"json", nullptr, "print results.json instead of the table", into<&RunRequest::json>});
  return {
      "aqbench run METHOD[:PRESET] --dataset DATASET --out OUT [OPTION]...",
      "Runs a method, built in or from your project file, on a dataset or recording in any layout\n"
      "(docs/dataset.md: calibration.json, cameras.json or a COLMAP model, and images), as a sweep of one\n"
      "case: in its own process, where it sees a copy of the images alone, and scored against the truth "
      "in\nDATASET/truth or the project file. OUT is a bundle (verify, gate, report, replay ... read it) "
      "and\nhas what the method gave, as it gave it: cloud.ply, mesh.ply, depth/CAMERA.npy (metres along "
      "the\nrefracted ray) with CAMERA_confidence.npy.\n\n"
      "  aqbench run sparse --dataset data/mine --out out/mine\n"
      "  aqbench run sparse:quality --dataset data/mine --set sparse.clahe=on --out out/mine --json\n"
      "  aqbench run external --dataset data/mine --out out/theirs \\\n"
      "      --set 'external.command=python3 their.py {dataset} {output}/cloud.ply'\n\n"
      "Exit 0 pass, 2 usage or input, 3 the method failed or its result cannot be scored, 6 reading or\n"
      "writing failed, 130 interrupted (aqbench sweep --resume OUT runs it).",
      std::move(flags),
      {{{.name = "METHOD"}, read_method}}};
}

}  // namespace

ExitCode run_command(const Arguments& arguments) {
  auto request = parse(command_line_of_run(), arguments);
  if (!request.out) throw usage_error("--out is missing");
  complete(request);
  SweepRequest sweep;
  sweep.command = "run";
  sweep.plan = request.plan;
  sweep.bundle = request.out;
  sweep.json = request.json;
  sweep.keeps_output = true;
  sweep.keep_work = request.keep_work;
  return sweep_plan(sweep, arguments);
}

}  // namespace aqbench::cli
