#include "harness/project/project.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

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

constexpr std::uintmax_t kMaxProjectBytes = 4 << 20;

void drop_comments(Json& json) {
  if (json.is_object())
    for (auto member = json.begin(); member != json.end();)
      member = member.key().starts_with("//") ? json.erase(member) : std::next(member);
  if (json.is_structured())
    for (Json& inside : json) drop_comments(inside);
}

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

std::vector<MethodDeclaration> read_methods(const JsonPlace& place) {
  std::vector<MethodDeclaration> methods;
  for (const JsonPlace& element : place.elements()) {
    MethodDeclaration method = declaration_from_json(element);
    check_method_name(element.at("name"), method.name, methods);
    methods.push_back(std::move(method));
  }
  return methods;
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

ProjectDataset read_dataset(const std::string& name, const JsonPlace& place,
                            const std::filesystem::path& dir) {
  if (!may_stand_in_names(name))
    place.fail("the name must be plain ASCII without blanks, quotes and any of / \\ : * ? [ ] = , $");
  const auto folder = [&](const JsonPlace& given) {  // without a slash at its end, also of "."
    return (dir / given.text() / "").lexically_normal().parent_path();
  };
  if (place.value().is_string()) return {name, folder(place), {}, {}};
  place.allow_only({"directory", "truth"});
  const auto truth = place.find("truth");
  if (truth) truth_entry_at(*truth);
  return {name, folder(place.at("directory")), truth ? JsonBox(truth->value()) : JsonBox(), {}};
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

void read_members(const JsonPlace& root, Project& project) {
  root.allow_only({"$schema", "version", "datasets", "methods", "suites", "gates"});
  if (root.at("version").integer() != kProjectVersion)
    root.at("version").fail("unsupported version; must be {}", kProjectVersion);
  if (const auto datasets = root.find("datasets"))
    for (const auto& [name, place] : datasets->members())
      project.datasets.push_back(read_dataset(name, place, project.dir));
  if (const auto methods = root.find("methods")) project.methods = read_methods(*methods);
  if (const auto suites = root.find("suites")) project.suites = read_suites(*suites);
  if (const auto gates = root.find("gates")) read_gates(*gates, project);
}

}  // namespace

Project read_project(const std::filesystem::path& file) {
  const std::string text = read_text_file(file, kMaxProjectBytes);
  Json json = parse_strict_json(text, file.string(), kSmallFileJson);
  drop_comments(json);
  Project project;
  project.file = std::filesystem::absolute(file).lexically_normal();
  project.dir = project.file.parent_path();
  with_json_lines(text, file.string(), [&] { read_members(JsonPlace(json, file.string()), project); });
  const JsonLines lines = lines_of_json(text);
  for (ProjectDataset& dataset : project.datasets) {
    const std::string place = "datasets." + dataset.name;
    const auto line = lines.find(place);
    dataset.where = line == lines.end() ? fmt::format("{}: {}", file.string(), place)
                                        : fmt::format("{}:{}: {}", file.string(), line->second, place);
  }
  return project;
}

std::optional<std::filesystem::path> find_project_file(const std::filesystem::path& folder) {
  std::error_code unknown;
  for (std::filesystem::path at = std::filesystem::absolute(folder, unknown).lexically_normal();;
       at = at.parent_path()) {
    const std::filesystem::path file = at / kProjectFileName;
    struct stat status {};
    if (::stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
      const auto is_strange = [](const struct stat& of) {
        return of.st_uid != 0 && of.st_uid != ::geteuid();
      };
      struct stat link {};  // a user who plants a link beside his own program chooses what runs
      if (is_strange(status) || ::lstat(file.c_str(), &link) != 0 || is_strange(link))
        throw Error(
            ErrorKind::input,
            fmt::format("{}: belongs to another user; name it with --project to use it", file.string()),
            file.string());
      return file;
    }
    if (at == at.parent_path()) return std::nullopt;
  }
}

std::optional<Project> current_project(const std::optional<std::filesystem::path>& named) {
  std::error_code unknown;
  const auto file = named ? named : find_project_file(std::filesystem::current_path(unknown));
  if (!file) return std::nullopt;
  return read_project(*file);
}

void use_project(const Project& project, PlanRequest& request) {
  request.project = {project.dir.string(), project.methods, project.datasets};
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
  if (!folder_exists(dir))
    throw input_error("the project's folder {} is missing; give its file with --project FILE", dir);
  for (Case& planned : plan.cases) planned.project_dir = dir;
}

}  // namespace aqbench
