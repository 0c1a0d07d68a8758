#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/list_datasets.h"
#include "cli/options.h"
#include "core/error.h"
#include "core/json.h"
#include "core/text.h"
#include "harness/measuring/machine.h"
#include "harness/measuring/opencl_device.h"
#include "harness/planning/scene_choice.h"
#include "harness/planning/suite.h"
#include "harness/project/project.h"
#include "metrics/registry.h"
#include "pipeline/method/method.h"
#include "pipeline/method/stages.h"
#include "pipeline/workloads/workload.h"
#include "scenes/dataset/perturb.h"
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

Json scenes_json(const std::optional<Project>& project) {
  Json list = Json::array();
  for (const SceneSpec& spec : scene_registry())
    list.push_back(
        {{"name", spec.name}, {"summary", spec.summary}, {"parameters", parameters_json(spec.parameters)}});
  if (!project) return list;
  for (const ProjectDataset& dataset : project->datasets)
    list.push_back({{"name", std::string(kDatasetPrefix) + dataset.name},
                    {"summary", "recording in " + dataset.directory.string()},
                    {"parameters", Json::array()}});
  return list;
}

Json rigs_json(const std::optional<Project>&) {
  Json list = Json::array();
  for (const RigSpec& spec : rig_registry())
    list.push_back(
        {{"name", spec.name}, {"summary", spec.summary}, {"parameters", parameters_json(spec.parameters)}});
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

// The devices of cases. Drivers are asked only where this listing is wanted.
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

struct Listing {
  const char* name;
  Json (*json)(const std::optional<Project>&);
};
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

// Prints a name and a text that breaks between words and stays in its column.
void print_wrapped(const std::string& name, std::size_t name_width, const std::string& text) {
  constexpr std::size_t kPage = 100;
  std::string rest = text;
  std::string label = name;
  do {
    const std::size_t room = kPage - std::max(name_width, label.size()) - 4;  // a label may be wider
    std::size_t cut = rest.size();
    if (cut > room) {
      cut = rest.rfind(' ', room);
      if (cut == std::string::npos || cut == 0) cut = room;
    }
    fmt::print("  {:<{}}  {}\n", label, name_width, rest.substr(0, cut));
    rest.erase(0, std::min(rest.size(), rest.find_first_not_of(' ', cut)));
    label.clear();
  } while (!rest.empty());
}

std::string default_text(const Json& parameter) {
  const Json& value = parameter["default"];
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// Describes the allowed values: ", 1 to 9" or ", one of a, b"; empty if any number or text is allowed.
std::string range_text(const Json& parameter) {
  if (!parameter.contains("choices"))
    return parameter["min"].is_null()
               ? ""
               : fmt::format(", {} to {}", short_number(parameter["min"].get<double>()),
                             short_number(parameter["max"].get<double>()));
  const auto choices = parameter["choices"].get<std::vector<std::string>>();
  return choices.empty() ? "" : fmt::format(", one of {}", fmt::join(choices, ", "));
}

void print_parameters(const Json& item) {
  if (!item.contains("parameters")) return;
  for (const Json& parameter : item["parameters"]) {
    const std::string unit = parameter["unit"].get<std::string>();
    const std::string help = parameter["help"].get<std::string>();
    const std::string full = item["name"].get<std::string>() + "." + parameter["name"].get<std::string>();
    print_wrapped(
        "  " + full, 34,
        fmt::format("{}{}{}{}", default_text(parameter), unit.empty() || unit == "1" ? "" : " " + unit,
                    range_text(parameter), help.empty() ? "" : fmt::format(" ({})", help)));
  }
}

// Returns a line for each preset, "mine:fast preset: window=5, cost=ncc". The first is the default.
void print_presets(const Json& item) {
  if (!item.contains("presets")) return;
  bool first = true;
  for (const Json& preset : item["presets"]) {
    Strings sets;
    for (const auto& [name, value] : preset["sets"].items())
      sets.push_back(fmt::format("{}={}", name, value.get<std::string>()));
    print_wrapped(fmt::format("  {}:{}", item["name"].get<std::string>(), preset["name"].get<std::string>()),
                  34,
                  fmt::format("preset{}: {}", std::exchange(first, false) ? ", the default" : "",
                              sets.empty() ? "all parameters at their defaults"
                                           : fmt::format("{}", fmt::join(sets, ", "))));
  }
}

// The first part of a text that fits into a line: up to a full stop, colon or comma, else as many words as
// fit.
std::string shortened(const std::string& text, std::size_t room) {
  if (text.size() <= room) return text;
  for (const char* const end : {". ", ": ", "; ", ", "})
    if (const std::size_t at = text.find(end); at != std::string::npos && at <= room)
      return text.substr(0, at);
  return text.substr(0, std::min(text.rfind(' ', room), room));
}

// A name and a line for each item; with `details` also its parameters and presets.
void print_items(const Json& list, bool details) {
  std::size_t width = 0;
  for (const Json& item : list) width = std::max(width, item["name"].get<std::string>().size());
  for (const Json& item : list) {
    const std::string name = item["name"].get<std::string>(), summary = item["summary"].get<std::string>();
    if (details)
      print_wrapped(name, width, summary);
    else
      fmt::print("  {:<{}}  {}\n", name, width, shortened(summary, 96 - std::min<std::size_t>(width, 60)));
    if (!details) continue;
    print_parameters(item);
    print_presets(item);
  }
}

struct ListRequest {
  std::optional<std::string> what, dataset;
  std::optional<std::filesystem::path> project_file;
  bool json = false;
};

CommandLine<ListRequest> list_command_line() {
  return {
      "aqbench list [scenes|datasets|methods|suites|metrics|rigs|imaging|workloads|stages|devices|NAME] "
      "[--json]",
      "Lists what there is, a line each. With the name of a list, or of one thing in it, also parameters\n"
      "with their defaults, units and meaning. imaging_parameters belong to rendered images, perturb to\n"
      "calibration errors; devices are listed by name only.",
      {{{.name = "json", .help = "print JSON, with ranges and choices of every parameter"},
        into<&ListRequest::json>},
       {{.name = "dataset",
         .value_name = "DATASET",
         .help = "of datasets only this one: of the project file, or a folder in any layout"},
        into<&ListRequest::dataset>},
       {{.name = "project",
         .value_name = "FILE",
         .help = "also list declarations of this project file (default: aqbench.json, here or in a "
                 "folder above)"},
        into<&ListRequest::project_file>}},
      {{{.name = "what", .optional = true}, into<&ListRequest::what>}}};
}

// Prints the things with this name in any list. Throws Error(usage) where there is none.
void print_named(const std::string& name, const std::optional<Project>& project) {
  Strings names;
  bool found = false;
  for (const Listing& listing : kListings) {
    Json same = Json::array();
    for (const Json& item : listing.json(project)) {
      names.push_back(item["name"].get<std::string>());
      if (names.back() == name) same.push_back(item);
    }
    if (same.empty()) continue;
    fmt::print("{}{}:\n", found ? "\n" : "", listing.name);
    print_items(same, true);
    found = true;
  }
  for (const Listing& listing : kListings) names.emplace_back(listing.name);
  names.emplace_back("devices");
  if (!found) throw Error(ErrorKind::usage, unknown_name_message("listing", name, names));
}

// The lists that are asked for; none where it is the name of a thing.
std::vector<Listing> chosen_listings(const ListRequest& request) {
  std::vector<Listing> all(std::begin(kListings), std::end(kListings));
  if (!request.what && !request.dataset) return all;
  const std::string what = request.what.value_or("datasets");
  if (request.dataset && what != "datasets")
    throw Error(ErrorKind::usage, fmt::format("--dataset: list datasets shows one, not list {}", what));
  if (what == "imaging") return {{"imaging", imaging_json}, {"imaging_parameters", imaging_parameters_json}};
  if (what == "devices") return {{"devices", devices_json}};
  std::erase_if(all, [&](const Listing& listing) { return listing.name != what; });
  return all;
}

}  // namespace

ExitCode list_command(const Arguments& arguments) {
  const auto request = parse(list_command_line(), arguments);
  if (!request) return ExitCode::pass;

  const std::vector<Listing> listings = chosen_listings(*request);
  std::optional<Project> project = current_project(request->project_file);
  if (request->dataset) keep_dataset(*request->dataset, project);
  if (request->json && listings.empty())
    throw Error(ErrorKind::usage, "--json: only with a list, such as scenes, or with all");
  if (request->json) {
    Json all = Json::object();
    for (const Listing& listing : listings) all[listing.name] = listing.json(project);
    print_json(all.dump(2) + "\n");
    return ExitCode::pass;
  }
  if (listings.empty()) print_named(*request->what, project);
  for (std::size_t i = 0; i < listings.size(); ++i) {
    fmt::print("{}{}:\n", i > 0 ? "\n" : "", listings[i].name);
    print_items(listings[i].json(project), request->what.has_value());
  }
  return ExitCode::pass;
}

}  // namespace aqbench::cli
