#include "harness/project/project_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "core/error.h"
#include "harness/records/case.h"

namespace aqbench {

std::filesystem::path gate_baseline(const std::string& suite,
                                    const std::optional<std::filesystem::path>& project_file) {
  const auto project = current_project(project_file);
  if (!project) throw usage_error("--baseline FILE is missing, and no {} names one", kProjectFileName);
  if (suite.empty())
    throw Error(ErrorKind::usage, "--baseline FILE is missing, and these cases belong to no suite");
  std::filesystem::path file = baseline_of(*project, suite);
  std::error_code unknown;
  if (!std::filesystem::exists(file, unknown))
    throw Error(ErrorKind::input,
                fmt::format("{0}: no such baseline; run `aqbench sweep --suite "
                            "{1}`, then `aqbench accept out/BUNDLE --baseline {0}`, and commit that file",
                            file.string(), suite),
                file.string());
  return file;
}

void place_datasets(PlanRequest& request, const std::optional<std::filesystem::path>& project_file) {
  if (!project_file || request.project.datasets.empty()) return;
  const Project project = read_project(*project_file);
  request.project.dir = project.dir.string();
  for (ProjectDataset& dataset : request.project.datasets) {
    const auto here = std::ranges::find(project.datasets, dataset.name, &ProjectDataset::name);
    if (here == project.datasets.end()) continue;
    dataset.directory = here->directory;
    dataset.where = here->where;
  }
}

PlacedDataset place_dataset(const std::optional<Project>& project, const std::string& given) {
  const std::string name = given.starts_with(kDatasetPrefix) ? given.substr(kDatasetPrefix.size()) : given;
  std::error_code unknown;
  const bool is_folder = std::filesystem::is_directory(name, unknown);
  std::vector<std::string> known;
  for (const ProjectDataset& dataset : project ? project->datasets : std::vector<ProjectDataset>()) {
    if (is_folder ? std::filesystem::equivalent(dataset.directory, name, unknown) : dataset.name == name)
      return {is_folder ? std::filesystem::path(name) : dataset.directory,
              {dataset.truth, project->dir, dataset.where + ".truth"}};
    known.push_back(dataset.name);
  }
  if (is_folder) return {name};
  throw usage_error("--dataset {}: no such folder{}", name,
                    known.empty() ? "" : "; " + unknown_name_message("dataset", name, known));
}

void place_project(SweepPlan& plan, const std::optional<std::filesystem::path>& project_file) {
  if (plan.request.project.methods.empty()) return;
  std::string dir = plan.request.project.dir;
  if (project_file) dir = read_project(*project_file).dir.string();
  std::error_code unknown;
  if (!std::filesystem::is_directory(dir, unknown))
    throw input_error("the project's folder {} is missing; give its file with --project FILE", dir);
  for (Case& planned : plan.cases) planned.project_dir = dir;
}

}  // namespace aqbench
