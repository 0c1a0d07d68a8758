#include "harness/eval/eval_answer.h"

#include <string_view>

#include "metrics/score_options.h"

namespace aqbench {

std::string definition_with(const std::string& metric, const std::string& positive_side) {
  std::string definition = metric_definition(metric);
  if (const std::size_t place = definition.find(kTowardsCameras); place != std::string::npos)
    definition.replace(place, std::string_view(kTowardsCameras).size(), positive_side);
  return definition;
}

}  // namespace aqbench
