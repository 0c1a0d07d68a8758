#include "cli/shell/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>

#include "cli/command.h"
#include "cli/list_registries.h"
#include "core/files.h"
#include "core/module.h"
#include "core/parameters.h"
#include "core/text.h"
#include "harness/eval/eval_request.h"
#include "harness/planning/axis.h"
#include "harness/planning/case_options.h"
#include "harness/planning/suite.h"
#include "harness/project/project.h"
#include "harness/running/journal.h"
#include "metrics/protocols/cloud_protocols.h"
#include "pipeline/method/method.h"
#include "pipeline/workloads/workload.h"
#include "scenes/dataset/perturb.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/optics/rig.h"
#include "scenes/registry.h"
#include "scenes/rendering/imaging.h"

namespace aqbench::cli {
namespace {

namespace fs = std::filesystem;
using Candidates = std::vector<Candidate>;

// Names and summaries of what `aqbench list WHAT` lists, also of the project.
Json listed(const std::string& what) {
  return find_named("list", what, listings()).json(current_project({}));
}

template <const char* kWhat>
Candidates named_in(const TypedValue&) {
  Candidates all;
  for (const Json& row : listed(kWhat))
    all.push_back({row.at("name").get<std::string>(), row.at("summary").get<std::string>()});
  return all;
}

constexpr char kScenes[] = "scenes", kWorkloads[] = "workloads", kRigs[] = "rigs", kImaging[] = "imaging",
               kSuites[] = "suites", kMetrics[] = "metrics", kStages[] = "stages";

Candidates plain(std::initializer_list<const char*> texts) {
  Candidates all;
  for (const char* const text : texts) all.push_back({text, ""});
  return all;
}

// ---- Files ----

// Returns the content of the typed path's folder. `keep` selects the files shown; folders are always shown.
Candidates paths(const std::string& typed, const std::function<bool(const fs::path&)>& keep) {
  const std::string folder = typed.substr(0, typed.rfind('/') + 1);  // "" without a slash
  fs::path looked_at = folder.empty() ? "." : folder;
  if (const char* const home = std::getenv("HOME"); folder.starts_with("~/") && home != nullptr)
    looked_at = fs::path(home) / folder.substr(2);
  const bool hidden = typed.substr(folder.size()).starts_with('.');
  Candidates all;
  for (const fs::path& entry : entries_of(looked_at)) {
    const std::string name = entry.filename().string();
    if (name.starts_with('.') && !hidden) continue;
    if (folder_exists(entry))
      all.push_back({folder + name + "/", ""});
    else if (keep(entry))
      all.push_back({folder + name, ""});
  }
  return all;
}

Candidates files(const TypedValue& typed) {
  return paths(typed.text, [](const fs::path&) { return true; });
}

Candidates folders(const TypedValue& typed) {
  return paths(typed.text, [](const fs::path&) { return false; });
}

Candidates files_ending(const TypedValue& typed, const char* ending) {
  return paths(typed.text, [&](const fs::path& file) { return file.string().ends_with(ending); });
}
Candidates json_files(const TypedValue& typed) { return files_ending(typed, ".json"); }
Candidates ply_files(const TypedValue& typed) { return files_ending(typed, ".ply"); }
Candidates npy_files(const TypedValue& typed) { return files_ending(typed, ".npy"); }

bool is_bundle(const fs::path& folder) {
  return std::ranges::any_of(std::initializer_list<const char*>{"results.json", kJournalFile},
                             [&](const char* file) { return path_exists(folder / file); });
}

// Folders, bundles among them without a slash; at the start of a word also the bundles of out/, newest first.
Candidates bundles(const TypedValue& typed) {
  Candidates found = typed.text.empty() ? folders({.text = "out/", .usage = "", .given = {}}) : Candidates{};
  std::ranges::sort(found, std::ranges::greater{}, &Candidate::text);
  std::erase_if(found, [](const Candidate& folder) { return !is_bundle(folder.text); });
  const Candidates here = folders(typed);
  found.insert(found.end(), here.begin(), here.end());
  for (Candidate& folder : found)
    if (is_bundle(folder.text)) folder = {folder.text.substr(0, folder.text.size() - 1), "bundle"};
  return found;
}

Candidates bundles_and_results(const TypedValue& typed) {
  Candidates all = bundles(typed);
  for (Candidate& file : json_files(typed))
    if (!file.text.ends_with('/')) all.push_back(std::move(file));
  return all;
}

// Installed baselines, by name, and files.
Candidates baselines(const TypedValue& typed) {
  Candidates all = json_files(typed);
  std::error_code error;
  for (const Suite& suite : suite_registry())
    if (!installed_data_file("baselines/" + suite.name + ".json").empty())
      all.push_back({suite.name, "installed baseline"});
  return all;
}

// ---- Registries ----

Candidates scenes(const TypedValue& typed) {
  Candidates all = named_in<kScenes>(typed);
  all.push_back({"mesh:", "a mesh of your own: mesh:FILE.ply"});
  all.push_back({"dataset:", "a recording: dataset:DIR, or dataset:NAME of the project file"});
  return all;
}
Candidates datasets(const TypedValue& typed) {
  Candidates all = folders(typed);
  if (const auto project = current_project({}))
    for (const ProjectDataset& dataset : project->datasets)
      all.push_back({dataset.name, dataset.directory.string()});
  return all;
}
Candidates methods(const TypedValue&) {
  Candidates all;
  for (const Json& method : listed("methods")) {
    const auto name = method.at("name").get<std::string>();
    all.push_back({name, method.at("summary").get<std::string>()});
    for (const Json& preset : method.at("presets"))
      all.push_back({name + ":" + preset.at("name").get<std::string>(), "preset of " + name});
  }
  return all;
}
Candidates protocols(const TypedValue&) {
  Candidates all = plain({"all", "normals"});
  for (const auto& [name, summary] : map_protocols()) all.push_back({name, summary});
  for (const CloudProtocol& protocol : cloud_protocols()) all.push_back({protocol.name, protocol.summary});
  return all;
}
Candidates profiled(const TypedValue& typed) {
  Candidates all = methods(typed);
  std::ranges::move(named_in<kWorkloads>(typed), std::back_inserter(all));
  return all;
}
Candidates metrics(const TypedValue& typed) {
  Candidates all = plain({"time_ms"});
  std::ranges::move(named_in<kMetrics>(typed), std::back_inserter(all));
  for (const Candidate& stage : named_in<kStages>(typed)) all.push_back({"stage:" + stage.text, stage.help});
  return all;
}
Candidates stage_faults(const TypedValue& typed) {
  Candidates all = named_in<kStages>(typed);
  for (Candidate& stage : all) stage.text += "=";
  return all;
}

using Owner = std::pair<std::string, const std::vector<ParameterSpec>*>;

std::vector<Owner> parameter_owners() {
  std::vector<Owner> owners;
  for (const SceneSpec& scene : scene_registry()) owners.emplace_back(scene.name, &scene.parameters);
  for (const MethodSpec& method : method_registry()) owners.emplace_back(method.name, &method.parameters);
  for (const WorkloadSpec& work : workload_registry()) owners.emplace_back(work.name, &work.parameters);
  for (const RigSpec& rig : rig_registry()) owners.emplace_back(rig.name, &rig.parameters);
  owners.emplace_back("imaging", &imaging_parameters());
  owners.emplace_back("perturb", &perturb_parameters());
  owners.emplace_back(kScoringOwner, &scoring_parameters());
  owners.emplace_back(kAlignmentOwner, &alignment_parameters());
  return owners;
}

// OWNER. first, then OWNER.PARAMETER=, then the choices of a parameter, if any.
Candidates parameters(const TypedValue& typed) {
  Candidates all;
  const std::size_t dot = typed.text.find('.'), equals = typed.text.find('=');
  for (const auto& [owner, specs] : parameter_owners()) {
    if (dot == std::string::npos) {
      all.push_back({owner + ".", counted(specs->size(), "parameter")});
      continue;
    }
    if (typed.text.substr(0, dot) != owner) continue;
    for (const ParameterSpec& spec : *specs) {
      const std::string name = owner + "." + spec.name + "=";
      if (equals == std::string::npos)
        all.push_back(
            {name, fmt::format("{}{}{} ({})", to_string(spec.default_value),
                               spec.unit.empty() || spec.unit == "1" ? "" : " ", spec.unit, spec.help)});
      else if (typed.text.starts_with(name))
        for (const std::string& choice : spec.choices) all.push_back({name + choice, ""});
    }
  }
  return all;
}

Candidates axes(const TypedValue& typed) {
  Candidates all = parameters(typed);
  if (typed.text.find('.') != std::string::npos) return all;
  for (const std::string& name : axis_names()) all.push_back({name + "=", "axis"});
  return all;
}

Candidates commands_by_name(const TypedValue&) {
  Candidates all;
  for (const Command& command : commands()) all.push_back({command.name, command.summary});
  return all;
}
Candidates devices(const TypedValue&) { return plain({"cpu", "cuda", "opencl"}); }
Candidates alignments(const TypedValue&) {
  return plain({"none", "icp", "sim3", "cameras", "tanks-and-temples"});
}

// ---- Values that depend on other words of the line ----

std::string first_given(const TypedValue& typed, const char* name) {
  const auto found = typed.given.find(name);
  return found == typed.given.end() || found->second.empty() ? "" : found->second.front();
}

// The cases of the bundle in the line.
Candidates cases(const TypedValue& typed) {
  Candidates all;
  const std::string bundle = first_given(typed, "BUNDLE");
  if (bundle.empty()) return all;
  for (const std::string& name : read_journal(bundle, TornTail::accept, KeptRecords::ends).header.case_names)
    all.push_back({name, ""});
  return all;
}

Candidates cameras(const TypedValue& typed) {
  Candidates all;
  const std::string dataset = first_given(typed, "dataset");
  if (dataset.empty()) return all;
  for (const Camera& camera : read_calibration(fs::path(dataset) / "calibration.json").cameras)
    all.push_back({camera.name, ""});
  return all;
}

// The alternatives in a usage line: "list|clear|path" of "aqbench cache [list|clear|path]".
Candidates words_of_usage(const TypedValue& typed) {
  const auto in_word = [](char c) { return c == '|' || c == '_' || (c >= 'a' && c <= 'z'); };
  Candidates all;
  auto begin = typed.usage.begin();
  while (begin != typed.usage.end()) {
    const auto end = std::find_if_not(begin, typed.usage.end(), in_word);
    const std::string_view words(begin, end);
    if (words.find('|') != std::string_view::npos) {
      for (const std::string_view word : split_at(words, '|')) all.push_back({std::string(word), ""});
      return all;
    }
    begin = end == typed.usage.end() ? end : end + 1;
  }
  return all;
}

struct NamedSource {
  const char* names;  // separated by blanks
  ValueSource source;
};

// By the name of the flag or argument.
constexpr NamedSource kByName[] = {
    {"suite", named_in<kSuites>},
    {"scene SCENE", scenes},
    {"dataset", datasets},
    {"method METHOD a-method b-method", methods},
    {"workload", named_in<kWorkloads>},
    {"axis variant", axes},
    {"protocol", protocols},
    {"set", parameters},
    {"rig", named_in<kRigs>},
    {"imaging", named_in<kImaging>},
    {"inject", stage_faults},
    {"metric", metrics},
    {"case", cases},
    {"camera", cameras},
    {"baseline", baselines},
    {"bundle pin resume BUNDLE A B", bundles},
    {"TARGET", profiled},
    {"RESULTS", bundles_and_results},
    {"BEFORE AFTER", files},
    {"what shell", words_of_usage},
    {"command", commands_by_name},
    {"suite-file PLAN", json_files},
    {"mesh", ply_files},
    {"depth", npy_files},
    {"device", devices},
    {"align", alignments},
};

// By the value's name in the help, if the flag's name is not known.
constexpr NamedSource kByValueName[] = {
    {"BUNDLE", bundles}, {"DIR [=DIR] OUT SITE", folders}, {"FILE BIN CLOUD DETECTED TRUE_CORNERS", files}};

ValueSource source_in(std::span<const NamedSource> sources, const std::string& name) {
  for (const NamedSource& row : sources)
    for (const std::string_view known : split_at(row.names, ' '))
      if (known == name) return row.source;
  return nullptr;
}

}  // namespace

ValueSource value_source(const std::string& name, const std::string& value_name) {
  if (const ValueSource source = source_in(kByName, name)) return source;
  if (const ValueSource source = source_in(kByValueName, value_name)) return source;
  return value_name.find('.') == std::string::npos ? nullptr : files;  // "KEY.pem"
}

}  // namespace aqbench::cli
