#include "cli/eval/eval_given.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "cli/sweep/sweep_run.h"
#include "core/error.h"
#include "core/text.h"
#include "harness/datasets/project_datasets.h"
#include "harness/planning/case_options.h"
#include "harness/records/case.h"
#include "pipeline/external/given.h"
#include "pipeline/method/declaration.h"

namespace aqbench::cli {
namespace {

namespace fs = std::filesystem;

// A case by what its file's name says.
using CaseKey = std::tuple<std::string, std::string, std::uint64_t>;  // method, scene, seed

struct GivenFiles {
  std::map<CaseKey, fs::path> files;
  std::set<std::string> methods, scenes;
  std::set<std::uint64_t> seeds;
};

void check_names(const std::string& flag, const std::string& pattern, const std::vector<std::string>& known,
                 const std::string& why) {
  for (const std::string& name : placeholders_in(pattern))
    if (std::ranges::find(known, name) == known.end())
      throw usage_error("{}: {{{}}} is unknown; {}", flag, name, why);
}

std::string value_or(const PatternFile& file, std::string_view name, const std::string& otherwise) {
  for (const auto& [known, value] : file.values)
    if (known == name) return value;
  return otherwise;
}

GivenFiles find_files(const std::string& pattern, const std::string& only_scene) {
  GivenFiles given;
  for (const PatternFile& file : files_of_pattern(fs::current_path(), pattern)) {
    const GivenCase otherwise;
    const std::uint64_t seed =
        seed_in(file.file.string(), value_or(file, "seed", std::to_string(otherwise.seed)));
    const CaseKey key{value_or(file, "method", otherwise.method), value_or(file, "scene", only_scene), seed};
    const auto [known, is_new] = given.files.emplace(key, file.file);
    if (!is_new)
      throw input_error("two files for one case: {} and {}", known->second.string(), file.file.string());
    given.methods.insert(std::get<0>(key));
    given.scenes.insert(std::get<1>(key));
    given.seeds.insert(std::get<2>(key));
  }
  if (given.files.empty()) throw input_error("{}: no file matches", pattern);
  return given;
}

std::string relative_to(const std::string& path, const std::string& base) {
  return (fs::current_path() / path).lexically_normal().lexically_relative(base).generic_string();
}

// What the user says of the files is what a project declares of a method.
MethodDeclaration declaration_of(const EvalRequest& asked, const std::string& name, const std::string& base) {
  const EvalCloudRequest& cloud = asked.cloud;
  MethodDeclaration method;
  method.name = name;
  if (!is_plain_name(name, true))
    throw input_error("method '{}': must consist of letters, digits, _ and -; rename its folder",
                      one_line(name));
  method.given = relative_to(cloud.cloud_file, base);
  if (const auto unit = asked.given.find("unit"); unit != asked.given.end())
    method.unit = unit->second.back().text;
  if (method.unit == "um") throw usage_error("--unit: um is not known here; m, cm or mm");
  method.world_from_cloud = cloud.place.transform_file;
  for (const std::string& step : cloud.place.steps)
    if (step == "cameras") {
      if (cloud.place.cameras_file.empty())
        throw usage_error("--align cameras: needs --cameras, a name beside CLOUD");
      method.own_poses = true;
      method.cameras = cloud.place.cameras_file;
    }
  for (const auto& [flag, file] :
       {std::pair("--transform", method.world_from_cloud), {"--cameras", method.cameras}})
    if (fs::path(file).is_absolute())
      throw usage_error("{}: {} must be a name beside each file of CLOUD", flag, file);
  return method;
}

void add_alignment_sets(const EvalCloudRequest& cloud, std::vector<Override>& sets) {
  for (std::size_t i = 0; i < cloud.place.steps.size(); ++i) {
    const std::string& step = cloud.place.steps[i];
    if (step == "cameras" && i == 0) continue;
    if ((step != "icp" && step != "sim3") || i + 1 < cloud.place.steps.size())
      throw usage_error("--align: a bundle takes cameras, then icp or sim3, or one of these");
    sets.push_back({kAlignmentOwner, "then", step});
  }
}

std::vector<Override> sets_of(const EvalRequest& asked) {
  const EvalCloudRequest& cloud = asked.cloud;
  std::vector<Override> sets;
  for (const std::string& set : asked.sets) sets.push_back(parse_override(set));
  add_alignment_sets(cloud, sets);
  if (cloud.given_thresholds) {
    std::vector<double> tolerances_mm;
    for (const double tolerance_m : cloud.scoring.tolerances_m) tolerances_mm.push_back(1000 * tolerance_m);
    sets.push_back({kScoringOwner, "thresholds_mm", fmt::format("{}", fmt::join(tolerances_mm, ","))});
  }
  if (!asked.protocol.protocol.empty()) ask_for_protocol(sets, asked.protocol.protocol);
  if (cloud.frame > 0) sets.push_back({"dataset", "frame", std::to_string(cloud.frame)});
  return sets;
}

// The dataset of a scene, as the project file declares it or as it lies there.
ProjectDataset dataset_of(const std::string& scene, const std::string& folder,
                          const std::optional<ProjectDatasets>& project) {
  const PlacedDataset placed = place_dataset(project, folder);
  const fs::path directory = (fs::absolute(placed.directory) / "").lexically_normal().parent_path();
  return {scene.empty() ? directory.filename().string() : scene, directory, placed.truth.entry,
          placed.truth.source};
}

PlanRequest plan_of(const EvalRequest& asked, const GivenFiles& given) {
  const EvalCloudRequest& cloud = asked.cloud;
  const std::optional<ProjectDatasets> project = current_datasets();
  PlanRequest plan;
  plan.project.dir = (project ? project->dir : fs::current_path()).string();
  for (const std::string& name : given.methods) {
    plan.project.methods.push_back(declaration_of(asked, name, plan.project.dir));
    plan.methods.push_back(name);
  }
  for (const std::string& scene : given.scenes) {
    if (cloud.dataset_dir.empty()) {
      plan.scenes.push_back(scene);
      continue;
    }
    plan.project.datasets.push_back(
        dataset_of(scene, with_placeholders(cloud.dataset_dir, {{"scene", scene}}), project));
    plan.scenes.push_back(std::string(kDatasetPrefix) + plan.project.datasets.back().name);
  }
  Axis seeds{"seed", {}};
  for (const std::uint64_t seed : given.seeds) seeds.values.push_back(std::to_string(seed));
  if (seeds.values.size() == 1)
    plan.seed = *given.seeds.begin();
  else
    plan.axes.push_back(seeds);
  plan.sets = sets_of(asked);
  plan.threads = asked.threads;
  if (!cloud.rig.empty()) plan.images.rig = cloud.rig;
  return plan;
}

}  // namespace

ExitCode eval_given(const EvalRequest& asked, const Arguments& arguments) {
  const EvalCloudRequest& cloud = asked.cloud;
  if (cloud.cloud_file.empty()) throw usage_error("CLOUD is missing");
  if (cloud.scene.empty() == cloud.dataset_dir.empty() &&
      (!cloud.scene.empty() || cloud.cloud_file.find("{scene}") == std::string::npos))
    throw usage_error("give one of --scene S, --mesh M.ply, --dataset DIR, or {{scene}} in CLOUD");
  check_names("CLOUD", cloud.cloud_file, {"method", "scene", "seed"}, "known are {method}, {scene}, {seed}");
  const auto names = placeholders_in(cloud.cloud_file);
  const bool names_scene = std::ranges::find(names, "scene") != names.end();
  check_names("--dataset", cloud.dataset_dir,
              names_scene ? std::vector<std::string>{"scene"} : std::vector<std::string>{},
              "{scene} is known where it stands in CLOUD");
  if (names_scene && !cloud.dataset_dir.empty() && placeholders_in(cloud.dataset_dir).empty())
    throw usage_error("--dataset: lacks {{scene}}, which CLOUD has");
  if (names_scene && !cloud.scene.empty())
    throw usage_error("--scene: CLOUD has {{scene}}; give --dataset, or neither");
  const GivenFiles given = find_files(cloud.cloud_file, cloud.scene);
  const std::size_t all = given.methods.size() * given.scenes.size() * given.seeds.size();
  if (all > given.files.size())
    fmt::print(stderr,
               "aqbench: note: {} of {} combinations of method, scene and seed have no file: skipped\n",
               all - given.files.size(), all);
  const EvalGivenRequest& bundle = asked.into_bundle;
  SweepRequest sweep;
  sweep.command = "eval";
  sweep.plan = plan_of(asked, given);
  sweep.bundle = bundle.out;
  sweep.baseline = bundle.baseline;
  sweep.gate = bundle.gate;
  sweep.json = cloud.json;
  return sweep_plan(sweep, arguments);
}

}  // namespace aqbench::cli
