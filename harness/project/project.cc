#include "harness/project/project.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/error.h"
#include "core/files.h"
#include "harness/planning/axis.h"
#include "harness/planning/case_options.h"
#include "harness/planning/scene_choice.h"
#include "harness/records/case.h"
#include "pipeline/method/method.h"
#include "pipeline/workloads/workload.h"
#include "scenes/optics/rig.h"
#include "scenes/registry.h"

namespace aqbench {
namespace {

template <class Specs>
bool has_name(const Specs& specs, const std::string& name) {
  return std::ranges::any_of(specs, [&](const auto& spec) { return spec.name == name; });
}

// A method's name precedes its parameters, in the same place as names of scenes, workloads and rigs.
void check_method_name(const JsonPlace& place, const std::string& name,
                       const std::vector<MethodDeclaration>& before) {
  const std::string owners[] = {kImagingOwner, kPerturbOwner, kScoringOwner, kAlignmentOwner,
                                kProtocolsOwner};
  const char* const what = has_name(method_registry(), name)                     ? "a method"
                           : has_name(scene_registry(), name)                    ? "a scene"
                           : has_name(workload_registry(), name)                 ? "a workload"
                           : has_name(rig_registry(), name)                      ? "a rig"
                           : std::ranges::find(owners, name) != std::end(owners) ? "an owner of parameters"
                           : std::ranges::find(axis_names(), name) != axis_names().end() ? "an axis"
                                                                                         : nullptr;
  if (what != nullptr) place.fail("'{}' is the name of {} of aqbench", name, what);
  if (has_name(before, name)) place.fail("is a duplicate");
}

void read_methods(const JsonPlace& place, Project& project) {
  for (const JsonPlace& element : place.elements()) {
    MethodDeclaration method = declaration_from_json(element);
    check_method_name(element.at("name"), method.name, project.methods);
    if (const auto resources = element.find("resources"))
      project.resources.emplace(method.name, resources_at(*resources));
    project.methods.push_back(std::move(method));
  }
}

std::vector<Suite> read_suites(const JsonPlace& place) {
  std::vector<Suite> suites;
  for (const JsonPlace& element : place.elements()) {
    Suite suite = suite_at(element);
    if (has_name(suite_registry(), suite.name))
      element.at("name").fail("'{}' is the name of a suite of aqbench", suite.name);
    if (has_name(suites, suite.name)) element.at("name").fail("is a duplicate");
    suites.push_back(std::move(suite));
  }
  return suites;
}

// Returns the suites this project may name: aqbench's and its own.
std::vector<std::string> suite_names(const Project& project) {
  std::vector<std::string> names;
  for (const Suite& suite : suite_registry()) names.push_back(suite.name);
  for (const Suite& suite : project.suites) names.push_back(suite.name);
  return names;
}

void read_gates(const JsonPlace& place, Project& project) {
  const std::vector<std::string> names = suite_names(project);
  for (const auto& [suite, file] : place.members()) {
    if (std::ranges::find(names, suite) == names.end())
      file.fail(unknown_name_message("suite", suite, names));
    project.gates.push_back({suite, (project.dir / file.text()).lexically_normal()});
  }
}

}  // namespace

Project read_project(const std::filesystem::path& file) {
  Project project;
  static_cast<ProjectDatasets&>(project) =
      read_project_datasets(file, [&](const JsonPlace& root, const ProjectDatasets& read) {
        project.dir = read.dir;
        if (const auto methods = root.find("methods")) read_methods(*methods, project);
        if (const auto suites = root.find("suites")) project.suites = read_suites(*suites);
        if (const auto gates = root.find("gates")) read_gates(*gates, project);
      });
  return project;
}

std::optional<Project> current_project(const std::optional<std::filesystem::path>& named) {
  std::error_code unknown;
  const auto file = named ? named : find_project_file(std::filesystem::current_path(unknown));
  if (!file) return std::nullopt;
  return read_project(*file);
}

void use_project(const Project& project, PlanRequest& request) {
  request.project = {project.dir.string(), project.methods, project.datasets, project.rigs};
  if (request.suite.empty() || request.own_suite) return;
  const auto suite = std::ranges::find(project.suites, request.suite, &Suite::name);
  const std::vector<std::string> known = suite_names(project);
  if (std::ranges::find(known, request.suite) == known.end())
    throw Error(ErrorKind::usage, unknown_name_message("suite", request.suite, known));
  if (suite != project.suites.end()) request.own_suite = *suite;
}

void use_current_project(PlanRequest& request) {
  if (const auto project = current_project(request.project_file)) use_project(*project, request);
}

std::filesystem::path baseline_of(const Project& project, std::string_view suite) {
  const auto gate = std::ranges::find(project.gates, suite, &ProjectGate::suite);
  if (gate != project.gates.end()) return gate->baseline;
  throw input_error.of_file(
      project.file, "gates: no baseline for suite '{}'; add one there or give --baseline FILE", suite);
}

std::string baseline_to_accept(const std::optional<Project>& project, const std::string& suite) {
  const std::string usual = "baseline.json";
  if (!project) return usual;
  const std::filesystem::path here = std::filesystem::current_path();
  if (const auto gate = std::ranges::find(project->gates, suite, &ProjectGate::suite);
      gate != project->gates.end()) {
    const std::filesystem::path near = gate->baseline.lexically_proximate(here);
    return near.native().starts_with("..") ? gate->baseline.string() : near.string();
  }
  const bool taken = std::ranges::any_of(project->gates, [&](const ProjectGate& gate) {
    return gate.baseline.lexically_normal() == (here / usual).lexically_normal();
  });
  return taken ? (suite.empty() ? "other" : suite) + "-" + usual : usual;
}

std::filesystem::path gate_baseline(const std::string& suite,
                                    const std::optional<std::filesystem::path>& project_file) {
  const auto project = current_project(project_file);
  if (!project) throw usage_error("--baseline FILE is missing, and no {} names one", kProjectFileName);
  if (suite.empty()) throw usage_error("--baseline FILE is missing, and these cases belong to no suite");
  std::filesystem::path file = baseline_of(*project, suite);
  if (!path_exists(file))
    throw input_error.of_file(file,
                              "no such baseline; run `aqbench sweep --suite {}`, then `aqbench accept "
                              "out/BUNDLE --baseline {}`, and commit that file",
                              suite, file.string());
  return file;
}

void place_datasets(PlanRequest& request, const std::optional<std::filesystem::path>& project_file) {
  if (!project_file || (request.project.datasets.empty() && request.project.rigs.empty())) return;
  const Project project = read_project(*project_file);
  request.project.dir = project.dir.string();
  for (ProjectDataset& dataset : request.project.datasets) {
    const auto here = std::ranges::find(project.datasets, dataset.name, &ProjectDataset::name);
    if (here == project.datasets.end()) continue;
    dataset.directory = here->directory;
    dataset.where = here->where;
  }
  for (NamedRig& rig : request.project.rigs)
    if (const auto here = std::ranges::find(project.rigs, rig.name, &NamedRig::name);
        here != project.rigs.end())
      rig.file = here->file;
}

void place_project(SweepPlan& plan, const std::optional<std::filesystem::path>& project_file) {
  if (plan.request.project.methods.empty()) return;
  std::string dir = plan.request.project.dir;
  if (project_file) dir = read_project(*project_file).dir.string();
  if (!folder_exists(dir))
    throw input_error("the project's folder {} is missing; give its file with --project FILE", dir);
  for (Case& planned : plan.cases) planned.project_dir = dir;
}

}  // namespace aqbench
