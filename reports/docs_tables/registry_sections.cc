#include "reports/docs_tables/registry_sections.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/measuring/hotspots.h"
#include "harness/planning/suite.h"
#include "metrics/registry.h"
#include "pipeline/method/method.h"
#include "scenes/registry.h"

namespace aqbench {
namespace {

std::string docs_scenes() {
  std::string text = md_head({"scene", "what it is", "parameters"}, 3);
  for (const SceneSpec& scene : scene_registry()) {
    std::vector<std::string> names;
    for (const ParameterSpec& parameter : scene.parameters) names.push_back(parameter.name);
    text +=
        md_row({"`" + scene.name + "`", md_escape(scene.summary), fmt::format("{}", fmt::join(names, ", "))});
  }
  return text;
}

std::string docs_methods() {
  std::string text = md_head({"method", "what it does", "presets", "stages"}, 4);
  for (const MethodSpec& method : method_registry()) {
    std::vector<std::string> presets;
    for (const Preset& preset : method.presets) presets.push_back(preset.name);
    text += md_row({"`" + method.name + "`", md_escape(method.summary),
                    fmt::format("{}", fmt::join(presets, ", ")),
                    fmt::format("{}", fmt::join(method.stages, ", "))});
  }
  return text;
}

// A table for each method that has presets: a row per parameter that a preset sets.
std::string docs_presets() {
  std::string text;
  for (const MethodSpec& method : method_registry()) {
    if (method.presets.empty()) continue;
    std::vector<std::string> titles = {"`" + method.name + "`"}, names;
    for (const Preset& preset : method.presets) {
      titles.push_back(preset.name);
      for (const Override& set : preset.overrides)
        if (std::ranges::find(names, set.parameter) == names.end()) names.push_back(set.parameter);
    }
    text += (text.empty() ? "" : "\n") + md_head(titles, 1);
    for (const std::string& name : names) {
      std::vector<std::string> cells = {name};
      for (const Preset& preset : method.presets) {
        const auto set = std::ranges::find(preset.overrides, name, &Override::parameter);
        cells.push_back(set == preset.overrides.end() ? "default" : md_escape(set->value));
      }
      text += md_row(cells);
    }
  }
  return text.empty() ? "No method has presets.\n" : text;
}

std::string docs_metrics() {
  std::string text = md_head({"metric", "unit", "better", "definition"}, 4);
  for (const MetricSpec& metric : metric_registry())
    text += md_row({"`" + metric.name + "`", md_escape(metric.unit), to_string(metric.better),
                    md_escape(metric.definition)});
  return text;
}

std::string docs_suites() {
  std::string text = md_head({"suite", "what it is", "scenes", "methods or workloads"}, 4);
  for (const Suite& suite : suite_registry()) {
    std::vector<std::string> methods = all_methods(suite);
    std::ranges::copy(suite.workloads, std::back_inserter(methods));
    text += md_row({"`" + suite.name + "`", md_escape(suite.description),
                    md_escape(fmt::format("{}", fmt::join(all_scenes(suite), ", "))),
                    md_escape(fmt::format("{}", fmt::join(methods, ", ")))});
  }
  return text;
}

std::string docs_range(const ParameterSpec& spec) {
  if (std::holds_alternative<std::string>(spec.default_value))
    return md_escape(fmt::format("{}", fmt::join(spec.choices, ", ")));
  return fmt::format("{} to {}", spec.min, spec.max);
}

std::string docs_parameters(const std::vector<std::string>& arguments) {
  if (arguments.size() != 1) throw Error(ErrorKind::input, "expected the name of one scene or method");
  const std::vector<ParameterSpec>* specs = nullptr;
  for (const SceneSpec& scene : scene_registry())
    if (scene.name == arguments[0]) specs = &scene.parameters;
  for (const MethodSpec& method : method_registry())
    if (method.name == arguments[0]) specs = &method.parameters;
  if (specs == nullptr) throw input_error("'{}' is neither a scene nor a method", arguments[0]);
  std::string text = md_head({"parameter", "default", "unit", "range", "what it is"}, 5);
  for (const ParameterSpec& spec : *specs)
    text += md_row({"`" + spec.name + "`", md_escape(to_string(spec.default_value)), md_escape(spec.unit),
                    docs_range(spec), md_escape(spec.help)});
  return text;
}

template <class Render>
DocsSection without_arguments(const Render& render) {
  return [render](const std::vector<std::string>&) { return render(); };
}

}  // namespace

DocsSections registry_sections() {
  return {{"scenes", without_arguments(docs_scenes)},        {"methods", without_arguments(docs_methods)},
          {"presets", without_arguments(docs_presets)},      {"metrics", without_arguments(docs_metrics)},
          {"suites", without_arguments(docs_suites)},        {"parameters", docs_parameters},
          {"hotspots", without_arguments(hotspots_markdown)}};
}

}  // namespace aqbench
