#include <algorithm>
#include <utility>
#include <vector>

#include "core/error.h"
#include "pipeline/dense_flow/dense_flow_spec.h"
#include "pipeline/external/declared.h"
#include "pipeline/external/external.h"
#include "pipeline/method/method.h"
#include "pipeline/method/methods_table.h"
#include "pipeline/plane_sweep/plane_sweep_spec.h"
#include "pipeline/simulated/simulated.h"
#include "pipeline/sparse/sparse_spec.h"

namespace aqbench {
namespace {

// Calls a run in the module `pipeline`.
template <RealMethod MethodsTable::*method>
constexpr RealMethod kInModule = [](const Observation& observation, const MethodInput& input) {
  return (methods_table().*method)(observation, input);
};

// The file of a saved matcher.
std::vector<std::filesystem::path> model_file(const Observation&, const MethodInput& input) {
  return {input.parameters.text("model")};
}

// Methods that see the truth.
std::vector<MethodSpec> simulated_methods() {
  return {
      {.name = "lightglue_like",
       .summary = "simulated: few points, like a sparse matcher such as LightGlue",
       .parameters = simulated_parameters(kLightglueLike),
       .presets = {},
       .stages = simulated_stages(),
       .run = &simulate},
      {.name = "roma_like",
       .summary = "simulated: more points and less noise, like a dense matcher such as RoMa",
       .parameters = simulated_parameters(kRomaLike),
       .presets = {},
       .stages = simulated_stages(),
       .run = &simulate},
  };
}

// Methods that see only an Observation.
std::vector<MethodSpec> real_methods() {
  return {
      {.name = "dense_flow",
       .summary = "dense inverse search flow between neighbouring cameras, triangulated by refracted rays",
       .parameters = dense_flow::parameters(),
       .presets = dense_flow::presets(),
       .stages = dense_flow::dense_stages(),
       .run = kInModule<&MethodsTable::dense_flow>,
       .dtype = "float32",
       .gives_depth_maps = true},
      {.name = "sparse",
       .summary = "features, matches and triangulation through the water: a sparse cloud",
       .parameters = sparse::method_parameters(),
       .presets = sparse::presets(),
       .stages = sparse::stages(),
       .run = kInModule<&MethodsTable::sparse>,
       .dtype = "float32"},
      {.name = "plane_sweep",
       .summary = "dense depth maps by plane-sweep stereo through the water, filtered and fused",
       .parameters = plane_sweep_parameters(),
       .presets = plane_sweep_presets(),
       .stages = plane_sweep_stages(),
       .run = kInModule<&MethodsTable::plane_sweep>,
       .dtype = "float32",
       .takes_depth_range = true,
       .gives_depth_maps = true},
      {.name = "external",
       .summary = "any program that reads a dataset folder and writes a PLY file",
       .parameters = external_parameters(),
       .presets = {},
       .stages = external_stages(),
       .run = &run_external,
       .dtype = "unknown",
       .starts_program = true,
       .tells_own_stages = true,
       .reads = &external_reads,
       .guest = &external_guest},
      {.name = "torchscript",
       .summary = "dense_flow with a matcher saved by torch.jit",
       .parameters = dense_flow::torchscript_parameters(),
       .presets = {},
       .stages = dense_flow::torchscript_stages(),
       .run = kInModule<&MethodsTable::torchscript>,
       .dtype = "float32",
       .gives_depth_maps = true,
       .tells_own_stages = true,
       .reads = &model_file,
       .guest = [](const MethodInput& input) -> std::vector<GuestPart> {
         return {{input.parameters.text("model"), input.parameters.text("model")}};
       }},
  };
}

}  // namespace

const std::vector<MethodSpec>& method_registry() {
  static const std::vector<MethodSpec> table = [] {
    std::vector<MethodSpec> methods = real_methods();
    for (MethodSpec& method : simulated_methods()) methods.push_back(std::move(method));
    return methods;
  }();
  return table;
}

const MethodSpec& find_method(std::string_view name) {
  const auto& table = method_registry();
  const auto found = std::ranges::find(table, name, &MethodSpec::name);
  if (found != table.end()) return *found;
  std::vector<std::string> names;
  names.reserve(table.size());
  for (const MethodSpec& spec : table) names.push_back(spec.name);
  throw Error(ErrorKind::usage, unknown_name_message("method", name, names));
}

MethodSpec declared_method(const MethodDeclaration& declaration) {
  return {.name = declaration.name,
          .summary = declaration.summary,
          .parameters = declaration.parameters,
          .presets = declaration.presets,
          .stages = external_stages(),
          .run = &run_declared,
          .starts_program = true,
          .tells_own_stages = true,
          .reads = &declared_reads,
          .guest = &declared_guest,
          .declaration = std::make_shared<const MethodDeclaration>(declaration)};
}

}  // namespace aqbench
