#include "harness/planning/case_images.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/json.h"
#include "harness/measuring/build_info.h"
#include "harness/planning/case_method.h"
#include "pipeline/method/placeholders.h"

namespace aqbench {

bool owns_images(const CaseImages& images, std::string_view owner) {
  return owner == kImagingOwner || owner == kPerturbOwner || owner == images.rig;
}

bool asks_for_dataset(const MethodDeclaration& method) {
  const auto asks = [](const std::string& text) {
    const std::vector<std::string> names = placeholders_in(text);
    return std::ranges::find(names, "dataset") != names.end();
  };
  return asks(method.command) ||
         std::ranges::any_of(method.environment, [&](const auto& variable) { return asks(variable.second); });
}

bool renders_images(const Case& planned) {
  if (!planned.images) return false;
  if (!planned.declaration->empty()) {
    const MethodDeclaration method =
        declaration_from_json(JsonPlace(*planned.declaration, "method " + planned.method));
    return asks_for_dataset(method) || !method.depth_maps.empty();
  }
  if (!starts_program(planned)) return true;
  const ParameterValue* const command = find_option(planned, planned.method + ".command");
  return command == nullptr || to_string(*command).find("{dataset}") != std::string::npos;
}

DatasetRequest dataset_request(const Case& planned) {
  const CaseImages& images = planned.images.value();
  DatasetRequest request;
  request.scene = planned.scene;
  request.rig = images.rig;
  request.imaging = images.imaging;
  request.width_px = images.width_px;
  request.height_px = images.height_px;
  request.seed = planned.seed;
  request.generator_version = build_info().version;
  for (const Override& given : planned.overrides)
    if (given.owner != kPerturbOwner && (given.owner == planned.scene || owns_images(images, given.owner)))
      request.overrides.push_back(given);
  return request;
}

CalibrationError case_calibration_error(const Case& planned) {
  return calibration_error(resolve_parameters(kPerturbOwner, perturb_parameters(), planned.overrides));
}

}  // namespace aqbench
