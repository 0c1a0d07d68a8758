#include <algorithm>

#include "core/error.h"
#include "pipeline/dense_flow/dense_flow_method.h"
#include "pipeline/dense_flow/torchscript_method.h"
#include "pipeline/external/external.h"
#include "pipeline/method/method.h"
#include "pipeline/plane_sweep/plane_sweep_method.h"
#include "pipeline/simulated/simulated.h"
#include "pipeline/sparse/sparse_method.h"

namespace aqbench {

namespace {

std::vector<ParameterSpec> sparse_method_parameters() {
  std::vector<ParameterSpec> specs = sparse::view_parameters();
  const std::vector<ParameterSpec> own = sparse::parameters();
  specs.insert(specs.end(), own.begin(), own.end());
  return specs;
}

}  // namespace

const std::vector<MethodSpec>& method_registry() {
  static const std::vector<MethodSpec> table{
      {"lightglue_like",
       "simulated: few points, as a sparse matcher such as LightGlue gives",
       simulated_parameters(kLightglueLike),
       {},
       simulated_stages(),
       &simulate},
      {"roma_like",
       "simulated: more points and less noise, as a dense matcher such as RoMa gives",
       simulated_parameters(kRomaLike),
       {},
       simulated_stages(),
       &simulate},
      {"dense_flow", "dense inverse search flow between neighbouring cameras, triangulated by refracted rays",
       dense_flow::parameters(), dense_flow::presets(), dense_flow::dense_stages(), &dense_flow::run},
      {"sparse", "features, matches and triangulation through the water: a sparse cloud",
       sparse_method_parameters(), sparse::presets(), sparse::stages(), &sparse::run},
      {"plane_sweep", "dense depth maps by plane-sweep stereo through the water, filtered and fused",
       plane_sweep_parameters(), plane_sweep_presets(), plane_sweep_stages(), &run_plane_sweep, true},
      {"external",
       "any program that reads a dataset's folder and writes a PLY file",
       external_parameters(),
       {},
       external_stages(),
       &run_external},
      {"torchscript",
       "a matcher saved with torch.jit, in the place of dense_flow's",
       torchscript_parameters(),
       {},
       torchscript_stages(),
       &run_torchscript},
  };
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

}  // namespace aqbench
