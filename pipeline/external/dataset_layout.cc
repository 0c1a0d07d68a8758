#include "pipeline/external/dataset_layout.h"

#include <fmt/format.h>

#include <system_error>

#include "core/error.h"
#include "scenes/dataset/layout_writer.h"
#include "scenes/optics/calibration_file.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

// The one file of a camera in a dataset of one frame.
fs::path image_of_camera(const fs::path& dataset, const std::string& camera) {
  std::error_code error;
  for (fs::directory_iterator entry(dataset / "images" / camera, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().stem() == "000000") return entry->path();
  throw Error(ErrorKind::input, fmt::format("{}: camera '{}' has no image", dataset.string(), camera));
}

}  // namespace

Observation in_declared_layout(const Observation& observation, const MethodInput& input) {
  const MethodDeclaration& method = *input.declaration;
  const DeclaredLayout& declared = method.dataset;
  if (declared.layout == DeclaredLayout().layout) return observation;
  const Rig rig = read_calibration(observation.dataset_dir / "calibration.json");
  if (!is_dry(rig) && !declared.ignores_refraction)
    throw Error(ErrorKind::method,
                fmt::format("the cameras look through water, which the layout {} does not have; add "
                            "\"refraction\": \"ignore\" to method {} for cameras as if there were none",
                            declared.layout, method.name));
  const Observation written{input.work_dir / "dataset"};
  std::error_code unknown;
  fs::remove_all(written.dataset_dir, unknown);  // of an earlier repetition
  std::vector<CameraFiles> files;
  for (const Camera& camera : rig.cameras) {
    const fs::path mask = observation.dataset_dir / "masks" / camera.name / "000000.png";
    files.push_back({image_of_camera(observation.dataset_dir, camera.name),
                     fs::exists(mask, unknown) ? mask : fs::path()});
  }
  try {
    write_layout(written.dataset_dir, {declared.layout, declared.least_depth_m, declared.most_depth_m},
                 rig.cameras, files);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::io) throw;
    throw Error(ErrorKind::method, error.what());
  }
  return written;
}

ResultDepths depths_of(const Observation& observation, const MethodDeclaration& method) {
  // Lengths become metres by the declared unit afterwards.
  ResultDepths depths{method.depths_along_z, method.metres_per_count / metres_of(method), {}, false};
  if (!depths.along_z && method.dataset.layout == DeclaredLayout().layout) return depths;
  depths.cameras = read_calibration(observation.dataset_dir / "calibration.json").cameras;
  depths.numbered = method.dataset.layout == "mvsnet";
  return depths;
}

}  // namespace aqbench
