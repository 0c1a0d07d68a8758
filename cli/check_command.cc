#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/check_text.h"
#include "cli/dataset_options.h"
#include "cli/programs.h"
#include "core/files.h"
#include "core/scratch_folder.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/checking/checks.h"
#include "harness/planning/plan.h"
#include "harness/planning/scene_choice.h"
#include "harness/records/bundle_path.h"
#include "harness/records/case_name.h"
#include "harness/running/progress.h"
#include "harness/running/run_case.h"
#include "harness/running/sweep.h"
#include "scenes/cloud/cloud_file.h"
#include "scenes/cloud/npy.h"
#include "scenes/dataset/recording_truth.h"

namespace aqbench::cli {
namespace {

namespace fs = std::filesystem;

struct CheckRequest : DatasetOptions {
  std::optional<KnownLength> length;
  bool json = false;
};

// Reads "cam00:cam05=0.25".
void read_known_length(CheckRequest& request, const FlagValue& value) {
  const std::size_t colon = value.text.find(':'), equals = value.text.rfind('=');
  if (colon == std::string::npos || equals == std::string::npos || equals < colon)
    value.refuse_text("expected CAMERA:CAMERA=METRES");
  const auto metres = parse_double(value.text.substr(equals + 1));
  if (!metres || !(*metres > 0)) value.refuse_text("expected a length in metres above 0");
  request.length = {value.text.substr(0, colon), value.text.substr(colon + 1, equals - colon - 1), *metres};
}

const Flag<CheckRequest> kCheckFlags[] = {
    {"length", "CAM:CAM=M",
     "the true distance of two cameras in metres: how far off the scale is (a ChArUco board in the "
     "dataset's truth.json says it, too)",
     read_known_length},
    {"json", nullptr, "print JSON instead of the table", into<&CheckRequest::json>},
};

CommandLine<CheckRequest> command_line_of_check() {
  std::vector<Flag<CheckRequest>> flags;
  for (const auto& row : dataset_flags()) flags.push_back({row, row.read});
  flags.insert(flags.end(), std::begin(kCheckFlags), std::end(kCheckFlags));
  return {
      "aqbench check METHOD[:PRESET] --dataset DATASET [OPTION]...",
      "Runs a method on changed forms of a dataset whose results must agree, without any truth: images in\n"
      "another order, cameras with other names, a moved world, another unit, a camera twice. Says which\n"
      "relations do not hold and by how much; also how far two disjoint halves of the images agree, and\n"
      "depth maps by the baseline of their cameras. None of it is an accuracy: a method that is wrong in\n"
      "the same way every time keeps them all. About 9 runs.\n\n"
      "  aqbench check sparse --dataset data/mine\n"
      "  aqbench check mine:fast --dataset reef --length cam00:cam05=0.25\n\n"
      "Exit 0 all relations hold, 1 one does not, 2 usage or input, 3 the method failed on the dataset\n"
      "itself, 130 interrupted.",
      std::move(flags),
      {{{.name = "METHOD"}, read_method}}};
}

// What a run of the method gave: a cloud, or the reason why not.
struct CheckedRun {
  std::vector<Vec3> points_m;
  std::string problem;
};

// A form of the recording and how the method runs on it.
struct CheckedForm {
  std::string name;
  const Recording& recording;
  std::uint64_t seed = 0;
};

fs::path output_folder(const fs::path& scratch, const std::string& name) { return scratch / name / "output"; }

// Runs the method on a form of the recording, as a sweep of one case, and leaves its output in its folder.
CheckedRun run_on(const CheckRequest& request, const CheckedForm& form, const fs::path& scratch,
                  const SweepCallbacks& callbacks) {
  PlanRequest one = request.plan;
  const fs::path seen = scratch / form.name / form.name, output = output_folder(scratch, form.name);
  make_folders(output);
  write_observation(form.recording, static_cast<std::size_t>(request.frame), seen);
  one.scenes = {std::string(kDatasetPrefix) + seen.string()};
  one.seed = form.seed;
  std::erase_if(one.sets, [](const Override& set) { return set.owner == kDatasetOwner; });  // the frame
  const SweepPlan plan = plan_sweep(one);
  Journal journal = Journal::create(scratch / form.name, plan, "check", utc_now());
  const SweepOutcome done = run_sweep(plan, journal, callbacks, [&](const Case& planned, CaseBoard& board) {
    return run_case_unscored(planned, board, output);
  });
  if (done.interrupted) throw Error(ErrorKind::interrupted, "interrupted");
  const CaseEnd end = case_end(journal.records().front());
  if (end.status != Status::ok) return {{}, to_string(end.status) + ": " + end.reason};
  CheckedRun checked{read_cloud_file(output / "cloud.ply").cloud.points_m, ""};
  if (checked.points_m.size() < 2) checked.problem = "its cloud has fewer than 2 points";
  return checked;
}

// All runs, made before any threads compare them.
struct CheckedRuns {
  CheckedRun base, again;           // the latter with the next seed
  std::vector<CheckedRun> changed;  // of the relations
  std::vector<CheckedRun> halves;   // two, or none where there are too few cameras
};

CheckedRuns run_all(const CheckRequest& request, const Recording& recording,
                    const std::vector<Relation>& relations, const fs::path& scratch) {
  const std::uint64_t seed = request.plan.seed.value_or(Case().seed);
  const bool has_halves = recording.rig.cameras.size() >= 6;
  const std::size_t total = 2 + relations.size() + (has_halves ? 2 : 0);
  std::size_t number = 0;
  SweepDisplay display(SweepDisplay::options_for_stderr());
  const SweepCallbacks callbacks = display.callbacks();
  const auto run = [&](const Recording& one, std::uint64_t with_seed, const std::string& name) {
    fmt::print(stderr, "aqbench: run {} of {}: {}\n", ++number, total, printable(name));
    return run_on(request, {name, one, with_seed}, scratch, callbacks);
  };
  CheckedRuns runs;
  runs.base = run(recording, seed, "base");
  if (!runs.base.problem.empty())
    throw method_error("{}: {}", request.plan.methods.front(), runs.base.problem);
  runs.again = run(recording, seed + 1, "again");
  for (const Relation& relation : relations)
    runs.changed.push_back(run(relation.recording, seed, relation.name));
  if (!has_halves) return runs;
  const std::vector<Recording> halves = halves_of(recording);
  runs.halves.push_back(run(halves[0], seed, "half_1"));
  runs.halves.push_back(run(halves[1], seed, "half_2"));
  return runs;
}

std::vector<DepthMap> depth_maps_in(const fs::path& folder, const Rig& rig) {
  std::vector<DepthMap> maps;
  for (const Camera& camera : rig.cameras) {
    const fs::path file = folder / (camera.name + ".npy");
    if (!is_file(file)) continue;
    NpyArray array = read_npy(file);
    DepthMap map{
        camera.name, static_cast<int>(array.shape.at(1)), static_cast<int>(array.shape.at(0)), {}, {}};
    map.depth_along_ray_m = std::get<std::vector<float>>(std::move(array.values));
    maps.push_back(std::move(map));
  }
  return maps;
}

// Compares the runs. Throws Error(input) for a camera of --length that is not there.
CheckReport compare_runs(const CheckRequest& request, const Recording& recording, const RecordingTruth& truth,
                         const std::vector<Relation>& relations, const CheckedRuns& runs,
                         const fs::path& scratch) {
  const auto frame = static_cast<std::size_t>(request.frame);
  const std::vector<Vec3>& base = runs.base.points_m;
  CheckReport report;
  report.method = request.plan.methods.front();
  report.dataset = recording.dir.string();
  report.spacing_m = median_spacing_m(base);
  report.extent_m = extent_m(base);
  if (runs.again.problem.empty()) report.again = cloud_difference(base, runs.again.points_m);
  for (std::size_t i = 0; i < relations.size(); ++i) {
    CheckedRelation one{
        relations[i].name, relations[i].changes, runs.changed[i].problem, {}, relations[i].is_exact};
    if (one.problem.empty()) {
      PointCloud cloud{runs.changed[i].points_m, {}, {}};
      apply(relations[i].original_from_changed, cloud);
      one.difference = cloud_difference(base, cloud.points_m);
    }
    report.relations.push_back(std::move(one));
  }
  if (!runs.halves.empty()) {
    report.halves_problem = !runs.halves[0].problem.empty() ? runs.halves[0].problem : runs.halves[1].problem;
    if (report.halves_problem.empty())
      report.halves = cloud_difference(runs.halves[0].points_m, runs.halves[1].points_m);
  } else {
    report.halves_problem = "needs 6 cameras";
  }
  report.baselines = depth_agreement(
      depth_maps_in(output_folder(scratch, "base") / kDepthFolder, recording.rig), recording.rig);
  if (request.length) report.scale = scale_by_length(*request.length, recording.rig);
  if (!truth.board_file.empty()) report.board = scale_by_board(true_board(truth, frame), recording.rig);
  return report;
}

}  // namespace

ExitCode check_command(const Arguments& arguments) {
  auto request = parse(command_line_of_check(), arguments);
  for (const Override& set : request.plan.sets)
    if (set.owner == kDatasetOwner) throw usage_error("--set {}: not in a check", override_text(set));
  complete(request);
  const Case planned = plan_sweep(request.plan).cases.front();  // the mistakes of the command line
  if (has_own_poses(planned.name))
    throw usage_error("{} finds its poses itself, so its clouds have no common frame", planned.method);
  require_programs(std::span(&planned, 1));
  const auto frame = static_cast<std::size_t>(request.frame);
  const RecordingPlace& place = recording_place(planned);
  const Recording recording = read_recording(place.dir);
  if (request.length) scale_by_length(*request.length, recording.rig);  // its faults before any run
  const RecordingTruth truth = find_recording_truth(recording, place.declared);
  if (!truth.board_file.empty()) true_board(truth, frame);  // its faults, too
  const std::vector<Relation> relations = relations_of(recording);
  const ScratchFolder scratch;
  const CheckedRuns runs = run_all(request, recording, relations, scratch.path());
  const CheckReport report = compare_runs(request, recording, truth, relations, runs, scratch.path());
  if (request.json)
    print_json(to_json(report).dump(2) + "\n");
  else
    fmt::print("{}", render_check(report, wants_colours(STDOUT_FILENO), page_columns(STDOUT_FILENO)));
  return report.holds() ? ExitCode::pass : ExitCode::regression;
}

}  // namespace aqbench::cli
