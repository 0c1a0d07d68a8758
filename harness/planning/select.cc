#include "harness/planning/select.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "core/files.h"
#include "core/parameters.h"
#include "core/sha256.h"
#include "core/text.h"

namespace aqbench {
namespace {

template <class Specs>
bool has_name(const Specs& specs, const std::string& name) {
  return std::ranges::any_of(specs, [&](const auto& spec) { return spec.name == name; });
}

void append_unique(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

[[noreturn]] void refuse_pattern(std::string_view kind, std::string_view pattern,
                                 const std::vector<std::string>& candidates) {
  if (!has_wildcard(pattern)) throw Error(ErrorKind::usage, unknown_name_message(kind, pattern, candidates));
  throw usage_error("{} '{}' matches none of {}", kind, pattern, fmt::join(candidates, ", "));
}

// Returns the matching names in their order. Throws Error(usage) if there are none.
std::vector<std::string> matching_names(std::string_view kind, std::string_view pattern,
                                        const std::vector<std::string>& candidates) {
  std::vector<std::string> names;
  for (const std::string& candidate : candidates)
    if (glob_matches(pattern, candidate)) names.push_back(candidate);
  if (names.empty()) refuse_pattern(kind, pattern, candidates);
  return names;
}

// Returns "name", or "name:preset" for each preset that matches the part after the colon.
std::vector<std::string> matching_methods(const std::string& pattern, std::span<const MethodSpec> methods) {
  const std::size_t colon = pattern.find(':');
  std::vector<std::string> chosen, candidates;  // candidates: presets of the methods that match
  for (const std::string& name : matching_names("method", pattern.substr(0, colon), names_of(methods))) {
    if (colon == std::string::npos) {
      chosen.push_back(name);
      continue;
    }
    const auto& presets = std::ranges::find(methods, name, &MethodSpec::name)->presets;
    for (const Preset& preset : presets) {
      candidates.push_back(fmt::format("{}:{}", name, preset.name));
      if (glob_matches(std::string_view(pattern).substr(colon + 1), preset.name))
        chosen.push_back(candidates.back());
    }
  }
  if (!chosen.empty()) return chosen;
  refuse_pattern("method preset", pattern, candidates.empty() ? names_of(methods) : candidates);
}

// Returns what the patterns match, each name once.
template <class Match>
std::vector<std::string> expand(const std::vector<std::string>& patterns, const Match& match) {
  std::vector<std::string> names;
  for (const std::string& pattern : patterns)
    for (const std::string& name : match(pattern)) append_unique(names, name);
  return names;
}

// Returns the project's datasets as scenes.
std::vector<std::string> dataset_scenes(const RequestedProject& project) {
  std::vector<std::string> scenes;
  for (const ProjectDataset& dataset : project.datasets)
    scenes.push_back(std::string(kDatasetPrefix) + dataset.name);
  return scenes;
}

std::vector<std::string> expand_scenes(const std::vector<std::string>& patterns,
                                       std::span<const SceneSpec> scenes, const RequestedProject& project) {
  return expand(patterns, [&](const std::string& pattern) -> std::vector<std::string> {
    const bool is_dataset = pattern.starts_with(kDatasetPrefix);
    if (is_dataset && has_wildcard(pattern)) return matching_names("scene", pattern, dataset_scenes(project));
    if (is_dataset || pattern.starts_with(kMeshPrefix)) return {pattern};
    if (has_name(project.datasets, pattern) && !has_name(scenes, pattern))
      throw usage_error("scene '{0}': is a dataset of the project: --dataset {0}", pattern);
    return matching_names("scene", pattern, names_of(scenes));
  });
}

std::vector<std::string> expand_methods(const std::vector<std::string>& patterns,
                                        std::span<const MethodSpec> methods) {
  return expand(patterns, [&](const std::string& pattern) { return matching_methods(pattern, methods); });
}

std::vector<std::string> expand_workloads(const std::vector<std::string>& patterns,
                                          std::span<const WorkloadSpec> workloads) {
  return expand(patterns, [&](const std::string& pattern) {
    return matching_names("workload", pattern, names_of(workloads));
  });
}

// A suite that names a method without a preset also has the presets of it that the request names.
std::vector<std::string> with_requested_presets(std::vector<std::string> patterns,
                                                const std::vector<std::string>& requested) {
  const std::vector<std::string> of_suite = patterns;
  for (const std::string& name : requested)
    if (std::ranges::find(of_suite, name.substr(0, name.find(':'))) != of_suite.end())
      append_unique(patterns, name);
  return patterns;
}

// A pattern without a preset means the method with any preset.
bool filter_matches(const std::string& pattern, const std::string& name) {
  if (pattern == name || glob_matches(pattern, name)) return true;
  return pattern.find(':') == std::string::npos && glob_matches(pattern, name.substr(0, name.find(':')));
}

std::vector<std::string> filter_names(std::string_view kind, const std::vector<std::string>& names,
                                      const std::vector<std::string>& patterns) {
  if (patterns.empty()) return names;
  for (const std::string& pattern : patterns)
    if (std::ranges::none_of(names, [&](const auto& name) { return filter_matches(pattern, name); }))
      refuse_pattern(fmt::format("{} of the suite", kind), pattern, names);
  std::vector<std::string> kept;
  for (const std::string& name : names)
    if (std::ranges::any_of(patterns, [&](const auto& pattern) { return filter_matches(pattern, name); }))
      kept.push_back(name);
  return kept;
}

SceneChoice choose_dataset(const std::string& scene, const RequestedProject& project) {
  const std::string name = scene.substr(kDatasetPrefix.size());
  std::error_code status;
  auto known = std::ranges::find(project.datasets, name, &ProjectDataset::name);
  if (known == project.datasets.end())  // its folder
    known = std::ranges::find_if(project.datasets, [&](const ProjectDataset& dataset) {
      return std::filesystem::equivalent(dataset.directory, name, status);
    });
  if (known == project.datasets.end()) {
    if (!project.datasets.empty() && name.find_first_of("/=") == name.npos &&
        !std::filesystem::exists(name, status))
      throw usage_error("scene '{}': no such folder; {}", one_line(scene),
                        unknown_name_message("dataset", name, names_of(project.datasets)));
    return choose_recording(scene);
  }
  const std::string where = known->where.empty() ? "dataset " + known->name : known->where;
  if (!std::filesystem::is_directory(known->directory, status))
    throw input_error("{}: no such folder: {}", where, known->directory.string());
  return choose_recording(scene, known->name, known->directory,
                          {known->truth, project.dir, where + ".truth"});
}

SceneChoice choose_scene(const std::string& name, std::span<const SceneSpec> scenes,
                         const RequestedProject& project) {
  if (name.starts_with(kDatasetPrefix)) return choose_dataset(name, project);
  if (!name.starts_with(kMeshPrefix))
    return {name, &*std::ranges::find(scenes, name, &SceneSpec::name), {}, name};
  if (one_line(name, name.size()) != name)
    throw usage_error("scene '{}': its name has control characters or is not UTF-8", one_line(name));
  const std::filesystem::path file = name.substr(kMeshPrefix.size());
  if (!is_file(file)) throw input_error("scene '{}': no such file", name);
  // The hash of the file is an option, since another file of this name would give other results.
  return {name, nullptr, {{"mesh.sha256", sha256_file_hex(file)}}, name};
}

MethodChoice choose_method(const std::string& name, std::span<const MethodSpec> methods) {
  const std::size_t colon = name.find(':');
  const auto spec = std::ranges::find(methods, name.substr(0, colon), &MethodSpec::name);
  return {&*spec, colon == std::string::npos ? std::string() : name.substr(colon + 1)};
}

const Suite* requested_suite(const PlanRequest& request, const Catalogue& catalogue) {
  if (request.own_suite && !request.suite.empty() && request.suite != request.own_suite->name)
    throw usage_error("--suite and --suite-file exclude each other");
  if (request.own_suite) return &*request.own_suite;
  const bool by_hand = !request.scenes.empty() || !request.methods.empty() || !request.workloads.empty();
  if (request.suite.empty() && by_hand) return nullptr;
  const std::string name = request.suite.empty() ? "seed" : request.suite;
  return &find_named("suite", name, catalogue.suites);
}

std::vector<std::string> default_scenes(const Catalogue& catalogue) {
  const auto seed = std::ranges::find(catalogue.suites, "seed", &Suite::name);
  return seed == catalogue.suites.end() ? names_of(catalogue.scenes) : seed->scenes;
}

std::vector<std::string> simulated_methods(const Catalogue& catalogue) {
  std::vector<std::string> names;
  for (const MethodSpec& method : catalogue.methods)
    if (method.simulated()) names.push_back(method.name);
  return names;
}

}  // namespace

Catalogue registered_catalogue() {
  return {scene_registry(), method_registry(), suite_registry(), workload_registry()};
}

Selection select_for(const PlanRequest& request, const Catalogue& catalogue) {
  Selection selection;
  selection.suite = requested_suite(request, catalogue);
  const Suite* const suite = selection.suite;
  std::vector<std::string> scenes, methods, workloads;
  if (suite != nullptr) {
    const auto add_part = [&](const std::vector<std::string>& scene_patterns,
                              const std::vector<std::string>& method_patterns,
                              const std::vector<Axis>* axes) {
      selection.parts.push_back(
          {expand_scenes(scene_patterns, catalogue.scenes, request.project),
           expand_methods(with_requested_presets(method_patterns, request.methods), catalogue.methods),
           axes});
      for (const std::string& name : selection.parts.back().scenes) append_unique(scenes, name);
      for (const std::string& name : selection.parts.back().methods) append_unique(methods, name);
    };
    add_part(suite->scenes, suite->methods, nullptr);
    for (const SuitePart& part : suite->more) add_part(part.scenes, part.methods, &part.axes);
    scenes = filter_names("scene", scenes, request.scenes);
    methods = filter_names("method", methods, request.methods);
    workloads =
        filter_names("workload", expand_workloads(suite->workloads, catalogue.workloads), request.workloads);
  } else {
    workloads = expand_workloads(request.workloads, catalogue.workloads);
  }
  // Workloads alone need no scene or method.
  if (selection.suite == nullptr &&
      (request.workloads.empty() || !request.scenes.empty() || !request.methods.empty())) {
    scenes = expand_scenes(request.scenes.empty() ? default_scenes(catalogue) : request.scenes,
                           catalogue.scenes, request.project);
    methods = expand_methods(request.methods.empty() ? simulated_methods(catalogue) : request.methods,
                             catalogue.methods);
    selection.parts.push_back({scenes, methods, nullptr});
  }
  for (const std::string& name : scenes) {
    selection.scenes.push_back(choose_scene(name, catalogue.scenes, request.project));
    require_own_label(selection.scenes);
  }
  for (const std::string& name : methods) selection.methods.push_back(choose_method(name, catalogue.methods));
  for (const std::string& name : workloads)
    selection.workloads.push_back(&*std::ranges::find(catalogue.workloads, name, &WorkloadSpec::name));
  return selection;
}

std::vector<Override> preset_overrides(const MethodSpec& method, const std::string& preset) {
  if (preset.empty() && method.presets.empty()) return {};
  std::vector<Override> overrides =
      preset.empty() ? method.presets.front().overrides
                     : find_named("preset of " + method.name, preset, method.presets).overrides;
  for (Override& given : overrides) given.owner = method.name;
  return overrides;
}

}  // namespace aqbench
