#include "harness/case_dataset.h"

#include <fmt/format.h>

#include <chrono>
#include <system_error>

#include "harness/build_info.h"
#include "scenes/core/error.h"

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

std::vector<std::pair<std::string, ParameterValue>> image_options(const DatasetPlan& plan) {
  std::vector<std::pair<std::string, ParameterValue>> options = {{"dataset.rig", plan.request.rig},
                                                                 {"dataset.imaging", plan.request.imaging}};
  for (const auto& [name, value] : plan.rig_parameters.items())
    options.emplace_back(fmt::format("{}.{}", plan.request.rig, name), value);
  for (const auto& [name, value] : plan.imaging_parameters.items())
    options.emplace_back(fmt::format("{}.{}", kImagingOwner, name), value);
  return options;
}

void copy_observation(const std::filesystem::path& dataset_dir, const std::filesystem::path& to) {
  std::error_code error;
  std::filesystem::create_directories(to, error);
  for (const char* part : {"calibration.json", "images"})
    if (!error)
      std::filesystem::copy(dataset_dir / part, to / part, std::filesystem::copy_options::recursive, error);
  if (error) throw Error(ErrorKind::io, fmt::format("{}: {}", to.string(), error.message()));
}

CaseDataset make_case_dataset(const Case& planned, const std::filesystem::path& scratch_dir) {
  const auto start = std::chrono::steady_clock::now();
  DatasetPlan plan = plan_dataset(dataset_request(planned));
  const auto say = [last = std::string()](std::size_t, std::size_t, const std::string& camera) mutable {
    if (camera != last) fmt::print(stderr, "rendering {}\n", camera);
    last = camera;
  };
  CachedDataset cached = cached_dataset(plan, cache_options_from_environment(), say);
  CaseDataset dataset{std::move(plan), std::move(cached), scratch_dir / kObservationFolder, 0};
  copy_observation(dataset.dataset.dir(), dataset.observation_dir);
  if (const CalibrationError error = case_calibration_error(planned); !is_zero(error))
    perturb_calibration_file(dataset.observation_dir / "calibration.json", error);
  dataset.made_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return dataset;
}

}  // namespace aqbench
