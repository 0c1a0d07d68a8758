#include "harness/planning/case_images.h"

#include <fmt/format.h>

#include "harness/measuring/build_info.h"

namespace aqbench {

bool owns_images(const CaseImages& images, std::string_view owner) {
  return owner == kImagingOwner || owner == kPerturbOwner || owner == images.rig;
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

NamedValues image_options(const DatasetPlan& plan) {
  NamedValues options = {{"dataset.rig", plan.request.rig}, {"dataset.imaging", plan.request.imaging}};
  for (const auto& [name, value] : plan.rig_parameters.items())
    options.emplace_back(fmt::format("{}.{}", plan.request.rig, name), value);
  for (const auto& [name, value] : plan.imaging_parameters.items())
    options.emplace_back(fmt::format("{}.{}", kImagingOwner, name), value);
  return options;
}

}  // namespace aqbench
