#include <algorithm>

#include "pipeline/dense_flow/dense_flow_method.h"
#include "pipeline/method.h"
#include "pipeline/simulated.h"
#include "scenes/core/error.h"

namespace aqbench {

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
