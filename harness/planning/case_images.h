#pragma once
// What the images of a case are made with.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/records/case.h"
#include "scenes/dataset/dataset.h"
#include "scenes/dataset/perturb.h"

namespace aqbench {

inline constexpr const char* kImagingOwner = "imaging";  // of the renderer's parameters

inline constexpr const char* kPerturbOwner =
    "perturb";  // of errors of the calibration (scenes/dataset/perturb.h)

// Is `owner` the rig of these images, imaging, or perturb?
bool owns_images(const CaseImages& images, std::string_view owner);

// The dataset of a case that has images.
DatasetRequest dataset_request(const Case& planned);

// How wrong the calibration is that the case's method is given: its overrides of owner perturb. Throws
// Error(usage) for an unknown one.
CalibrationError case_calibration_error(const Case& planned);

// Effective options: "dataset.rig", "dataset.imaging" and every parameter of both.
std::vector<std::pair<std::string, ParameterValue>> image_options(const DatasetPlan& plan);

}  // namespace aqbench
