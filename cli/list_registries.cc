#include "cli/list_registries.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "harness/measuring/environment.h"
#include "harness/measuring/libraries.h"
#include "harness/planning/suite.h"
#include "harness/project/project.h"
#include "metrics/registry.h"
#include "pipeline/method/declaration.h"
#include "pipeline/method/method.h"
#include "pipeline/workloads/workload.h"
#include "scenes/dataset/perturb.h"
#include "scenes/dataset/recording.h"
#include "scenes/dataset/recording_truth.h"
#include "scenes/optics/rig.h"
#include "scenes/registry.h"
#include "scenes/rendering/imaging.h"

namespace aqbench::cli {
namespace {

// A declared parameter may have no range.
bool has_range(const ParameterSpec& spec) { return spec.min > -kNoRange || spec.max < kNoRange; }

Json parameters_json(const std::vector<ParameterSpec>& specs) {
  Json list = Json::array();
  for (const ParameterSpec& spec : specs) {
    Json item = {{"name", spec.name}, {"unit", spec.unit}};
    std::visit([&](const auto& value) { item["default"] = value; }, spec.default_value);
    if (std::holds_alternative<std::string>(spec.default_value)) {
      item["choices"] = spec.choices;
    } else {
      item["min"] = has_range(spec) ? Json(spec.min) : Json(nullptr);
      item["max"] = has_range(spec) ? Json(spec.max) : Json(nullptr);
    }
    item["help"] = spec.help;
    list.push_back(std::move(item));
  }
  return list;
}

// Name, summary and parameters of each.
template <class Specs>
Json specs_json(const Specs& specs) {
  Json list = Json::array();
  for (const auto& spec : specs)
    list.push_back(
        {{"name", spec.name}, {"summary", spec.summary}, {"parameters", parameters_json(spec.parameters)}});
  return list;
}

Json scenes_json(const std::optional<Project>& project) {
  Json list = specs_json(scene_registry());
  if (!project) return list;
  for (const ProjectDataset& dataset : project->datasets)
    list.push_back({{"name", std::string(kDatasetPrefix) + dataset.name},
                    {"summary", "recording in " + dataset.directory.string()},
                    {"parameters", Json::array()}});
  return list;
}

Json rigs_json(const std::optional<Project>& project) {
  Json list = specs_json(rig_registry());
  if (!project) return list;
  for (const NamedRig& rig : project->rigs)
    list.push_back({{"name", rig.name},
                    {"summary", "cameras of " + rig.file.string() + "; --set rig.NAME=VALUE"},
                    {"parameters", Json::array()}});
  return list;
}

Json sets_json(const std::vector<Override>& overrides, const std::string& owner) {
  Json sets = Json::object();
  for (const Override& given : overrides)
    sets[owner.empty() ? given.parameter : owner + "." + given.parameter] = given.value;
  return sets;
}

// The variants of imaging and the parameters each sets.
Json imaging_json(const std::optional<Project>&) {
  Json list = Json::array();
  for (const ImagingVariant& variant : imaging_variants()) {
    Json sets = sets_json(variant.overrides, "imaging");
    sets.update(sets_json(variant.rig_overrides, "RIG"));
    list.push_back({{"name", variant.name}, {"summary", variant.summary}, {"sets", std::move(sets)}});
  }
  return list;
}

Json imaging_parameters_json(const std::optional<Project>&) {
  return Json::array({{{"name", "imaging"},
                       {"summary", "parameters of every variant, changed by --set imaging.PARAMETER=VALUE"},
                       {"parameters", parameters_json(imaging_parameters())}}});
}

Json perturb_json(const std::optional<Project>&) {
  return Json::array({{{"name", "perturb"},
                       {"summary", "calibration errors for methods that use images"},
                       {"parameters", parameters_json(perturb_parameters())}}});
}

Json method_json(const MethodSpec& spec) {
  Json presets = Json::array();
  for (const Preset& preset : spec.presets)
    presets.push_back({{"name", preset.name}, {"sets", sets_json(preset.overrides, "")}});
  Json json = {{"name", spec.name},
               {"summary", spec.summary},
               {"simulated", spec.simulated()},
               {"parameters", parameters_json(spec.parameters)},
               {"presets", std::move(presets)},
               {"stages", spec.stages}};
  if (spec.declaration) json["command"] = spec.declaration->command;
  return json;
}

Json methods_json(const std::optional<Project>& project) {
  Json list = Json::array();
  for (const MethodSpec& spec : method_registry()) list.push_back(method_json(spec));
  if (!project) return list;
  for (const MethodDeclaration& method : project->methods)
    list.push_back(method_json(declared_method(method)));
  return list;
}

Json workloads_json(const std::optional<Project>&) {
  Json list = Json::array();
  for (const WorkloadSpec& spec : workload_registry())
    list.push_back({{"name", spec.name},
                    {"summary", spec.summary},
                    {"parameters", parameters_json(spec.parameters)},
                    {"throughput_unit", spec.throughput_unit},
                    {"batches", spec.batches},
                    {"stages", spec.stages}});
  return list;
}

Json suites_json(const std::optional<Project>& project) {
  std::vector<Suite> suites = suite_registry();
  if (project) suites.insert(suites.end(), project->suites.begin(), project->suites.end());
  Json list = Json::array();
  for (const Suite& suite : suites)
    list.push_back({{"name", suite.name},
                    {"summary", suite.description},
                    {"scenes", all_scenes(suite)},
                    {"methods", all_methods(suite)},
                    {"workloads", suite.workloads},
                    {"seeds", suite.seeds}});
  return list;
}

Json metrics_json(const std::optional<Project>&) {
  Json list = Json::array();
  for (const MetricSpec& spec : metric_registry())
    list.push_back({{"name", spec.name},
                    {"unit", spec.unit},
                    {"better", to_string(spec.better)},
                    {"summary", spec.definition}});
  return list;
}

Json stages_json(const std::optional<Project>&) {
  Json list = Json::array();
  for (const StageSpec& spec : stage_registry())
    list.push_back({{"name", spec.name}, {"summary", spec.summary}});
  return list;
}

constexpr Listing kListings[] = {{"scenes", scenes_json},
                                 {"datasets", datasets_json},
                                 {"methods", methods_json},
                                 {"suites", suites_json},
                                 {"metrics", metrics_json},
                                 {"rigs", rigs_json},
                                 {"imaging", imaging_json},
                                 {"perturb", perturb_json},
                                 {"imaging_parameters", imaging_parameters_json},
                                 {"workloads", workloads_json},
                                 {"stages", stages_json}};

// Says what the folder of a dataset holds, or why it cannot be read.
std::string dataset_summary(const ProjectDataset& dataset, const std::filesystem::path& base) {
  try {
    const Recording recording = read_recording(dataset.directory, KnownCameras::optional);
    const RecordingTruth truth =
        find_recording_truth(recording, {dataset.truth, base, dataset.where + ".truth"});
    return fmt::format("{}: layout {}, {}", dataset.directory.string(), to_string(recording.layout),
                       content_text(recording, truth));
  } catch (const Error& error) {
    return fmt::format("cannot be read: {}", one_line(error.what()));
  }
}

}  // namespace

std::span<const Listing> listings() { return kListings; }

Json devices_json(const std::optional<Project>&) {
  Json list = Json::array({{{"name", "cpu"}, {"summary", cpu_model().value_or("model unknown")}}});
  try {
    for (Json& device : list_opencl_devices()) {
      device["summary"] =
          fmt::format("{} ({}), driver {}, {}", device.at("model").get<std::string>(),
                      device.at("kind").get<std::string>(), device.at("driver").get<std::string>(),
                      device.at("compiler").get<std::string>());
      list.push_back(std::move(device));
    }
  } catch (const Error& error) {
    list.push_back({{"name", "opencl"}, {"summary", std::string("unavailable: ") + error.what()}});
  }
  return list;
}

Json datasets_json(const std::optional<Project>& project) {
  Json list = Json::array();
  if (!project) return list;
  for (const ProjectDataset& dataset : project->datasets)
    list.push_back({{"name", dataset.name},
                    {"summary", dataset_summary(dataset, project->dir)},
                    {"directory", dataset.directory.string()}});
  return list;
}

void keep_dataset(const std::string& given, std::optional<Project>& project) {
  const PlacedDataset placed = place_dataset(project, given);
  if (!project) project.emplace();
  std::error_code unknown;
  std::erase_if(project->datasets, [&](const ProjectDataset& one) {
    return !std::filesystem::equivalent(one.directory, placed.directory, unknown);
  });
  if (project->datasets.empty())
    project->datasets.push_back({given, placed.directory, {}, "dataset " + given});
}

}  // namespace aqbench::cli
